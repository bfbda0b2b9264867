# SPDX-License-Identifier: Apache-2.0
"""Inputs that come faster than they can be handled are not read; one room does not starve the others."""

import asyncio
import unittest

from case import ProcessCase
from wire import Wire, frame


class Overload(ProcessCase):
    async def test_a_room_that_burns_time_does_not_starve_the_others(self):
        server = await self.server("--loops", "1")
        hogs = await self.pages(server, 4, "burn", lambda _: "hog")
        calm = await self.page(server, "counter", "calm")

        for _ in range(50):
            for hog in hogs:
                hog.input("burn", value=20)
        for count in range(1, 21):
            calm.input("tap")
            await calm.until(lambda: calm.state["label"] == str(count))

        self.assertLess(hogs[0].state["count"], 150, "the calm room was served while the other burnt")
        left = [len(hog.unconfirmed) for hog in hogs]
        self.assertLess(max(left) - min(left), 12, f"the hog's pages are served in rotation: {left}")
        for hog in hogs:
            await hog.until(lambda: not hog.unconfirmed)
        await hogs[0].until(lambda: hogs[0].state["count"] == 200)

    async def test_a_long_turn_is_told(self):
        server = await self.server("--loops", "1")
        hog = await self.page(server, "burn")

        hog.input("burn", value=300)
        await hog.until(lambda: not hog.unconfirmed)
        await server.stop()

        lines = [line for line in server.output if "long iteration" in line]
        self.assertEqual(len(lines), 1, lines)
        self.assertGreaterEqual(int(lines[0].rsplit("milliseconds=", 1)[1]), 300)
        lines = [line for line in server.output if "long turn" in line]
        self.assertEqual(len(lines), 1, lines)
        for field in ("screen=burn", "room=lobby", f"session={hog.session[:6]}", "input=burn", "number=1"):
            self.assertIn(field, lines[0])

    async def test_a_flood_is_not_read(self):
        server = await self.server("--messages-per-second", "500")
        calm = await self.page(server, "counter", "calm")
        wire = await Wire.connect(server.port, "/live/counter?room=flood")
        self.addCleanup(wire.abort)
        start = server.resident
        sender = wire.writer.get_extra_info("socket").dup()
        self.addCleanup(sender.close)
        sender.setblocking(False)
        flood = b"".join(frame(1, b'{"input":%d,"name":"tap"}' % number) for number in range(1, 400_000))

        sent, idle = 0, 0
        while sent < len(flood) and idle < 20:  # until the kernel takes nothing more for a while
            try:
                sent, idle = sent + sender.send(flood[sent : sent + 65_536]), 0
            except BlockingIOError:
                idle += 1
                await asyncio.sleep(0.02)

        self.assertLess(sent, len(flood), "the server reads no faster than it may")
        self.assertLess(server.resident - start, 8, "MiB for what one page sent")
        calm.input("tap")
        await calm.until(lambda: calm.state["label"] == "1")


if __name__ == "__main__":
    unittest.main()
