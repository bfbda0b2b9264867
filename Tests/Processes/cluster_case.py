# SPDX-License-Identifier: Apache-2.0
"""What the tests of several servers on one database have in common."""

import asyncio
import contextlib
import pathlib
import re
import sys
import tempfile

from case import EngineCase
from servers import Server, is_long, program, root
from wire import Page, Typist

test_screens = str(pathlib.Path(program).with_name("musubi-test-screens"))


class RoundRobin:
    """Forwards connections to several ports in turn; one that nobody listens at is passed over."""

    def __init__(self, ports):
        self.ports, self.next, self.links = list(ports), 0, set()
        self.accepted = 0
        self.delay = 0
        self.lost = ()  # "there", "back": what is sent that way is lost

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
        self.accepted += 1
        self.links.add(writer)
        far_writer = None
        try:
            far_reader, far_writer = await self.target()
            self.links.add(far_writer)
            tasks = [asyncio.ensure_future(self.pump(*ends)) for ends in (("there", reader, far_writer), ("back", far_reader, writer))]
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

    async def pump(self, way, reader, writer):
        while data := await reader.read(65_536):
            if way in self.lost:
                continue
            if self.delay:
                await asyncio.sleep(self.delay)
            writer.write(data)
            await writer.drain()


class DatabaseWay:
    """Forwards connections to a test's database, by a socket in a folder of its own, until it is cut."""

    name = ".s.PGSQL.5432"

    def __init__(self, folder):
        self.far, self.folder, self.links = f"{folder}/{self.name}", tempfile.TemporaryDirectory(prefix="musubi-way-"), set()
        self.reads = 0  # what loops have asked of it

    async def start(self):
        self.server = await asyncio.start_unix_server(self.accept, f"{self.folder.name}/{self.name}")
        return self

    @property
    def url(self):
        return f"postgres://postgres@/postgres?host={self.folder.name}"

    async def cut(self):
        """Loses all connections, and takes no others."""
        self.server.close()
        for writer in self.links:
            writer.transport.abort()
        await self.server.wait_closed()

    async def accept(self, reader, writer):
        far_reader, far_writer = await asyncio.open_unix_connection(self.far)
        self.links |= {writer, far_writer}
        both = [asyncio.ensure_future(work) for work in (self.ask(reader, far_writer), self.pump(far_reader, writer))]
        await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        for task in both:
            task.cancel()
        await asyncio.gather(*both, return_exceptions=True)
        for end in (writer, far_writer):
            self.links.discard(end)
            end.transport.abort()

    async def ask(self, reader, writer):
        is_reader = None  # each connection says first whose it is
        while data := await reader.read(65_536):
            is_reader = b"musubi reader" in data if is_reader is None else is_reader
            self.reads += is_reader
            writer.write(data)
            await writer.drain()

    async def pump(self, reader, writer):
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()


class ClusterCase(EngineCase):
    async def asyncSetUp(self):
        await super().asyncSetUp()
        self.nodes, self.url = [], self.engine.url
        self.balance_after = 0  # slots go to a new server at once, as fast as they can

    async def node(self, *options, start=True, **settings):
        """A server among others; its port stays its own over restarts."""
        settings = {"listener": Server.listening()} | settings if "listener" not in settings else settings
        server = await self.server(
            "--cluster", self.url, "--balance-after", str(self.balance_after), "--ready-delay", "0", *options, start=start, **settings)
        self.nodes.append(server)
        return server

    async def three(self, *options, **settings):
        """Three servers that share the slots, and what forwards pages to them in turn."""
        await asyncio.gather(*(self.node(*options, **settings) for _ in range(3)))
        await self.shared_by(3)
        return await self.proxy()

    async def proxy(self):
        """What forwards pages to all servers in turn."""
        self.balancer = await RoundRobin([node.port for node in self.nodes]).start()
        self.addAsyncCleanup(self.balancer.close)
        return self.balancer

    async def shared_by(self, count, time_limit=60, difference=2):
        """Waits until so many nodes have all slots among them, none of them much more than the others; with a difference of 2 none goes
        elsewhere from then on, so that no page is sent away."""
        async def wait():
            while True:
                rows = await self.engine.sql(
                    "SELECT count(*) FROM musubi.fence f JOIN musubi.node n ON n.id = f.node GROUP BY f.node")
                counts = [int(row) for row in rows.split()]
                if len(counts) == count and sum(counts) == 4096 and max(counts) - min(counts) <= difference:
                    return
                await asyncio.sleep(0.1)
        await asyncio.wait_for(wait(), time_limit)

    async def readiness(self, server):
        """What a server answers to `/readyz`: the status and the word."""
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(b"GET /readyz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        head, _, body = (await asyncio.wait_for(reader.read(), 10)).decode().partition("\r\n\r\n")
        writer.close()
        return int(head.split(" ")[1]), body.strip()

    async def will_be(self, server, readiness, time_limit=30):
        """Waits until a server answers that to `/readyz`."""
        async def wait():
            while await self.readiness(server) != readiness:
                await asyncio.sleep(0.1)
        await asyncio.wait_for(wait(), time_limit)

    async def owner(self, room, screen="counter"):
        """The server that has a room."""
        found = await self.engine.sql(
            "SELECT n.address FROM musubi.record r JOIN musubi.fence f ON f.slot = r.slot JOIN musubi.node n ON n.id = f.node"
            f" WHERE r.key LIKE '%\"{screen}\"%\"{room}\"%' AND r.key LIKE '[%'")
        return next((node for node in self.nodes if any("joined" in line and found in line for line in node.output)), None) if found else None

    async def visitor(self, server, cookie, room, screen="board"):
        page = Page(server.port, screen, room, self.random)
        page.cookie = cookie
        self.addAsyncCleanup(page.close)
        return await page.open()

    async def kill_owners(self, rooms, pages, screen="counter", silence=None):
        """Kills a server that has one of the rooms, and starts it again, one after the other."""
        waits = []
        typists = [page for page in pages if isinstance(page, Typist)]

        def type_on():
            for page in typists:
                page.allowance = 1 if is_long else 10

        for number in range(100 if is_long else 3):
            type_on()
            await asyncio.sleep(0.3)
            owner = await self.owner(self.random.choice(rooms), screen) or self.nodes[number % 3]
            # The test has its port for it, where nobody would answer.
            self.balancer.ports.remove(owner.port)
            await owner.kill()
            type_on()
            firsts = asyncio.gather(*(self.first_acknowledgement(page) for page in pages))
            # Nothing but its silence tells the others that it has gone. Its next process says soon enough that no input has ended it.
            await asyncio.sleep((silence or 1.2) + 0.5)
            await owner.start()
            self.balancer.ports.append(owner.port)
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
        anew = [(page.room, page.errors, page.closings[-8:]) for page in pages if page.starts > 1]
        self.assertEqual(anew, [], f"each page keeps its session; seed {self.seed}")
        for page in pages:
            # What a shared model has comes behind the first frame of a restored screen.
            await self.agree(page, lambda page=page: page.state.get("label"), str(taps[page.room]))
        for page in pages:
            if isinstance(page, Typist):
                await self.agree(page, lambda page=page: sorted(re.findall("<[^>]*>|.", page.text)), sorted(words[page.room]))
        texts = {(page.room, page.text) for page in pages if isinstance(page, Typist)}
        self.assertEqual(len(texts), len({room for room, _ in texts}), "the typists of a room see the same text")
        return taps

    async def three_by_proxies(self):
        """Three servers whose links can be cut, and what forwards pages to them in turn; each has a role of its own in the database."""
        links = []
        for number in range(3):
            role = f"node{number}"
            await self.engine.sql(f"CREATE ROLE {role} LOGIN; GRANT postgres TO {role}; ALTER ROLE {role} SET role = 'postgres'")
            self.url = self.engine.url.replace("postgres@", f"{role}@")
            link = await RoundRobin([Server.free_port()]).start()
            self.addAsyncCleanup(link.close)
            links.append(link)
            await self.node("--node-listen", f"127.0.0.1:{link.ports[0]}", "--node-address", f"127.0.0.1:{link.port}")
        await self.shared_by(3)
        return links, await self.proxy()

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

    def with_visitors(self):
        """What starts the screens that know who looks at them."""
        return (("--public", str(root / "Tests/Screens/Public")),
            {"program": test_screens, "listener": None})
