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
from test_metrics import ask, samples
from wire import Closed

head = "GET /large.js HTTP/1.1\r\nHost: 127.0.0.1\r\n"
# Of a head so much as the server takes.
filler = "X-Filler: " + "x" * 15_000


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

    def folder_with_a_large_file(self):
        folder = tempfile.TemporaryDirectory(prefix="musubi-public-")
        self.addCleanup(folder.cleanup)
        public = pathlib.Path(folder.name) / "Public"
        shutil.copytree(root / "Public", public)
        (public / "large.js").write_text("//" + random.Random(1).randbytes(2 << 20).hex())
        return str(public)

    async def test_heads_and_unread_answers_of_one_address_take_a_quarter_of_the_memory_at_most(self):
        public, count, quarter = self.folder_with_a_large_file(), 1_000, 8 << 20
        # What each takes: the connection with a head; and with a piece of its answer.
        for kind, request, each in (("head", head + filler, 18_432), ("answer", head + "\r\n", 18_432 + 65_536)):
            server = await self.server("--loops", "1", "--memory", f"{4 * quarter}", "--public", public, "--admin", "127.0.0.1:0",
                                       prefix=["env", "MUSUBI_COUNTS_LOOPBACK=1"])
            await asyncio.wait_for(server.said("admin http"), 30)
            admin = int(next(line for line in server.output if line.startswith("admin http")).rsplit(":", 1)[1])
            page = await self.page(server, "counter")
            before, clients = server.resident, []
            for _ in range(count):
                client = socket.socket()
                self.addCleanup(client.close)
                client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
                client.bind(("127.0.0.2", 0))
                client.connect(("127.0.0.1", server.port))
                clients.append(client)
                try:
                    client.sendall(request.encode())
                except OSError:
                    pass  # it was closed unheard
                await asyncio.sleep(0.002)
            refused, used = 0, 0
            async with asyncio.timeout(60):
                while refused < count - quarter // each - 1:
                    found = samples((await ask(admin, "/metrics")).text)
                    refused = found.get('musubi_refusals_total{reason="too-much-memory"}', 0)
                    used = found['musubi_budget_used_bytes{loop="0"}']
                    await asyncio.sleep(0.1)
            grown = server.resident - before
            print(f"\n{self._testMethodName}: {used / 2**20:.1f} MiB counted, {grown:.1f} MiB grown, {refused:.0f} of {count} "
                  f"of {kind} refused", file=sys.stderr)
            self.assertLess(used, quarter + 100_000, self.explain(server))
            self.assertGreater(used, quarter * 3 / 4, self.explain(server))
            self.assertLess(grown * 2**20, 2 * quarter, self.explain(server))
            self.assertTrue(any("reason=too-much-memory" in line and "peer=a:127.0.0.2" in line for line in server.output))
            if kind == "answer":
                clients[150].settimeout(30)
                self.assertTrue(clients[150].recv(100).startswith(b"HTTP/1.1 503 "))
            await self.taps(page, 3)
            self.assertEqual((await ask(server.port, "/")).status, 200)
            self.assertEqual(page.starts, 1)

    async def test_answers_that_nobody_reads_and_half_heads_cost_little_each(self):
        public, count = self.folder_with_a_large_file(), 500
        # Of an answer a piece of 64 KiB.
        for kind, request, limit in (("head", head + filler, 40), ("answer", head + "\r\n", 80)):
            # One of its own each, because what the first has freed would be taken again.
            server = await self.server("--loops", "1", "--public", public)
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
