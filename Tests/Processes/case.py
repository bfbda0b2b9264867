# SPDX-License-Identifier: Apache-2.0
"""What the tests of processes have in common: everything that they open is closed at their end."""

import asyncio
import random
import resource
import sys
import unittest

from servers import Engine, Server, root
from wire import Page


class ProcessCase(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        limit = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit[1], limit[1]))
        asyncio.get_running_loop().set_debug(False)  # thousands of tasks are slow enough
        self.seed = random.randrange(2**32)
        self.random = random.Random(self.seed)

    async def server(self, *options, start=True, **settings):
        server = Server(*options, **settings)
        self.addAsyncCleanup(server.close)
        return await server.start() if start else server

    async def page(self, server, screen, room=None, address=None):
        """A page that is open; `server` may be anything that has a port, such as a proxy."""
        page = Page(server.port, screen, room, self.random)
        page.address = address
        self.addAsyncCleanup(page.close)
        return await page.open()

    async def left_page(self, server, screen, room, address=None):
        """A page whose input was taken, and whose connection is lost: its session waits."""
        page = await self.page(server, screen, room, address)
        page.input("tap")
        await page.until(lambda: not page.unconfirmed)
        page.task.cancel()
        page.wire.abort()
        page.is_ready = False
        return page

    async def come_back(self, page):
        """A page that was left goes on."""
        page.task = asyncio.ensure_future(page.stay())
        await page.until(lambda: page.is_ready)

    async def pages(self, server, count, screen, room=None):
        """Many pages; `room` makes each one's room of its number."""
        pages = []
        for first in range(0, count, 100):  # not more handshakes at a time than the kernel's queue takes
            numbers = range(first, min(first + 100, count))
            opening = (self.page(server, screen, room(number) if room else None) for number in numbers)
            pages += await asyncio.gather(*opening)
        return pages

    async def tap_over(self, count, server, disturb):
        """Fifty pages tap a counter while something is broken and mended so often, and each tap counts once.

        `disturb` may answer with the server that is to go on; the pages come back to it.
        """
        pages = await self.pages(server, 50, "counter", lambda _: "kills")
        taps, is_over = 0, False

        async def load():
            nonlocal taps
            while not is_over:
                page = self.random.choice(pages)
                if len(page.unconfirmed) < 20:
                    page.input("tap")
                    taps += 1
                await asyncio.sleep(0.001 * self.random.random())

        loading = asyncio.ensure_future(load())
        for _ in range(count):
            before = taps
            while taps < before + 100 + self.random.randrange(200):
                await asyncio.sleep(0.005)  # the load goes on; the kill comes at no special moment
            server = await disturb() or server
            for page in pages:
                if page.port != server.port:
                    page.port = server.port
                    page.is_ready = False
                    page.wire.abort()
            await asyncio.gather(*(page.until(lambda page=page: page.is_ready) for page in pages))
        is_over = True
        await loading
        await asyncio.gather(*(page.until(lambda page=page: not page.unconfirmed) for page in pages))

        late = await self.page(server, "counter", "kills")
        self.assertEqual(late.state["label"], str(taps), f"LOST: {self.explain(server)}")
        self.assertEqual([page.starts for page in pages], [1] * 50)
        for page in pages:
            await self.agree(page, lambda page=page: page.state["label"], str(taps))
        return server

    async def agree(self, page, shown, expected):
        """Waits until a page shows what was acknowledged, all of it and once; nothing else is on its way."""
        try:
            await page.until(lambda: shown() == expected)
        except TimeoutError:
            self.fail(f"LOST: a page shows {shown()!r}, and {expected!r} was acknowledged; seed {self.seed}")

    async def beside(self, server, attack):
        """The outcome of an attack, beside which somebody's page goes on: the loop makes none of its inputs wait long.

        The attack waits in `self.pace()` as often as it likes, so that it lasts as long as 200 taps. What the loop has worked until the page has the acknowledgement is the most that it can have worked before.
        """
        def p99(taps):
            return [sorted(column)[len(taps) * 99 // 100] for column in zip(*taps)]

        bystander = await asyncio.create_subprocess_exec(
            sys.executable, str(root / "Tests/Processes/bystander.py"), str(server.port), str(server.pid), "203.0.113.9",
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE)
        self.addAsyncCleanup(bystander.wait)
        self.addCleanup(bystander.stdin.close)
        taps = self.taps = []

        async def read(count):
            while len(taps) < count:
                line = await asyncio.wait_for(bystander.stdout.readline(), 60)
                self.assertTrue(line, f"the bystander's page has ended; {self.explain(server)}")
                taps.append([float(word) for word in line.split()])

        await read(200)
        alone = p99(taps)
        taps.clear()
        attacking = asyncio.ensure_future(attack)
        while not attacking.done():
            await read(len(taps) + 1)
        outcome, meanwhile = await attacking, p99(taps)
        self.assertGreaterEqual(len(taps), 200, "The attack was over before the figure of a bystander says something.")
        print(f"\n{self._testMethodName}: {dict(outcome)}; beside it the loop works {meanwhile[0]:.1f} ms until a bystander's tap "
              f"is acknowledged, {alone[0]:.1f} ms without it (p99 of {len(taps)}); it waits {meanwhile[1]:.1f} and {alone[1]:.1f} ms",
              file=sys.stderr)
        self.assertLessEqual(meanwhile[0], 50, self.explain(server))
        return outcome

    async def pace(self, share):
        """Waits until a bystander has tapped 200 times as this share of the attack is done; an attack may be faster than its figure."""
        while len(self.taps) < 200 * share:
            await asyncio.sleep(0.002)

    def explain(self, server):
        return f"seed {self.seed}; the server said last: {server.output[-8:]}"


class EngineCase(ProcessCase):
    """Tests with a PostgreSQL of their own."""

    async def asyncSetUp(self):
        await super().asyncSetUp()
        self.engine = Engine()
        missing = await self.engine.start()
        self.addAsyncCleanup(self.engine.close)
        if missing:
            print(f"\nNOT TESTED with PostgreSQL: {missing}", file=sys.stderr)
            self.skipTest(missing)
