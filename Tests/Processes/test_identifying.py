# SPDX-License-Identifier: Apache-2.0
"""An application that takes its time to say who somebody is, over real sockets."""

import asyncio
import json
import pathlib
import unittest

import servers
from case import ProcessCase
from wire import Closed, Page, Refused, Wire

screens = str(pathlib.Path(servers.program).with_name("musubi-test-screens"))


class Identifying(ProcessCase):
    async def start(self, *options):
        public = servers.root / "Tests/Screens/Public"
        return await self.server("--loops", "1", "--public", str(public), *options, program=screens)

    def visitor(self, server, cookie, screen="account", address=None):
        page = Page(server.port, screen, None, self.random)
        page.cookie, page.address = cookie, address
        self.addAsyncCleanup(page.close)
        return page

    async def refusal(self, page):
        with self.assertRaises(Refused) as refused:
            wire = await page.connect()
            await wire.receive()
        return refused.exception

    async def get(self, server, cookie, path="/live/account"):
        """The answer to a plain request: its status and its JSON."""
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(
            f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {cookie}\r\nConnection: close\r\n\r\n".encode())
        head, body = (await reader.read()).split(b"\r\n\r\n", 1)
        writer.close()
        return int(head.split(b" ")[1]), json.loads(body)

    async def test_a_slow_answer_keeps_nobody_else_of_the_loop_waiting(self):
        server = await self.start()
        slow = [asyncio.create_task(self.visitor(server, f"visitor=ann{number}; slow=3000").open()) for number in range(10)]
        quick = await self.visitor(server, "visitor=bob").open()
        for _ in range(20):
            quick.input("tap")
        await quick.until(lambda: quick.state["taps"] == "20")
        self.assertFalse(any(task.done() for task in slow), "nobody was slow")

        for number, task in enumerate(slow):
            self.assertEqual((await task).state["who"], f"ann{number}")

    async def test_who_is_not_known_in_time_is_told_to_come_back(self):
        server = await self.start("--identify-timeout", "1")
        refused = await self.refusal(self.visitor(server, "visitor=ann; slow=30000"))
        self.assertIn(" 503 ", str(refused))
        self.assertEqual(refused.body["code"], "timed-out")
        status, body = await self.get(server, "visitor=ann; slow=30000")
        self.assertEqual((status, body), (503, refused.body))
        # The end of the connection says when.
        wire = await Wire.connect(server.port, "/live/account", cookie="visitor=ann; slow=30000")
        while not (first := await wire.reader.readexactly(2))[0] & 8:
            await wire.reader.readexactly(int.from_bytes(await wire.reader.readexactly(2), "big") if first[1] == 126 else first[1])
        self.assertEqual(await wire.reader.readexactly(first[1]), (4007).to_bytes(2, "big") + b"10000 ms, then come back: timed-out")
        wire.abort()

    async def test_a_log_in_is_named_in_plain_http_and_in_a_frame(self):
        server = await self.start()
        refused = await self.refusal(self.visitor(server, None, "journal"))
        self.assertTrue(refused.is_late)
        self.assertEqual(refused.body, {"code": "not-authorized", "message": "Please log in.", "logIn": "/login.html"})
        self.assertEqual(await self.get(server, "a=b", "/live/journal"), (401, refused.body))
        self.assertEqual((await self.get(server, "visitor=ann", "/live/journal"))[0], 426)

    async def test_one_address_has_so_many_questions_under_way_and_another_is_served(self):
        server = await self.start("--trust-proxy", "127.0.0.1/32")
        cookie = "visitor=ann; slow=4000"
        waiting = [
            await Wire.connect(server.port, "/live/account", cookie=cookie, address="192.0.2.1") for _ in range(32)]
        refused = await self.refusal(self.visitor(server, cookie, address="192.0.2.1"))
        self.assertIn(" 503 ", str(refused))
        self.assertEqual(refused.body["code"], "busy")
        other = await self.visitor(server, "visitor=bob", address="192.0.2.2").open()
        self.assertEqual(other.state["who"], "bob")
        for wire in waiting:
            self.assertIn("hello", await wire.receive())
            wire.abort()

    async def test_pages_that_go_while_they_wait_leave_no_place_taken(self):
        server = await self.start("--trust-proxy", "127.0.0.1/32", "--max-connections-per-peer", "1")
        for _ in range(4):
            # An address has eight places.
            wires = [
                await Wire.connect(server.port, "/live/account", cookie="visitor=ann; slow=300", address="192.0.2.1")
                for _ in range(8)]
            for wire in wires:
                wire.abort()
            await asyncio.sleep(1)
        page = await self.visitor(server, "visitor=ann", address="192.0.2.1").open()
        self.assertEqual(page.state["who"], "ann")

    async def test_a_stop_waits_for_no_answer(self):
        server = await self.start()
        wire = await Wire.connect(server.port, "/live/account", cookie="visitor=ann; slow=30000")
        asking = asyncio.create_task(self.get(server, "visitor=ann; slow=30000"))
        await asyncio.sleep(0.2)
        stopping = asyncio.create_task(server.stop())
        with self.assertRaises(Closed) as closed:
            await asyncio.wait_for(wire.receive(), 60)
        self.assertEqual(closed.exception.code, 4002)
        self.assertEqual(await stopping, 0)
        with self.assertRaises(ValueError):
            await asking  # no answer

    async def test_a_page_that_comes_back_slowly_goes_on(self):
        server = await self.start()
        page = await self.visitor(server, "visitor=ann; slow=200; valid-for=3").open()
        for _ in range(3):
            closings = len(page.closings)
            page.input("tap")
            await page.until(lambda: len(page.closings) > closings)
        await page.until(lambda: page.is_ready and not page.unconfirmed)
        self.assertEqual({closed.code for closed in page.closings}, {4005})
        self.assertEqual((page.starts, page.state["taps"]), (1, "3"), self.explain(server))


if __name__ == "__main__":
    unittest.main()
