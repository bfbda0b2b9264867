# SPDX-License-Identifier: Apache-2.0
"""A store that refuses: a disk that is full, and a file that somebody else has locked."""

import asyncio
import pathlib
import resource
import sqlite3
import unittest

from case import ProcessCase
from servers import Server


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


if __name__ == "__main__":
    unittest.main()
