# SPDX-License-Identifier: Apache-2.0
"""One visitor wants all of the server, and the others do not notice: floods of handshakes, of room names, of screens."""

import asyncio
import collections
import time
import unittest

from case import ProcessCase
from servers import is_long
from wire import Closed, Refused, Wire

attacker, somebody, newcomer = "198.51.100.66", "203.0.113.1", "203.0.113.2"


class Peers(ProcessCase):
    async def server_behind_a_proxy(self, *options):
        """The visitors of a test are told apart by what their proxy, the test, says of them."""
        return await self.server("--loops", "1", "--trust-proxy", "127.0.0.0/8", *options)

    async def flood(self, server, count, target):
        """Makes many connections, a hundred at a time, and leaves each when it has its answer; counts the answers."""
        answers, numbers = collections.Counter(), iter(range(count))

        async def attack():
            for number in numbers:
                await self.pace((number + 1) / count)
                try:
                    wire = await Wire.connect(server.port, target(number), address=attacker)
                    first = next(iter(await wire.receive()))
                    answers[first] += 1
                    wire.abort()
                except Refused as refused:
                    answers[f"{refused.args[0].split()[1]} {refused.body['code']}"] += 1
                except (Closed, OSError):
                    answers["closed"] += 1

        await asyncio.gather(*(attack() for _ in range(100)))
        return answers

    async def test_25000_handshakes_leave_the_sessions_of_others(self):
        # Without the limit a fifth of the handshakes would end every session that waits.
        count, rate, options = (25_000, 20, []) if is_long else (6_000, 5, ["--max-sessions", "4000"])
        server = await self.server_behind_a_proxy(*options, "--sessions-per-second", str(rate))
        page = await self.page(server, "counter", "calm", somebody)
        waiting = await self.left_page(server, "counter", "waits", somebody)

        began = time.monotonic()
        answers = await self.beside(server, self.flood(server, count, lambda _: "/live/counter?room=flood"))

        self.assertGreater(answers["429 too-many"], 0)
        self.assertGreater(answers["closed"], 0)
        # An address may have eight times what an identity may: ten seconds' sessions at once, and those of the time since.
        self.assertLessEqual(answers["hello"], 8 * rate * (10 + time.monotonic() - began))
        self.assertEqual(sum(answers.values()), count)
        await self.come_back(waiting)
        self.assertEqual((waiting.starts, page.starts), (1, 1), self.explain(server))
        await self.page(server, "counter", "new", newcomer)
        told = [line for line in server.output if "reason=too-many-sessions" in line]
        self.assertGreater(len(told), 0, self.explain(server))
        self.assertTrue(all(f"peer=a:{attacker}" in line for line in told), told)

    async def test_100000_names_of_rooms_are_those_of_one_visitor(self):
        count = 100_000 if is_long else 3_000
        server = await self.server_behind_a_proxy(
            "--max-rooms-per-peer", "50", "--sessions-per-second", "5", "--sessions-at-once", "60")
        page = await self.page(server, "counter", "calm", somebody)

        began = time.monotonic()
        answers = await self.beside(server, self.flood(server, count, lambda number: f"/live/counter?room={number}"))

        # An address may have eight times as many; as many refusals are answered as sessions may begin, before the handshake.
        self.assertEqual(answers["hello"], 400, self.explain(server))
        self.assertGreaterEqual(answers["429 too-many"] + answers["error"], 480)
        self.assertLessEqual(answers["429 too-many"] + answers["error"], 8 * 5 * (12 + time.monotonic() - began))
        # Those whose handshakes were under way together, when the last rooms were taken.
        self.assertLessEqual(answers["error"], 100)
        self.assertGreater(answers["closed"], 0)
        self.assertEqual(sum(answers.values()), count, answers)
        # One line a second tells of both, those before the handshake (reason) and those behind it (code).
        self.assertTrue(any("=too-many-rooms" in line for line in server.output), self.explain(server))
        self.assertTrue(any("closed-unanswered" in line for line in server.output), self.explain(server))
        # A room that is there is found.
        await self.page(server, "counter", "calm", newcomer)
        await self.page(server, "counter", "new", newcomer)
        self.assertEqual(page.starts, 1)

    async def test_a_page_opens_32_screens(self):
        server = await self.server_behind_a_proxy()
        page = await self.page(server, "counter", "calm", somebody)
        wire = await Wire.connect(server.port, "/live/stairs", address=attacker)
        self.addCleanup(wire.abort)
        count = 2_692

        async def climb():
            frames, size, top = collections.Counter(), 0, 0
            for number in range(1, count + 1):
                await self.pace(number / count)
                wire.send({"input": number, "name": "tap", "screen": top})
                acknowledged = 0
                while acknowledged < number:
                    frame = await wire.receive()
                    size += len(str(frame))
                    frames[next(iter(frame))] += 1
                    acknowledged = frame.get("ack", acknowledged)
                    if "screens" in frame:
                        top = frame["screens"][-1]["screen"]
            frames["bytes of all"] = size
            return frames

        frames = await self.beside(server, climb())

        self.assertEqual(frames["screens"], 31)
        self.assertEqual(frames["error"], count - 31)
        self.assertLess(frames["bytes of all"], 1_000_000)

    async def test_left_pages_of_a_shared_list_cost_the_others_nothing(self):
        # Each of them once had the list written, compared and encoded for it at every later visit.
        count = 10_000 if is_long else 1_500
        server = await self.server_behind_a_proxy("--sessions-per-second", "unlimited", "--max-rooms-per-peer", "20000")
        page = await self.page(server, "counter", "calm", somebody)

        async def visit_and_leave():
            outcomes = collections.Counter()
            for number in range(count):
                await self.pace((number + 1) / count)
                wire = await Wire.connect(server.port, "/live/contents", address=attacker)
                # Its session has taken an input, and waits for its page as long as any.
                wire.send({"input": 1, "name": "inputText", "value": f"a text that is not posted, {number}"})
                while (await wire.receive()).get("ack") != 1:
                    pass
                wire.abort()
                outcomes["left"] += 1
            return outcomes

        outcomes = await self.beside(server, visit_and_leave())

        self.assertEqual(outcomes["left"], count, self.explain(server))
        self.assertEqual(page.starts, 1)

    async def test_a_long_path_is_refused(self):
        server = await self.server_behind_a_proxy()
        for target in ("/live/counter?path=/", "/live/counter?resume=1&path=/"):
            with self.subTest(target=target), self.assertRaises(Refused) as refused:
                await Wire.connect(server.port, target + "a" * 2_048, address=attacker)
            self.assertEqual(refused.exception.body["code"], "bad-request")
            wire = await Wire.connect(server.port, target + "a" * 2_047, address=attacker)
            wire.abort()


if __name__ == "__main__":
    unittest.main()
