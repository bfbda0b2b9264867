# SPDX-License-Identifier: Apache-2.0
"""One visitor fills the memory, with what is counted and with what nobody can count, and the others do not notice."""

import asyncio
import collections
import sys
import unittest

from case import ProcessCase
from control_group import ControlGroup
from servers import is_long
from wire import Closed, Refused, Wire, frame

attacker, somebody, newcomer = "198.51.100.66", "203.0.113.1", "203.0.113.2"
text = "x" * 60_000


class Memory(ProcessCase):
    async def fill(self, server, count, target, inputs, pause=0):
        """Opens one page after the other, sends its inputs, and leaves it; counts the answers."""
        outcome = collections.Counter()
        for number in range(count):
            await self.pace((number + 1) / count)
            try:
                wire = await Wire.connect(server.port, target(number), address=attacker)
            except Refused as refused:
                outcome[refused.body["code"]] += 1
                continue
            except OSError:
                outcome["closed"] += 1
                continue
            try:
                for index, words in enumerate(inputs, 1):
                    wire.send({"input": index, **words})
                answer = {}
                while answer.get("ack", 0) < len(inputs):
                    answer = await wire.receive()
                    if "error" in answer:
                        outcome[answer["error"]["code"]] += 1
                outcome["ack"] += 1
            except Closed as closed:
                outcome[f"closed {closed.code}"] += 1
            wire.abort()
            await asyncio.sleep(pause)
        return outcome

    def texts(self, server, count):
        """Writes all that fits into one frame into ever new rooms."""
        return self.fill(server, count, lambda number: f"/live/trap?room={number}", [{"name": "text", "value": text}])

    def hoards(self, server, count):
        """Opens pages whose ViewModels hold 2 MiB each, of which their values do not tell: at most 100 MB in a second."""
        return self.fill(server, count, lambda _: "/live/hoard", [{"name": "tap"}] * 8, pause=0.02)

    async def small_server(self, *options, **settings):
        return await self.server("--loops", "1", "--trust-proxy", "127.0.0.0/8", "--sessions-per-second", "unlimited",
                                 *options, **settings)

    async def survive(self, server, attack):
        """Beside an attack a page goes on, and the server lives; a session that waits and new pages find their place."""
        page = await self.page(server, "counter", "calm", somebody)
        waiting = await self.left_page(server, "counter", "waits", somebody)
        outcome = await self.beside(server, attack)
        self.assertIsNone(server.process.returncode, self.explain(server))
        self.assertTrue(any("memory freed" in line for line in server.output), self.explain(server))
        await self.come_back(waiting)
        self.assertEqual((waiting.starts, page.starts), (1, 1), self.explain(server))
        await self.page(server, "counter", "new", newcomer)
        return outcome

    async def test_rooms_full_of_text_leave_the_memory_to_others(self):
        count, budget = (4_000, 64) if is_long else (600, 32)
        server = await self.small_server("--memory", f"{budget}M")
        before = server.resident

        await self.survive(server, self.texts(server, count))

        grown = server.resident - before
        print(f"the server grew by {grown:.0f} MiB of {budget}", file=sys.stderr)
        # A peer may hold a quarter. What was written is many times the budget.
        self.assertLess(grown, budget, self.explain(server))

    async def test_messages_that_never_end_are_their_visitors(self):
        count = 2_000 if is_long else 300
        server = await self.small_server("--memory", "32M")
        before = server.resident
        wires = []
        closings = collections.Counter()

        async def hold(number):
            try:
                wire = await Wire.connect(server.port, f"/live/counter?room={number}{'&resume=1' if number % 2 else ''}", address=attacker)
                wires.append(wire)
                wire.writer.write(frame(1, b"x" * 60_000)[:-1])
                while True:
                    await wire.receive()
            except Refused as refused:
                closings[refused.body["code"]] += 1
            except Closed as closed:
                closings[closed.code] += 1

        async def attack():
            holding = [asyncio.ensure_future(hold(number)) for number in range(count)]
            for _ in range(600):
                await asyncio.sleep(0.1)
                if len(wires) + closings["full"] >= count and closings[4006] and closings[4006] + closings["full"] >= count // 3:
                    break
            await self.pace(1)
            grown = server.resident - before
            for task in holding:
                task.cancel()
            await asyncio.gather(*holding, return_exceptions=True)
            return collections.Counter(closings, connections=len(wires), megabytes=int(grown))

        outcome = await self.beside(server, attack())
        for wire in wires:
            wire.abort()
        # How many are let in and closed, and how many find no place at all, is a matter of the machine's pace.
        self.assertGreater(outcome[4006], 0, self.explain(server))
        self.assertGreaterEqual(outcome[4006] + outcome["full"], count // 3, self.explain(server))

    async def bounded_server(self, megabytes, *options):
        """A server in a control group with that limit."""
        try:
            group = ControlGroup(megabytes << 20)
        except RuntimeError as error:
            self.skipTest(str(error))
        self.addCleanup(group.close)
        return await self.small_server(*options, prefix=group.entering), group

    async def test_texts_keep_to_a_control_group(self):
        server, group = await self.bounded_server(192)
        await self.survive(server, self.texts(server, 6_000 if is_long else 1_500))
        self.assertEqual(group.kills, 0)

    async def test_texts_keep_to_a_limit_of_the_process(self):
        server = await self.small_server(prefix=["prlimit", f"--data={384 << 20}"])
        await self.survive(server, self.texts(server, 6_000 if is_long else 1_500))

    async def test_what_nobody_counts_keeps_to_a_control_group(self):
        # The budget is much more than there is: only the second guard can help.
        server, group = await self.bounded_server(256, "--memory", "8G")
        await self.survive(server, self.hoards(server, 400))
        self.assertEqual(group.kills, 0)

    async def test_what_nobody_counts_keeps_to_a_limit_of_the_process(self):
        server = await self.small_server("--memory", "8G", prefix=["prlimit", f"--data={512 << 20}"])
        await self.survive(server, self.hoards(server, 400))


if __name__ == "__main__":
    unittest.main()
