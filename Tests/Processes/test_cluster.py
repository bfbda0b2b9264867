# SPDX-License-Identifier: Apache-2.0
"""Several servers on one database: any of them serves any page, and what was acknowledged stays, whatever ends."""

import asyncio
import contextlib
import hashlib
import json
import os
import pathlib
import re
import signal
import sys
import tempfile
import unittest
import urllib.parse
import urllib.request

from case import ProcessCase
from servers import Engine, Server, is_long, program, root
from wire import Page, Refused, Wire

test_screens, gallery = (str(pathlib.Path(program).with_name(name)) for name in ("musubi-test-screens", "gallery"))


class RoundRobin:
    """Forwards connections to several ports in turn; one that nobody listens at is passed over."""

    def __init__(self, ports):
        self.ports, self.next, self.links = list(ports), 0, set()
        self.delay = 0

    async def start(self, port=0):
        self.server = await asyncio.start_server(self.accept, "127.0.0.1", port)
        self.port = self.server.sockets[0].getsockname()[1]
        return self

    async def close(self):
        self.server.close()
        self.cut()
        await self.server.wait_closed()

    def cut(self):
        """Loses all connections."""
        for writer in self.links:
            writer.transport.abort()

    async def target(self):
        for _ in range(len(self.ports)):
            self.next = (self.next + 1) % len(self.ports)
            with contextlib.suppress(OSError):
                return await asyncio.open_connection("127.0.0.1", self.ports[self.next])
        raise ConnectionRefusedError

    async def accept(self, reader, writer):
        self.links.add(writer)
        far_writer = None
        try:
            far_reader, far_writer = await self.target()
            self.links.add(far_writer)
            tasks = [asyncio.ensure_future(self.pump(*ends)) for ends in ((reader, far_writer), (far_reader, writer))]
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        except OSError:
            pass  # nobody is there
        finally:
            for end in (writer, far_writer):
                if end:
                    self.links.discard(end)
                    end.transport.abort()

    async def pump(self, reader, writer):
        while data := await reader.read(65_536):
            if self.delay:
                await asyncio.sleep(self.delay)
            writer.write(data)
            await writer.drain()


class Cluster(ProcessCase):
    async def asyncSetUp(self):
        await super().asyncSetUp()
        self.engine = Engine()
        missing = await self.engine.start()
        self.addAsyncCleanup(self.engine.close)
        if missing:
            print(f"\nNOT TESTED with PostgreSQL: {missing}", file=sys.stderr)
            self.skipTest(missing)
        self.nodes = []

    async def node(self, *options, start=True, **settings):
        """A server among others; its port stays its own over restarts."""
        settings = {"listener": Server.listening()} | settings if "listener" not in settings else settings
        server = await self.server(
            "--cluster", self.engine.url, "--balance-after", "1", "--ready-delay", "0", *options, start=start, **settings)
        self.nodes.append(server)
        return server

    async def three(self, *options, **settings):
        """Three servers that share the slots, and what forwards pages to them in turn."""
        for _ in range(3):
            await self.node(*options, **settings)
        await self.shared_by(3)
        proxy = await RoundRobin([node.port for node in self.nodes]).start()
        self.addAsyncCleanup(proxy.close)
        return proxy

    async def shared_by(self, count, time_limit=60):
        """Waits until so many nodes have all slots among them, none of them much more than the others."""
        async def wait():
            while True:
                rows = await self.engine.sql(
                    "SELECT count(*) FROM musubi.fence f JOIN musubi.node n ON n.id = f.node GROUP BY f.node")
                counts = [int(row) for row in rows.split()]
                if len(counts) == count and sum(counts) == 4096 and max(counts) - min(counts) <= 410:
                    return
                await asyncio.sleep(0.1)
        await asyncio.wait_for(wait(), time_limit)

    async def owner(self, room, screen="counter"):
        """The server that has a room."""
        found = await self.engine.sql(
            "SELECT n.address FROM musubi.record r JOIN musubi.fence f ON f.slot = r.slot JOIN musubi.node n ON n.id = f.node"
            f" WHERE r.key LIKE '%\"{screen}\"%\"{room}\"%' AND r.key LIKE '[%'")
        return next((node for node in self.nodes if any("joined" in line and found in line for line in node.output)), None) if found else None

    async def kill_owners(self, rooms, pages, screen="counter"):
        """Kills a server that has one of the rooms, and starts it again, one after the other."""
        for number in range(100 if is_long else 3):
            await asyncio.sleep(0.3)
            owner = await self.owner(self.random.choice(rooms), screen) or self.nodes[number % 3]
            await owner.kill()
            await asyncio.sleep(0.5)
            await owner.start()
            await asyncio.gather(*(page.until(lambda page=page: page.is_ready) for page in pages))

    async def load(self, proxy, rooms, pages_per_room, screen="counter"):
        pages = []
        for room in rooms:
            pages += [await self.page(proxy, screen, room) for _ in range(pages_per_room)]
        return pages

    async def tap_while(self, pages, disturb):
        """All pages tap while something is done to the servers; then each room has exactly its pages' taps."""
        taps = dict.fromkeys((page.room for page in pages), 0)
        is_over = False

        async def load():
            while not is_over:
                page = self.random.choice(pages)
                if len(page.unconfirmed) < 20:
                    page.input("tap")
                    taps[page.room] += 1
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
        return taps

    async def test_pages_of_one_room_meet_on_different_servers(self):
        proxy = await self.three()
        pages = await self.load(proxy, [f"r{number}" for number in range(12)], 6)

        await self.tap_while(pages, lambda: asyncio.sleep(2))

        owners = {await self.owner(f"r{number}") for number in range(12)}
        self.assertGreater(len(owners), 1, "The rooms were all on one server: nothing was tested.")

    async def test_killed_owners(self):
        proxy = await self.three()
        rooms = [f"r{number}" for number in range(20)]
        pages = await self.load(proxy, rooms, 10)

        await self.tap_while(pages, lambda: self.kill_owners(rooms, pages))

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
        pages = await self.load(proxy, [f"r{number}" for number in range(20)], 10)

        async def replace():
            for _ in range(3 if is_long else 1):
                for node in list(self.nodes):
                    before = [len(page.returns) for page in pages]
                    await node.stop()
                    self.assertTrue(any("drained" in line for line in node.output), self.explain(node))
                    await node.start()
                    await self.shared_by(3)
                    await asyncio.gather(*(page.until(lambda page=page: page.is_ready) for page in pages))
                    more = [len(page.returns) - count for page, count in zip(pages, before)]
                    print(f"\nreconnects of a page while one server was replaced: {max(more)} at most", file=sys.stderr)
                    self.assertLessEqual(max(more), 3, "for its room, for its connection, and for the new server's share")

        await self.tap_while(pages, replace)
        self.assertEqual([page.errors for page in pages if page.errors], [])

    async def test_a_server_that_stood_still_ends_and_others_have_what_it_had(self):
        proxy = await self.three()
        rooms = [f"r{number}" for number in range(10)]
        pages = await self.load(proxy, rooms, 5)
        old = await self.owner("r0")

        async def stop_for_a_while():
            os.kill(old.pid, signal.SIGSTOP)
            proxy.ports.remove(old.port)
            await self.shared_by(2)
            for page in pages:
                page.wire.abort()  # as the page's own heartbeat would
            await asyncio.sleep(0.5)
            os.kill(old.pid, signal.SIGCONT)
            self.assertEqual(await old.ended(), 1, self.explain(old))
            await old.said("store lost")

        await self.tap_while(pages, stop_for_a_while)

    async def test_a_database_that_is_away_ends_nobody(self):
        proxy = await self.three()
        pages = await self.load(proxy, ["a", "b", "c"], 5)
        pids = [node.pid for node in self.nodes]

        async def stop_and_start():
            await self.engine.tell("stop")
            await asyncio.sleep(30 if is_long else 5)
            await self.engine.tell("start")
            await self.shared_by(3)

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

    def with_visitors(self):
        """What starts the screens that know who looks at them."""
        return (("--public", str(root / "Tests/Screens/Public")),
            {"program": test_screens, "listener": None})

    async def visitor(self, server, cookie, room, screen="board"):
        page = Page(server.port, screen, room, self.random)
        page.cookie = cookie
        self.addAsyncCleanup(page.close)
        return await page.open()

    async def test_a_sign_out_reaches_all_servers(self):
        options, settings = self.with_visitors()
        proxy = await self.three(*options, **settings)
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

    async def ask(self, node, method, path, body=b"", cookie="", **fields):
        """What a server answers to a request."""
        fields = {"Host": "localhost", "Cookie": cookie, "Content-Length": len(body), "Connection": "close"} | fields
        reader, writer = await asyncio.open_connection("127.0.0.1", node.port)
        head = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in fields.items() if value != "")
        writer.write(f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode() + body)
        answer = (await asyncio.wait_for(reader.read(), 30)).decode()
        writer.close()
        return answer

    async def post(self, node, path, fields, cookie=""):
        """What a server answers to a form."""
        form = urllib.parse.urlencode(fields).encode()
        return await self.ask(node, "POST", path, form, cookie, Content_Type="application/x-www-form-urlencoded")

    async def log_in(self, node, **fields):
        """The cookie of a visitor of the gallery."""
        answer = await self.post(node, "/log-in.html", fields)
        self.assertIn("303", answer.splitlines()[0])
        return next(line for line in answer.splitlines() if line.lower().startswith("set-cookie:")).split(None, 1)[1].split(";")[0]

    async def test_any_server_opens_what_another_one_has_sealed(self):
        for _ in range(2):
            await self.node(program=gallery)
        await self.shared_by(2)
        for node in self.nodes:
            cookie = await self.log_in(node, person="Ann")
            for other in self.nodes:
                page = await self.visitor(other, cookie, "q1", "quiz")  # for those who have logged in alone
                self.assertEqual(page.starts, 1)

    async def script(self, url, *names, words=()):
        """Runs scripts against the servers behind an address."""
        process = await asyncio.create_subprocess_exec(
            gallery, "script", "--url", url, "--deadline", "20s", *names, *words, cwd=root,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT)
        said = (await asyncio.wait_for(process.communicate(), 300))[0].decode()
        self.assertEqual(process.returncode, 0, said[-3000:])

    async def test_the_gallerys_screens_behind_one_address(self):
        proxy = await self.three(program=gallery)
        url = f"http://127.0.0.1:{proxy.port}"
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        contents = pathlib.Path(folder.name) / "contents.musubi"
        # What follows ends the server.
        contents.write_text((root / "Tests/Scripts/contents.musubi").read_text().partition("\nkill server")[0] + "\n")
        for name in (root / "Tests/Scripts/board.musubi", contents):
            await self.script(url, str(name))

        await self.engine.tell("stop")
        await self.engine.tell("start")
        for node in self.nodes:
            await node.kill()
            await node.start()
        await self.shared_by(3)
        contents.write_text('open c /contents\nexpect c.contents[0].title = "Second"\nexpect c.contents.count = 1\n')
        await self.script(url, str(contents))

    async def test_a_board_is_there_when_its_room_has_gone(self):
        proxy = await self.three("--room-lifetime", "1", "--session-lifetime", "1", program=gallery)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        script = pathlib.Path(folder.name) / "board.musubi"
        url = f"http://127.0.0.1:{proxy.port}"
        script.write_text("open a /board?room=kept\ntap a.add\nexpect a.cards.count = 1\n"
                          "tap a.add\nexpect a.cards.count = 2\n")
        await self.script(url, str(script))

        async def gone():
            while int(await self.engine.sql("SELECT count(*) FROM musubi.record WHERE key LIKE '%board%kept%'")):
                await asyncio.sleep(0.2)
        await asyncio.wait_for(gone(), 60)
        script.write_text("open a /board?room=kept\nexpect a.cards.count = 2\ntap a.add\nexpect a.cards.count = 3\n")
        await self.script(url, str(script))

    async def test_a_log_in_that_was_ended_is_one_on_all_servers(self):
        for _ in range(2):
            await self.node(program=gallery)
        await self.shared_by(2)
        cookie = await self.log_in(self.nodes[0], person="Ann")
        await self.visitor(self.nodes[1], cookie, "q1", "quiz")
        answer = await self.post(self.nodes[1], "/log-out", {}, cookie)
        self.assertIn("303", answer.splitlines()[0])

        for node in self.nodes:
            with self.assertRaises(Refused):
                await (await Wire.connect(node.port, "/live/quiz?room=q2", cookie=cookie)).receive()

    async def test_a_code_leads_to_its_quiz_from_all_servers(self):
        proxy = await self.three(program=gallery)
        cookie = await self.log_in(self.nodes[0], person="Ann")
        host = await self.visitor(proxy, cookie, "tea", "quiz")
        def shown():
            return host.state.get("scene/code") or host.state["scene"].get("code")
        host.input("host")
        await host.until(shown)
        code = shown()
        async def is_told():
            # Who asks for it too often meanwhile is taken for somebody who guesses.
            while not (await self.engine.sql(f"SELECT 1 FROM gallery.quiz_code WHERE code = '{code}'")).strip():
                await asyncio.sleep(0.1)
        await asyncio.wait_for(is_told(), 60)
        for node in self.nodes:
            self.assertIn("room=tea", await self.post(node, "/quiz/join", {"code": code}, cookie))
        owner = await self.owner("tea", "quiz")
        await owner.kill()
        proxy.ports.remove(owner.port)  # where this test listens on
        proxy.next = 0
        await host.until(lambda: host.is_ready and shown() == code)
        for node in self.nodes:
            if node is not owner:
                self.assertIn("room=tea", await self.post(node, "/quiz/join", {"code": code}, cookie))

    async def part(self, proxy, method, path, body=b"", **fields):
        """What some server answers about an upload: the status, and its fields."""
        head = (await self.ask(proxy, method, path, body, Tus_Resumable="1.0.0", **fields)).split("\r\n\r\n")[0].split("\r\n")
        return int(head[0].split()[1]), {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:])}

    async def test_a_file_that_different_servers_receive(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        proxy = await self.three("--upload-folder", folder.name, program=gallery)
        pages = [await Page(proxy.port, "studio", None, self.random).open() for _ in self.nodes]
        for page in pages:
            self.addAsyncCleanup(page.close)
        data = b"\x89PNG\r\n\x1a\n" + self.random.randbytes(1_500_000)
        address = pages[0].uploads["file"]["to"]
        status, fields = await self.part(proxy, "POST", address, Upload_Length=len(data), Upload_Metadata="filename dGVhLnBuZw==")
        self.assertEqual(status, 201)
        place, offset, size = fields["location"], 0, 200_000
        while offset < len(data):
            status, fields = await self.part(
                proxy, "PATCH", place, data[offset:offset + size], Upload_Offset=offset,
                Content_Type="application/offset+octet-stream")
            self.assertEqual((status, fields["upload-offset"]), (204, str(min(len(data), offset + size))))
            offset += size
            if offset == 800_000:
                victim = self.nodes[proxy.next]  # it has taken the last part
                await victim.kill()
                proxy.ports.remove(victim.port)  # where this test listens on
                proxy.next = 0
                status, fields = await self.part(proxy, "HEAD", place)
                self.assertEqual((status, fields["upload-offset"]), (200, str(offset)))
                status, _ = await self.part(
                    proxy, "PATCH", place, data[:9], Upload_Offset=0, Content_Type="application/offset+octet-stream")
                self.assertEqual(status, 409)
        pages[0].input("file", value=place.rsplit("/", 1)[1])

        def pictures(page):
            return re.findall(r"/studio/pictures/[0-9a-f]+\.png", json.dumps(page.state))
        await asyncio.gather(*(page.until(lambda page=page: page.is_ready and pictures(page)) for page in pages))
        self.assertEqual(pages[0].errors, [])
        await victim.start()
        for node in self.nodes:
            with urllib.request.urlopen(f"http://127.0.0.1:{node.port}{pictures(pages[0])[0]}", timeout=30) as response:
                self.assertEqual(hashlib.sha256(response.read()).digest(), hashlib.sha256(data).digest())

    async def test_who_is_in_a_room_is_told_on_all_servers(self):
        proxy = await self.three(program=gallery)
        rooms = ["a", "b", "c"]

        async def watch(node, room):
            page = Page(node.port, "source", None, self.random)
            page.target = lambda resumes: f"/live/source?screen=note&in={room}" + ("&resume=1" if resumes else "")
            self.addAsyncCleanup(page.close)
            return await page.open()

        async def told(count):
            for page in watchers:
                await page.until(lambda page=page: page.is_ready and page.state["here"] == count)

        watchers = [await watch(node, room) for node in self.nodes for room in rooms]
        guests = [await self.page(proxy, "note", room) for room in rooms for _ in range(4)]
        await told(4)
        for page in guests[::4]:
            await page.close()
        await told(3)

        owner = await self.owner("a", "note")
        await owner.kill()
        await owner.start()
        left = [page for page in guests if page not in guests[::4]]
        await asyncio.gather(*(page.until(lambda page=page: page.is_ready) for page in left))
        await told(3)
        self.assertTrue(all(len(page.returns) > 1 for page in left if page.room == "a"), "they were away")

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
