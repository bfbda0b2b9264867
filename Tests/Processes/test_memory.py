# SPDX-License-Identifier: Apache-2.0
"""One visitor fills rooms with text until the memory is full, and the others do not notice."""

import asyncio
import collections
import sys
import time
import unittest

from case import ProcessCase
from servers import is_long
from wire import Closed, Refused, Wire

attacker, somebody, newcomer = "198.51.100.66", "203.0.113.1", "203.0.113.2"
text = "x" * 60_000


class Memory(ProcessCase):
    async def fill(self, server, count, outcome):
        """Opens one room after the other, writes all that fits into one frame into it, and leaves it."""
        for number in range(count):
            try:
                wire = await Wire.connect(server.port, f"/live/trap?room={number}", address=attacker)
            except Refused as refused:
                outcome[refused.body["code"]] += 1
                continue
            except OSError:
                outcome["closed"] += 1
                continue
            try:
                wire.send({"input": 1, "name": "text", "value": text})
                frame = {}
                while "ack" not in frame:
                    frame = await wire.receive()
                    if "error" in frame:
                        outcome[frame["error"]["code"]] += 1
                outcome["ack"] += 1
            except Closed:
                outcome["closed"] += 1
            wire.abort()

    async def test_rooms_full_of_text_leave_the_memory_to_others(self):
        count, budget = (4_000, 64) if is_long else (600, 32)
        server = await self.server("--loops", "1", "--trust-proxy", "127.0.0.0/8", "--memory", f"{budget}M",
                                   "--sessions-per-second", "unlimited")
        page = await self.page(server, "counter", "calm", somebody)
        waiting = await self.left_page(server, "counter", "waits", somebody)
        before, times, outcome = server.resident, [], collections.Counter()

        attack = asyncio.ensure_future(self.fill(server, count, outcome))
        while not attack.done():
            began = time.monotonic()
            page.input("tap")
            await page.until(lambda: not page.unconfirmed)
            times.append(1000 * (time.monotonic() - began))
        await attack

        grown = server.resident - before
        print(f"\n{count} rooms of {len(text)} bytes: {dict(outcome)}; the server grew by {grown:.0f} MiB of {budget}; "
              f"a bystander's tap takes {sorted(times)[len(times) * 99 // 100]:.1f} ms (p99)", file=sys.stderr)
        # A peer may hold a quarter. What was written is many times the budget.
        self.assertLess(grown, budget, self.explain(server))
        self.assertTrue(any("memory freed" in line for line in server.output), self.explain(server))
        await self.come_back(waiting)
        self.assertEqual((waiting.starts, page.starts), (1, 1), self.explain(server))
        await self.page(server, "counter", "new", newcomer)


if __name__ == "__main__":
    unittest.main()
