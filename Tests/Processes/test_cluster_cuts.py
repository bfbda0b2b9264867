# SPDX-License-Identifier: Apache-2.0
"""The tests of cut connections once more, with three servers, of which each connection may get another one."""

import unittest

import test_cuts
from cluster_case import ClusterCase


class ClusterCuts(test_cuts.Cuts, ClusterCase):
    async def subject(self):
        return await self.three()

    def explain(self, server):
        return " ".join(super(ClusterCuts, self).explain(node) for node in self.nodes)


if __name__ == "__main__":
    unittest.main()
