# SPDX-License-Identifier: Apache-2.0
"""Several servers whose database, links or processors fail: what was acknowledged stays, and a sign-out reaches all of them."""

import asyncio
import os
import pathlib
import shutil
import signal
import sys
import tempfile
import unittest

from cluster_case import ClusterCase, DatabaseWay
from servers import is_long


class ClusterFaults(ClusterCase):
    async def test_shared_models_behind_links_that_are_cut(self):
        links, proxy = await self.three_by_proxies()
        pages = await self.load(proxy, [f"m{number}" for number in range(8)], 6, "till")

        await self.tap_while(pages, lambda: self.cut_links(links))

        self.assertEqual([page.state["failures"] for page in pages if page.state["failures"]], [])

    async def test_a_server_that_stood_still_ends_and_others_have_what_it_had(self):
        proxy = await self.three()
        rooms = [f"r{number}" for number in range(10)]
        pages = await self.load(proxy, rooms, 5)
        refused = 0

        async def stop_for_a_while():
            nonlocal refused
            old = await self.owner("r0")
            left = [await self.page(old, "counter", room) for room in rooms]
            pages.extend(left)
            for page in left:
                page.port = proxy.port  # where it comes back to
            os.kill(old.pid, signal.SIGSTOP)
            proxy.ports.remove(old.port)
            await self.shared_by(2)
            for page in pages:
                if page not in left:  # these do not know, and go on sending
                    page.wire.abort()  # as the page's own heartbeat would
            await asyncio.sleep(0.5)
            os.kill(old.pid, signal.SIGCONT)
            self.assertEqual(await old.ended(), 1, self.explain(old))
            await old.said("store lost")
            refused += sum("commit refused" in line for line in old.output)
            await old.start()
            proxy.ports.append(old.port)
            await self.shared_by(3)

        async def stop_several_times():
            # It finds out by a commit of what its pages have sent meanwhile, or the others tell it first.
            for number in range(20):
                if is_long or number == 0 or not refused:
                    await stop_for_a_while()

        await self.tap_while(pages, stop_several_times)
        print(f"\n{self._testMethodName}: {refused} commits were refused", file=sys.stderr)
        self.assertGreater(refused, 0, "Nothing was tested.")

    async def test_a_server_that_stood_still_and_hears_of_nothing_stores_nothing(self):
        """It has the connections by which it writes and reads, and nobody tells it: what it wants to store is refused."""
        links, proxy = await self.three_by_proxies()
        rooms = [f"r{number}" for number in range(10)]
        pages = await self.load(proxy, rooms, 3)

        async def stop_for_a_while():
            old = await self.owner("r0")
            role = f"node{self.nodes.index(old)}"
            left = [await self.page(old, "counter", room) for room in rooms]
            pages.extend(left)
            for page in left:
                page.port = proxy.port  # where it comes back to
            for link in links:
                link.lost = ("there", "back")
            os.kill(old.pid, signal.SIGSTOP)
            proxy.ports.remove(old.port)
            await self.shared_by(2)
            await self.engine.sql(f"ALTER ROLE {role} CONNECTION LIMIT 0")
            ended = await self.engine.sql(
                "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
                f" WHERE usename = '{role}' AND application_name <> 'musubi'")
            self.assertGreaterEqual(int(ended), 2)
            for page in pages:
                if page not in left:
                    page.wire.abort()
            os.kill(old.pid, signal.SIGCONT)
            await asyncio.wait_for(old.said("commit refused"), 60)
            await asyncio.sleep(1)
            self.assertIsNone(old.process.returncode, "It goes on.")
            await self.engine.sql(f"ALTER ROLE {role} CONNECTION LIMIT -1")
            for link in links:
                link.lost = ()
                link.cut()
            self.assertEqual(await old.ended(), 1, self.explain(old))
            await old.start()
            proxy.ports.append(old.port)
            await self.shared_by(3)

        async def stop_several_times():
            for _ in range(20 if is_long else 1):
                await stop_for_a_while()

        await self.tap_while(pages, stop_several_times)

    async def test_a_server_that_cannot_read_who_owns_what_is_taken_for_dead(self):
        await self.refused_a_connection("musubi directory", "cannot take what it is given")

    async def test_a_server_that_cannot_store_what_others_could_is_taken_for_dead(self):
        await self.refused_a_connection("musubi", "cannot store what it has")

    async def refused_a_connection(self, name, told):
        """The database refuses one of a server's connections, and serves those that it has."""
        await self.engine.sql("CREATE ROLE few LOGIN")
        await self.engine.sql("GRANT postgres TO few")
        await self.engine.sql("ALTER ROLE few SET role = 'postgres'")
        blind = await self.server(
            "--cluster", self.engine.url.replace("postgres@", "few@"), "--balance-after", "0", "--ready-delay", "0")
        self.nodes.append(blind)
        for _ in range(2):
            await self.node()
        await self.shared_by(3)
        proxy = await self.proxy()
        pages = await self.load(proxy, [f"r{number}" for number in range(10)], 3)

        async def refuse_a_connection():
            await self.engine.sql("ALTER ROLE few CONNECTION LIMIT 1")
            ended = await self.engine.sql(
                "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
                f" WHERE usename = 'few' AND application_name = '{name}'")
            self.assertEqual(ended, "1")
            await blind.said("directory is away", told)
            self.assertEqual(await blind.ended(), 1, self.explain(blind))
            self.assertTrue(any("store lost" in line for line in blind.output), "The others have told it.")
            await self.shared_by(2)

        await self.tap_while(pages, refuse_a_connection)

    async def test_a_server_cut_off_from_the_database_ends_and_its_pages_go_on_elsewhere(self):
        way = await DatabaseWay(self.engine.folder).start()
        self.addAsyncCleanup(way.cut)
        cut = await self.server("--cluster", way.url, "--balance-after", "0", "--ready-delay", "0")
        self.nodes.append(cut)
        for _ in range(2):
            await self.node()
        await self.shared_by(3)
        proxy = await self.proxy()
        rooms = [f"r{number}" for number in range(12)]
        pages = await self.load(proxy, rooms, 3)
        self.assertIn(cut, [await self.owner(room) for room in rooms], "It has none of the rooms: nothing was tested.")

        async def cut_off():
            await way.cut()
            self.assertEqual(await cut.ended(), 1, self.explain(cut))
            await cut.said("store lost")
            await self.shared_by(2)

        await self.tap_while(pages, cut_off)

    async def test_pages_that_return_after_a_kill_cost_no_round_trips_to_the_database(self):
        way = await DatabaseWay(self.engine.folder).start()
        self.addAsyncCleanup(way.cut)
        self.url = way.url
        proxy = await self.three()
        rooms = [f"r{number}" for number in range(20)]
        pages = await self.load(proxy, rooms, 5)

        async def kill_one():
            await asyncio.sleep(0.5)
            owner = await self.owner(rooms[0])
            reads = way.reads
            proxy.ports.remove(owner.port)
            await owner.kill()
            await asyncio.gather(*(self.first_acknowledgement(page) for page in pages))
            # One for each session and room of the killed server would be some thirty.
            self.assertLess(way.reads - reads, 5)

        await self.tap_while(pages, kill_one)

    async def test_a_database_that_is_away_ends_nobody(self):
        proxy = await self.three()
        pages = await self.load(proxy, ["a", "b", "c"], 5)
        pids = [node.pid for node in self.nodes]

        async def stop_and_start():
            await self.engine.tell("stop")
            await asyncio.sleep(30 if is_long else 5)
            for node in self.nodes:
                await self.will_be(node, (503, "starting"))
            await self.engine.tell("start")
            await self.shared_by(3)
            for node in self.nodes:
                await self.will_be(node, (200, "ready"))

        await self.tap_while(pages, stop_and_start)

        self.assertEqual([node.pid for node in self.nodes if node.process.returncode is None], pids)
        self.assertEqual(await self.engine.sql("SELECT max(generation) < 10 FROM musubi.fence"), "t")

    async def test_links_that_are_cut_and_slow(self):
        links, proxy = await self.three_by_proxies()
        pages = await self.load(proxy, [f"r{number}" for number in range(8)], 6)

        await self.tap_while(pages, lambda: self.cut_links(links))
        self.assertGreater(sum(link.accepted for link in links), 3, "No link was made again: nothing was tested.")

    async def test_links_that_carry_one_direction_alone(self):
        links, proxy = await self.three_by_proxies()
        pages = await self.load(proxy, [f"r{number}" for number in range(12)], 6)

        async def lose_one_direction():
            for number in range(20 if is_long else 4):
                link = self.random.choice(links)
                link.lost = (("there", "back")[number % 2],)
                await asyncio.sleep(2)
                link.lost = ()
                link.cut()  # what was lost is in the middle of frames
                await asyncio.sleep(0.5)

        await self.tap_while(pages, lose_one_direction)
        self.assertEqual([node.process.returncode for node in self.nodes], [None] * 3, "The directory had them all.")

    async def test_a_server_without_links_says_so_and_serves_its_own_rooms(self):
        links, proxy = await self.three_by_proxies()
        # The others dial the one whose number is the highest.
        address = (await self.engine.sql("SELECT address FROM musubi.node ORDER BY id DESC LIMIT 1"))
        number = next(index for index, link in enumerate(links) if address.endswith(f":{link.port}"))
        alone = self.nodes[number]
        self.assertTrue(any("no standby" in line for line in alone.output))
        rooms = [f"r{number}" for number in range(12)]
        pages = await self.load(proxy, rooms, 2)
        owners = [await self.owner(room) for room in rooms]
        self.assertIn(alone, owners)

        async def cut_off():
            # A page that has never sent anything is forgotten after 15 seconds, and chance may keep it away for longer.
            await asyncio.gather(*(page.until(lambda page=page: page.acknowledged) for page in pages))
            await links[number].close()
            await alone.said("no links")
            self.assertEqual(await self.readiness(alone), (200, "ready"))
            # Each page comes back until it meets the server of its room, whichever that is.
            await asyncio.gather(*(page.until(lambda page=page: page.is_ready) for page in pages))
            await links[number].start(links[number].port)
            await alone.said("links are back")

        await self.tap_while(pages, cut_off)
        self.assertEqual([node.process.returncode for node in self.nodes], [None] * 3)

    async def test_a_server_that_has_a_copy_of_its_folder_beside_it_says_why_it_ends(self):
        first = await self.node()
        await self.shared_by(1)
        page = await self.left_page(first, "counter", "tea")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        shutil.copy(pathlib.Path(first.data) / "node", folder.name)

        second = await self.node(data=folder.name)
        self.assertEqual(await first.ended(), 1)
        self.assertTrue(any("same data folder" in line for line in first.output), self.explain(first))
        await self.shared_by(1)
        page.port = second.port
        await self.come_back(page)
        await self.agree(page, lambda: page.state["label"], "1")
        self.assertFalse(any("same data folder" in line for line in second.output))

    async def test_promotions_of_a_standby(self):
        await self.engine.tell("standby")
        self.url = self.engine.either
        proxy = await self.three()
        pages = await self.load(proxy, [f"r{number}" for number in range(12)], 5)

        async def promote():
            for _ in range(20 if is_long else 2):
                await asyncio.sleep(0.5)
                await self.engine.tell("promote")
                await self.engine.tell("standby")
                await self.shared_by(3)

        await self.tap_while(pages, promote)
        self.assertEqual([node.process.returncode for node in self.nodes], [None] * 3, "Nobody is taken for dead.")
        self.assertFalse(any("no standby" in line for node in self.nodes for line in node.output))

    async def test_a_sign_out_reaches_all_servers(self):
        options, settings = self.with_visitors()
        proxy = await self.three(*options, **settings)
        await self.shared_by(3)
        rooms = [f"r{number}" for number in range(12)]
        ann = [await self.visitor(proxy, "visitor=ann", room) for room in rooms for _ in range(2)]
        bob = [await self.visitor(proxy, "visitor=bob", room) for room in rooms]
        for page in ann + bob:
            page.input("tap")
        away = ann[1::4]
        await asyncio.gather(*(page.until(lambda page=page: not page.unconfirmed) for page in ann + bob))
        for page in away:
            await page.close()
        self.assertGreater(len({await self.owner(room, "board") for room in rooms}), 1)

        ann[0].input("leave")
        await bob[0].until(lambda: bob[0].state["left"] == "ann: true")
        stored = await self.engine.sql("SELECT count(*) FROM musubi.record WHERE peer = 'i:ann' AND key NOT LIKE '[%'")
        there = [page for page in ann if page not in away]
        await asyncio.gather(*(page.until(lambda page=page: page.is_ready and page.starts == 2) for page in there))

        self.assertLessEqual(int(stored), len(there), "those that are away have no record")
        for page in there:
            self.assertIn(4005, [closed.code for closed in page.closings])
        for page in away:
            page.is_ready, page.task = False, asyncio.ensure_future(page.stay())
            await page.until(lambda page=page: page.is_ready)
        self.assertEqual([page.starts for page in away], [2] * len(away))
        self.assertEqual([(page.starts, page.closings) for page in bob], [(1, [])] * len(bob))

    async def test_a_sign_out_reaches_what_a_killed_server_has_left(self):
        options, settings = self.with_visitors()
        proxy = await self.three(*options, **settings)
        await self.shared_by(3)
        rooms = [f"r{number}" for number in range(12)]
        ann = [await self.visitor(proxy, "visitor=ann", room) for room in rooms]
        bob = [await self.visitor(proxy, "visitor=bob", room) for room in rooms]
        for page in ann + bob:
            page.input("tap")
        await asyncio.gather(*(page.until(lambda page=page: not page.unconfirmed) for page in ann + bob))
        owners = [await self.owner(room, "board") for room in rooms]
        victim = owners[-1]
        caller = next(number for number, owner in enumerate(owners) if owner is not victim)
        lost = [number for number, owner in enumerate(owners) if owner is victim]
        for number in lost:
            await ann[number].close()
        os.kill(victim.pid, signal.SIGSTOP)  # it hears of nothing any more
        proxy.ports.remove(victim.port)

        ann[caller].input("leave")
        await asyncio.sleep(0.3)
        self.assertEqual(bob[caller].state["left"], "", "The one that stands still has sessions, too.")
        await victim.kill()
        await bob[caller].until(lambda: bob[caller].is_ready and bob[caller].state["left"] == "ann: true")

        for number in lost:
            page = ann[number]
            page.is_ready, page.task = False, asyncio.ensure_future(page.stay())
            await page.until(lambda page=page: page.is_ready)
            self.assertEqual(page.starts, 2, "its session has ended")
            await bob[number].until(lambda number=number: bob[number].is_ready)
        self.assertEqual([page.starts for page in bob], [1] * len(bob), "others' have not")

    async def test_a_sign_out_waits_for_the_database(self):
        options, settings = self.with_visitors()
        await self.three(*options, **settings)
        ann = [await self.visitor(node, "visitor=ann", room) for node in self.nodes for room in ("a", "b", "c")]
        bob = await self.visitor(self.nodes[0], "visitor=bob", "a")
        await self.engine.tell("stop")
        ann[0].input("leave")
        await ann[0].until(lambda: 4005 in [closed.code for closed in ann[0].closings])
        self.assertEqual(bob.state["left"], "")
        await self.engine.tell("start")

        await bob.until(lambda: bob.state["left"] == "ann: true")
        await asyncio.gather(*(page.until(lambda page=page: page.is_ready and page.starts > 1) for page in ann))
        self.assertEqual(bob.starts, 1)

    async def test_a_server_alone_with_the_database_is_waited_for(self):
        alone = await self.server("--store", self.engine.url)
        page = await self.left_page(alone, "counter", "tea")
        with self.assertRaises(AssertionError) as refused:
            await self.node()
        self.assertIn("Another node uses the database alone", str(refused.exception))
        await alone.stop()
        node = await self.node()
        page.port = node.port
        await self.come_back(page)
        self.assertEqual((page.starts, page.state["label"]), (1, "1"))


if __name__ == "__main__":
    unittest.main()
