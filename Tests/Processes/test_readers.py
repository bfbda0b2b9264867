# SPDX-License-Identifier: Apache-2.0
"""Readers that are slow, asleep or dead cost little, delay nobody, and see the newest state when they wake."""

import asyncio
import json
import socket
import time
import unittest

from case import ProcessCase
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
