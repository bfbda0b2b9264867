# SPDX-License-Identifier: Apache-2.0
"""Several servers on one database: any of them serves any page, and what was acknowledged stays, whatever ends."""

import asyncio
import os
import pathlib
import re
import shutil
import signal
import sys
import tempfile
import unittest

from cluster_case import ClusterCase, DatabaseWay, RoundRobin
from servers import Server, is_long, program, root
from wire import Typist

test_screens = str(pathlib.Path(program).with_name("musubi-test-screens"))


class Cluster(ClusterCase):
    async def kill_owners(self, rooms, pages, screen="counter", silence=None):
        """Kills a server that has one of the rooms, and starts it again, one after the other."""
        waits = []
        for number in range(100 if is_long else 3):
            await asyncio.sleep(0.3)
            owner = await self.owner(self.random.choice(rooms), screen) or self.nodes[number % 3]
            await owner.kill()
            firsts = asyncio.gather(*(self.first_acknowledgement(page) for page in pages))
            await asyncio.sleep(0.5)
            await owner.start()
            waits.append(max(await firsts))
            await asyncio.gather(*(page.until(lambda page=page: page.is_ready) for page in pages))
        print(f"\n{self._testMethodName}: the last page of {len(pages)} waits {max(waits):.2f} s for its first acknowledgement after a kill", file=sys.stderr)
        if silence:
            self.assertLess(max(waits), 3 * silence)

    async def first_acknowledgement(self, page):
        """After how many seconds a page that sends inputs all the time has the next acknowledgement, what is under way left out."""
        now = asyncio.get_running_loop().time
        began = now()
        await page.until(lambda: page.acknowledged > began + 0.05)
        return page.acknowledged - began

    async def load(self, proxy, rooms, pages_per_room, screen="counter", typists=0):
        """Pages of rooms, so many of which type in each."""
        pages = []
        for room in rooms:
            pages += [await self.page(proxy, screen, room) for _ in range(pages_per_room - typists)]
            for _ in range(typists):
                page = Typist(proxy.port, screen, room, self.random)
                self.addAsyncCleanup(page.close)
                pages.append(await page.open())
        return pages

    async def tap_while(self, pages, disturb):
        """All pages tap, and some type, while something is done to the servers; then each room has exactly its pages' taps and words."""
        taps = dict.fromkeys((page.room for page in pages), 0)
        words = {page.room: [] for page in pages}
        is_over = False

        def act(number):
            page = pages[number]
            if isinstance(page, Typist) and self.random.random() < 0.5:
                if word := page.type(number):
                    words[page.room].append(word)
            elif len(page.unconfirmed) < 20:
                page.input("tap")
                taps[page.room] += 1

        async def load():
            while not is_over:
                act(self.random.randrange(len(pages)))
                await asyncio.sleep(0.001 * self.random.random())

        loading = asyncio.ensure_future(load())
        try:
            await disturb()
        finally:
            is_over = True
            await loading
        await asyncio.gather(*(page.until(lambda page=page: page.is_ready and not page.unconfirmed) for page in pages))
        for page in pages:
            await page.until(lambda page=page: page.state["label"] == str(taps[page.room]))
        self.assertEqual([page.starts for page in pages], [1] * len(pages), "each page keeps its session")
        for page in pages:
            if isinstance(page, Typist):
                await page.until(lambda page=page: len(page.text) == sum(map(len, words[page.room])))
                self.assertEqual(sorted(re.findall("<[^>]*>", page.text)), sorted(words[page.room]))
        texts = {(page.room, page.text) for page in pages if isinstance(page, Typist)}
        self.assertEqual(len(texts), len({room for room, _ in texts}), "the typists of a room see the same text")
        return taps

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

    async def test_shared_models_behind_links_that_are_cut(self):
        links, proxy = await self.three_by_proxies()
        pages = await self.load(proxy, [f"m{number}" for number in range(8)], 6, "till")

        await self.tap_while(pages, lambda: self.cut_links(links))

        self.assertEqual([page.state["failures"] for page in pages if page.state["failures"]], [])

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

    async def test_one_after_the_other_is_replaced_and_nothing_is_lost(self):
        proxy = await self.three()
        pages = await self.load(proxy, [f"r{number}" for number in range(20)], 50 if is_long else 10)

        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)

        def newer(build):
            """The program as if it was built later."""
            path = pathlib.Path(folder.name) / f"build{build}"
            if not path.exists():
                shutil.copy(program, path)
                os.utime(path, (os.stat(program).st_mtime + build,) * 2)
            return str(path)

        async def replace():
            for build in range(3 if is_long else 1):
                for node in list(self.nodes):
                    before = [len(page.returns) for page in pages]
                    # As a load balancer does, which asks /readyz while the server waits for --ready-delay.
                    proxy.ports.remove(node.port)
                    await node.stop()
                    self.assertTrue(any("drained" in line for line in node.output), self.explain(node))
                    node.command[0] = newer(build + 1)
                    await node.start()
                    proxy.ports.append(node.port)
                    await self.shared_by(3)
                    await asyncio.gather(*(page.until(lambda page=page: page.is_ready) for page in pages))
                    more = [len(page.returns) - count for page, count in zip(pages, before)]
                    print(f"\nreconnects of a page while one server was replaced: {max(more)} at most", file=sys.stderr)
                    self.assertLessEqual(max(more), 2, "as its server ends, and for the new server's share")

        await self.tap_while(pages, replace)
        self.assertEqual([page.errors for page in pages if page.errors], [])

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
            for _ in range(20 if is_long else 1):
                await stop_for_a_while()

        await self.tap_while(pages, stop_several_times)
        print(f"\n{self._testMethodName}: {refused} commits were refused", file=sys.stderr)
        self.assertGreater(refused, 0, "Nothing was tested.")

    async def test_a_server_that_cannot_read_who_owns_what_is_taken_for_dead(self):
        """The database refuses one of its connections, and serves those that it has."""
        await self.engine.sql("CREATE ROLE few LOGIN")
        await self.engine.sql("GRANT postgres TO few")
        await self.engine.sql("ALTER ROLE few SET role = 'postgres'")
        blind = await self.server(
            "--cluster", self.engine.url.replace("postgres@", "few@"), "--balance-after", "1", "--ready-delay", "0")
        self.nodes.append(blind)
        for _ in range(2):
            await self.node()
        await self.shared_by(3)
        proxy = await RoundRobin([node.port for node in self.nodes]).start()
        self.addAsyncCleanup(proxy.close)
        pages = await self.load(proxy, [f"r{number}" for number in range(10)], 3)

        async def refuse_a_connection():
            await self.engine.sql("ALTER ROLE few CONNECTION LIMIT 1")
            ended = await self.engine.sql(
                "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
                " WHERE usename = 'few' AND application_name = 'musubi directory'")
            self.assertEqual(ended, "1")
            await blind.said("directory is away")
            self.assertEqual(await blind.ended(), 1, self.explain(blind))
            self.assertTrue(any("store lost" in line for line in blind.output), "The others have told it.")
            await self.shared_by(2)

        await self.tap_while(pages, refuse_a_connection)

    async def test_a_server_cut_off_from_the_database_ends_and_its_pages_go_on_elsewhere(self):
        way = await DatabaseWay(self.engine.folder).start()
        self.addAsyncCleanup(way.cut)
        cut = await self.server("--cluster", way.url, "--balance-after", "1", "--ready-delay", "0")
        self.nodes.append(cut)
        for _ in range(2):
            await self.node()
        await self.shared_by(3)
        proxy = await RoundRobin([node.port for node in self.nodes]).start()
        self.addAsyncCleanup(proxy.close)
        rooms = [f"r{number}" for number in range(12)]
        pages = await self.load(proxy, rooms, 3)
        self.assertIn(cut, [await self.owner(room) for room in rooms], "It has none of the rooms: nothing was tested.")

        async def cut_off():
            await way.cut()
            self.assertEqual(await cut.ended(), 1, self.explain(cut))
            await cut.said("store lost")
            await self.shared_by(2)

        await self.tap_while(pages, cut_off)

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

    async def three_by_proxies(self):
        """Three servers whose links can be cut, and what forwards pages to them in turn."""
        links = []
        for _ in range(3):
            link = await RoundRobin([Server.free_port()]).start()
            self.addAsyncCleanup(link.close)
            links.append(link)
            await self.node("--node-listen", f"127.0.0.1:{link.ports[0]}", "--node-address", f"127.0.0.1:{link.port}")
        await self.shared_by(3)
        proxy = await RoundRobin([node.port for node in self.nodes]).start()
        self.addAsyncCleanup(proxy.close)
        return links, proxy

    async def cut_links(self, links):
        """Cuts some of the links, and slows all down for a while."""
        for _ in range(20 if is_long else 5):
            await asyncio.sleep(0.4)
            self.random.choice(links).cut()
        for link in links:
            link.delay = 0.2
        await asyncio.sleep(2)
        for link in links:
            link.delay = 0

    async def test_links_that_are_cut_and_slow(self):
        links, proxy = await self.three_by_proxies()
        pages = await self.load(proxy, [f"r{number}" for number in range(8)], 6)

        await self.tap_while(pages, lambda: self.cut_links(links))
        self.assertTrue(any(link.next or link.server.sockets for link in links))

    async def test_links_that_carry_one_direction_alone(self):
        links, proxy = await self.three_by_proxies()
        pages = await self.load(proxy, [f"r{number}" for number in range(12)], 6)

        async def lose_one_direction():
            for number in range(20 if is_long else 4):
                link = self.random.choice(links)
                link.lost = ("there", "back")[number % 2]
                await asyncio.sleep(2)
                link.lost = None
                link.cut()  # what was lost is in the middle of frames
                await asyncio.sleep(0.5)

        await self.tap_while(pages, lose_one_direction)
        self.assertEqual([node.process.returncode for node in self.nodes], [None] * 3, "The directory had them all.")

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

    def with_visitors(self):
        """What starts the screens that know who looks at them."""
        return (("--public", str(root / "Tests/Screens/Public")),
            {"program": test_screens, "listener": None})

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
