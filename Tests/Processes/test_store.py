# SPDX-License-Identifier: Apache-2.0
"""A store that refuses: a disk that is full, a file that somebody else has locked, and a budget that is used up."""

import asyncio
import pathlib
import resource
import sqlite3
import unittest

from case import ProcessCase
from servers import Server, is_long
from wire import Refused, Wire


class Store(ProcessCase):
    async def test_a_full_disk_confirms_nothing_and_loses_nothing(self):
        server = await self.server(listener=Server.listening())
        pages = await self.pages(server, 10, "counter", lambda _: "full")
        for page in pages:
            page.input("tap")
        for page in pages:
            await page.until(lambda: not page.unconfirmed)

        # No file may grow: the system's error then is that of a full disk.
        _, hard = resource.prlimit(server.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (1, hard))
        for page in pages:
            page.input("tap")
        await pages[0].until(lambda: pages[0].state["label"] == "20")  # it is shown, and not confirmed
        self.assertEqual({len(page.unconfirmed) for page in pages}, {1})
        resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (hard, hard))
        for page in pages:
            page.input("tap")
        for page in pages:
            await page.until(lambda: not page.unconfirmed)
        await server.kill()
        await server.start()

        late = await self.page(server, "counter", "full")
        self.assertEqual(late.state["label"], "30", self.explain(server))

    async def test_a_kill_while_the_disk_is_full(self):
        server = await self.server(listener=Server.listening())
        page = await self.page(server, "counter", "killed")
        page.input("tap")
        await page.until(lambda: not page.unconfirmed)

        _, hard = resource.prlimit(server.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (1, hard))
        page.input("tap")
        await page.until(lambda: page.state["label"] == "2")
        await server.kill()
        await server.start()
        await page.until(lambda: not page.unconfirmed)
        await page.until(lambda: page.state["label"] == "2")  # sent again, and counted once

        self.assertEqual(page.starts, 1)

    async def test_a_file_that_another_process_has_locked_is_waited_for(self):
        server = await self.server(listener=Server.listening())
        page = await self.page(server, "counter", "busy")
        page.input("tap")
        await page.until(lambda: not page.unconfirmed)
        await server.kill()

        other = sqlite3.connect(pathlib.Path(server.data) / "sessions.sqlite", isolation_level=None)
        self.addCleanup(other.close)
        other.execute("BEGIN EXCLUSIVE")
        starting = asyncio.ensure_future(server.start())
        await asyncio.sleep(0.5)
        self.assertFalse(starting.done(), "it waits for the file")
        other.execute("ROLLBACK")
        other.close()
        await starting
        await page.until(lambda: len(page.returns) > 1 and page.is_ready)

        self.assertEqual((page.state["label"], page.starts), ("1", 1))

    def size(self, server):
        return sum(file.stat().st_size for file in pathlib.Path(server.data).glob("sessions.sqlite*"))

    async def write(self, server, room):
        """A page of a room that holds 60,000 characters, when all of them are stored."""
        page = await self.page(server, "trap", room)
        page.input("text", value="x" * 60_000)
        await page.until(lambda: not page.unconfirmed)
        return page

    async def test_a_used_up_budget_ends_what_nobody_shows_and_each_start_comes_up(self):
        server = await self.server("--data-limit", "2M", "--loops", "1", "--sessions-per-second", "unlimited", listener=Server.listening())
        shown = await self.page(server, "counter", "shown")
        shown.input("tap")
        most = 0
        for number in range(200):
            await (await self.write(server, f"left-{number}")).close()
            most = max(most, self.size(server))
        await shown.until(lambda: not shown.unconfirmed)

        # 12 MB were written; the log of the file has up to 4 MiB beside it.
        self.assertLess(most, 9 * 2**20, "its space is given back")
        await server.said("store shed")
        for count in range(100 if is_long else 8):
            await server.kill()
            await server.start()
            await shown.until(lambda: len(shown.returns) > count + 1 and shown.is_ready)
            shown.input("tap")
            await shown.until(lambda: not shown.unconfirmed)
        self.assertEqual((shown.starts, shown.state["label"]), (1, "101" if is_long else "9"), self.explain(server))
        await server.kill()
        file = sqlite3.connect(pathlib.Path(server.data) / "sessions.sqlite")
        self.addCleanup(file.close)
        sizes = file.execute("SELECT sum(bytes) FROM record").fetchone()
        self.assertLess(sizes[0], 2 * 2**20)
        self.assertGreater(sizes[0], 2**20, "no more than necessary")

    async def test_a_used_up_budget_refuses_new_pages_and_keeps_who_is_shown(self):
        server = await self.server("--data-limit", "2M", "--loops", "1", "--sessions-per-second", "unlimited", listener=Server.listening())
        pages = []

        async def enter():
            (await Wire.connect(server.port, "/live/counter?room=newcomer")).abort()

        status = None
        while status is None and len(pages) < 60:
            try:
                await enter()
                pages.append(await asyncio.wait_for(self.write(server, f"{len(pages)}"), 10))
            except Refused as refused:
                status = refused.args[0]
            except TimeoutError:
                pass  # there was no space for it; the next one is told so
        self.assertIn(" 503 ", status)
        self.assertGreater(len(pages), 15)
        for page in pages:
            page.input("tap")
        for page in pages:
            await page.until(lambda: not page.unconfirmed and page.state["label"] == "1")
            self.assertEqual(page.starts, 1, self.explain(server))

        for page in pages[3:]:
            await page.close()
        for _ in range(600):
            try:
                await enter()
                break
            except Refused:
                await asyncio.sleep(0.1)
        else:
            self.fail("what was left makes space for new pages")


if __name__ == "__main__":
    unittest.main()
