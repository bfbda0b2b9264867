# SPDX-License-Identifier: Apache-2.0
"""Readers that are slow, asleep or dead cost little, delay nobody, and see the newest state when they wake."""

import asyncio
import json
import pathlib
import random
import shutil
import socket
import sys
import tempfile
import time
import unittest

from case import ProcessCase
from servers import root
from wire import Closed


class SilentReader:
    """A page that shows the counter and reads nothing, until it wakes."""

    def __init__(self, port, room):
        self.socket = socket.socket()
        self.socket.connect(("127.0.0.1", port))
        self.socket.sendall(
            f"GET /live/counter?room={room} HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n"
            "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
            "\r\n".encode()
        )
        self.socket.settimeout(60)

    def wake(self, newest):
        """Reads until the newest value is there; returns how many bytes that took."""
        data, count = b"", 0
        wanted = json.dumps(newest).encode()
        while wanted not in data:
            piece = self.socket.recv(65_536)
            assert piece, "the server has given the reader up"
            data, count = data[-100:] + piece, count + len(piece)
        return count


class Readers(ProcessCase):
    async def taps(self, page, count):
        """Taps one after the other's acknowledgement, so that each is a turn of its own; returns the seconds."""
        began = time.monotonic()
        for _ in range(count):
            page.input("tap")
            await page.until(lambda: not page.unconfirmed)
        return time.monotonic() - began

    async def test_a_hundred_readers_that_never_read(self):
        server = await self.server("--dead-after", "600", "--messages-per-second", "unlimited")
        writer = await self.page(server, "counter", "readers")
        watcher = await self.page(server, "counter", "readers")
        alone = await self.taps(writer, 1_000)
        readers = [SilentReader(server.port, "readers") for _ in range(100)]
        for reader in readers:
            self.addCleanup(reader.socket.close)
        early = await self.page(server, "counter", "readers")  # it comes after them: all have their snapshot
        await early.close()
        start = server.resident

        crowded = await self.taps(writer, 10_000)

        self.assertLess(server.resident - start, 8, "MiB for readers that read nothing")
        self.assertLess(crowded / 10, 20 * alone, "a tap beside them takes not many times as long")
        await watcher.until(lambda: watcher.state["label"] == "11000")
        read = [await asyncio.to_thread(reader.wake, "11000") for reader in readers]
        self.assertLess(max(read), 600_000, "what the kernel held, then one snapshot: not every update, 740 kB")

    async def test_answers_that_nobody_reads_and_half_heads_cost_little_each(self):
        folder = tempfile.TemporaryDirectory(prefix="musubi-public-")
        self.addCleanup(folder.cleanup)
        public = pathlib.Path(folder.name) / "Public"
        shutil.copytree(root / "Public", public)
        (public / "large.js").write_text("//" + random.Random(1).randbytes(2 << 20).hex())
        count = 500
        head = "GET /large.js HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        # Of a head so much as the server takes; of an answer a piece of 64 KiB.
        for kind, request, limit in (("head", head + "X-Filler: " + "x" * 15_000, 40), ("answer", head + "\r\n", 80)):
            # One of its own each, because what the first has freed would be taken again.
            server = await self.server("--loops", "1", "--public", str(public))
            await self.taps(await self.page(server, "counter"), 3)
            before = server.resident
            for _ in range(count):
                client = socket.socket()
                self.addCleanup(client.close)
                client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
                client.connect(("127.0.0.1", server.port))
                client.sendall(request.encode())
                await asyncio.sleep(0.002)
            await asyncio.sleep(1)  # nothing tells when the server has written what the kernel takes
            each = (server.resident - before) * 1024 / count
            print(f"\n{self._testMethodName}: {each:.1f} KiB for each unread {kind}", file=sys.stderr)
            self.assertLess(each, limit, self.explain(server))
            await self.taps(await self.page(server, "counter"), 3)

    async def test_the_dead_go_and_the_living_stay(self):
        server = await self.server("--dead-after", "3")
        dead, living = await self.page(server, "counter", "dead"), await self.page(server, "counter", "dead")
        dead.wire.answers_pings = False

        await dead.until(lambda: dead.closings)

        self.assertIsInstance(dead.closings[0], Closed)
        await dead.until(lambda: dead.is_ready)
        self.assertEqual(dead.starts, 1, "its session was kept")
        self.assertEqual(living.closings, [])


if __name__ == "__main__":
    unittest.main()
