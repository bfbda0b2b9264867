# SPDX-License-Identifier: Apache-2.0
"""This client's own transformation against the shared vectors and against its law, TP1."""

import json
import pathlib
import random
import unittest

from text_edit import apply, edit_to_units, normalized, to_units, transform

VECTORS = pathlib.Path(__file__).parent.parent / "Vectors" / "text-edits.json"


class Transformation(unittest.TestCase):
    def test_the_shared_vectors_hold(self):
        for vector in json.loads(VECTORS.read_text("utf-8"))["transform"]:
            p, s = (edit_to_units(vector[name]) for name in "ps")
            p2, s2 = transform(p, s)
            self.assertEqual(p2, edit_to_units(vector["p'"]), vector)
            self.assertEqual(s2, edit_to_units(vector["s'"]), vector)

    def test_both_ways_round_give_the_same_text(self):
        for seed in range(2000):
            chance = random.Random(seed)
            text = "".join(chance.choice("abcdef") for _ in range(chance.randrange(8)))
            p, s = (self.random_edit(chance, len(text)) for _ in range(2))
            p2, s2 = transform(p, s)
            self.assertEqual(apply(p2, apply(s, text)), apply(s2, apply(p, text)), f"seed {seed}: {text} {p} {s}")

    def random_edit(self, chance, length):
        edit, start = [], 0
        while start <= length and chance.random() < 0.7:
            position = chance.randint(start, length)
            deleted = chance.randint(0, min(3, length - position))
            inserted = "".join(chance.choice("XYZ") for _ in range(chance.choice([0, 1, deleted])))
            if chance.random() < 0.3:
                edit.append([position, 0, inserted])
                inserted = ""
            edit.append([position, deleted, inserted])
            start = position + deleted + 1
        return normalized(edit)

    def test_a_pair_is_two_units(self):
        self.assertEqual(len(to_units("a😀")), 3)


if __name__ == "__main__":
    unittest.main()
