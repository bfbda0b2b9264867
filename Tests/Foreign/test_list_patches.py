# SPDX-License-Identifier: Apache-2.0
"""The patches of lists against a JSON Patch library that is not ours."""

import json
import pathlib
import unittest

import jsonpatch

VECTORS = pathlib.Path(__file__).parent.parent / "Vectors" / "list-patches.json"


class ListPatches(unittest.TestCase):
    def test_a_library_of_rfc_6902_comes_to_the_same_list(self):
        vectors = json.loads(VECTORS.read_text("utf-8"))
        self.assertGreaterEqual(len(vectors), 300)
        for vector in vectors:
            result = jsonpatch.apply_patch(vector["old"], vector["operations"])
            self.assertEqual(result, vector["new"], vector["operations"])


if __name__ == "__main__":
    unittest.main()
