# SPDX-License-Identifier: Apache-2.0
"""Several servers on one database: any of them serves any page, and what was acknowledged stays, whatever is killed or replaced."""

import asyncio
import os
import pathlib
import shutil
import sys
import tempfile
import unittest

from cluster_case import ClusterCase
from servers import is_long, program
from wire import Typist


class Cluster(ClusterCase):
    async def test_pages_of_one_room_meet_on_different_servers(self):
        proxy = await self.three()
        pages = await self.load(proxy, [f"r{number}" for number in range(12)], 6)

        await self.tap_while(pages, lambda: asyncio.sleep(2))

        owners = {await self.owner(f"r{number}") for number in range(12)}
        self.assertGreater(len(owners), 1, "The rooms were all on one server: nothing was tested.")

    async def test_killed_owners(self):
        silence = 2
        proxy = await self.three("--node-silence", f"{silence * 1000}")
        rooms = [f"r{number}" for number in range(20)]
        pages = await self.load(proxy, rooms, 10, "trap", typists=5)

        await self.tap_while(pages, lambda: self.kill_owners(rooms, pages, "trap", silence))

        self.assertGreater(min(page.words for page in pages if isinstance(page, Typist)), 0)

    async def test_killed_owners_of_shared_models(self):
        proxy = await self.three()
        rooms = [f"m{number}" for number in range(10)]
        pages = await self.load(proxy, rooms, 6, "till")

        await self.tap_while(pages, lambda: self.kill_owners(rooms, pages, "model:till"))

        self.assertEqual([page.state["failures"] for page in pages if page.state["failures"]], [])
        for page in pages:
            await page.until(lambda page=page: page.state["answers"] == page.number)
        owners = {await self.owner(room, "model:till") for room in rooms}
        self.assertGreater(len(owners), 1, "The models were all on one server: nothing was tested.")

    async def poisoned(self, is_supervised):
        """One page's input ends whatever server runs it; how many it has ended when it is refused."""
        proxy = await self.three(listener=None, is_supervised=is_supervised)
        rooms = [f"r{number}" for number in range(8)]
        pages = await self.load(proxy, rooms, 6, "trap")

        async def poison():
            await asyncio.sleep(0.5)
            pages[3].input("deadly")
            await pages[3].until(lambda: pages[3].errors)

        taps = await self.tap_while(pages, poison)

        self.assertGreater(taps[pages[3].room], 0)
        self.assertEqual([(page, error["code"]) for page in pages for error in page.errors], [(pages[3], "internal")],
                         [self.explain(node) for node in self.nodes])
        return await self.traps(is_supervised)

    async def traps(self, is_supervised):
        """How many processes have ended by a trap."""
        if is_supervised:
            return sum("unclean end" in line for node in self.nodes for line in node.output)
        return sum(node.process.returncode is not None for node in self.nodes)

    async def test_an_input_that_ends_servers_is_refused_by_the_third(self):
        self.assertEqual(await self.poisoned(is_supervised=True), 2)

    async def test_an_input_that_ends_servers_is_refused_by_the_third_though_none_comes_back(self):
        self.assertEqual(await self.poisoned(is_supervised=False), 2)

    def built(self, seconds):
        """The program as if it was built so many seconds later."""
        if not hasattr(self, "builds"):
            self.builds = tempfile.TemporaryDirectory()
            self.addCleanup(self.builds.cleanup)
        path = pathlib.Path(self.builds.name) / f"build{seconds}"
        if not path.exists():
            shutil.copy(program, path)
            os.utime(path, (os.stat(program).st_mtime + seconds,) * 2)
        return str(path)

    async def replace(self, node, build):
        """Stops a server, which gives its slots away, and starts another build in its place."""
        # As a load balancer does, which asks /readyz while the server waits for --ready-delay.
        self.balancer.ports.remove(node.port)
        await node.stop()
        self.assertTrue(any("drained" in line for line in node.output), self.explain(node))
        node.command[0] = build
        await node.start()
        self.balancer.ports.append(node.port)

    async def test_a_roll_back_loses_nothing(self):
        proxy = await self.three()
        pages = await self.load(proxy, [f"r{number}" for number in range(20)], 10)
        lost = await self.engine.sql("SELECT sum(lost_since) FROM musubi.fence")

        async def roll_back():
            for node in list(self.nodes):
                await self.replace(node, self.built(-60))
            await self.shared_by(3)

        await self.tap_while(pages, roll_back)
        self.assertEqual([page.errors for page in pages if page.errors], [])
        # Each has given its slots to those that stay, and the last one to servers of an older build.
        self.assertEqual(await self.engine.sql("SELECT sum(lost_since) FROM musubi.fence"), lost)

    async def test_one_after_the_other_is_replaced_and_nothing_is_lost(self):
        self.balance_after = 1  # at full speed a page may be back before its server has heard where its room is
        proxy = await self.three()
        pages = await self.load(proxy, [f"r{number}" for number in range(20)], 50 if is_long else 10)

        async def replace():
            for build in range(3 if is_long else 1):
                for node in list(self.nodes):
                    before = [len(page.returns) for page in pages]
                    await self.replace(node, self.built(build + 1))
                    await self.shared_by(3)
                    await asyncio.gather(*(page.until(lambda page=page: page.is_ready) for page in pages))
                    more = [len(page.returns) - count for page, count in zip(pages, before)]
                    print(f"\nreconnects of a page while one server was replaced: {max(more)} at most", file=sys.stderr)
                    self.assertLessEqual(max(more), 2, "as its server ends, and for the new server's share")

        await self.tap_while(pages, replace)
        self.assertEqual([page.errors for page in pages if page.errors], [])


if __name__ == "__main__":
    unittest.main()
