# SPDX-License-Identifier: Apache-2.0
"""Whose session it is: visitors with cookies on two loops, with a store, over real sockets."""

import asyncio
import json
import pathlib
import unittest

import servers
from case import ProcessCase
from wire import Closed, Page, Refused

screens = str(pathlib.Path(servers.program).with_name("musubi-test-screens"))


class Visitors(ProcessCase):
    async def start(self, *options):
        public = servers.root / "Tests/Screens/Public"
        return await self.server("--loops", "2", "--public", str(public), *options, program=screens)

    def visitor(self, server, cookie, screen="account", room=None):
        page = Page(server.port, screen, room, self.random)
        page.cookie = cookie
        self.addAsyncCleanup(page.close)
        return page

    async def lose(self, page):
        """Takes a page's connection, and keeps it from coming back by itself."""
        await page.close()
        page.is_ready, page.state = False, {}

    async def answer(self, page, target=None):
        """The first answer to a page that resumes, at its own address or at another one."""
        if target:
            page.target = lambda resumes: target + ("&" if "?" in target else "?") + "resume=1"
        wire = await page.connect()
        try:
            return await wire.receive()
        finally:
            wire.abort()

    async def test_a_session_is_not_continued_by_somebody_else_on_any_loop(self):
        server = await self.start()
        for number in range(8):  # the kernel decides which loop accepts
            page = await self.visitor(server, "visitor=ann", "board", f"r{number}").open()
            page.input("tap")
            await page.until(lambda: not page.unconfirmed)
            self.assertEqual(page.state["who"], "ann")
            await self.lose(page)

            page.cookie = "visitor=bob"
            self.assertEqual((await self.answer(page))["error"]["code"], "visitor-changed")
            page.cookie = None
            self.assertEqual((await self.answer(page))["error"]["code"], "visitor-changed")
            page.cookie = "visitor=ann"
            self.assertEqual((await self.answer(page))["resumed"]["visitor"], "gGuTBxmx9IG9AjRk")

    async def test_a_restart_forgets_nobody(self):
        server = await self.start()
        page = await self.visitor(server, "visitor=ann").open()
        await self.lose(page)
        await server.kill()
        await server.start()

        page.cookie = "visitor=bob"
        self.assertEqual((await self.answer(page))["error"]["code"], "visitor-changed", self.explain(server))
        page.cookie = "visitor=ann; rights=write"
        await page.open()
        page.input("tap")
        await page.until(lambda: not page.unconfirmed)
        self.assertEqual((page.starts, page.state["rights"]), (1, "write"))

    async def test_a_token_is_good_at_its_own_addresses_alone(self):
        server = await self.start()
        for target in ("/live/board?room=r1", "/live/account?path=/elsewhere"):
            page = await self.visitor(server, "visitor=ann").open()
            await self.lose(page)
            self.assertEqual((await self.answer(page, target))["error"]["code"], "session-unknown")
        page = await self.visitor(server, "visitor=ann", "board", "r1").open()
        await self.lose(page)
        self.assertEqual((await self.answer(page, "/live/board?room=r2"))["error"]["code"], "session-unknown")
        self.assertIn("resumed", await self.answer(page, "/live/board?room=r1"))

    async def test_a_right_that_was_taken_away_is_gone_at_every_address(self):
        server = await self.start()
        page = await self.visitor(server, "visitor=ann", "board", "r1").open()
        await self.lose(page)

        page.cookie = "visitor=ann; denied=board"
        with self.assertRaises(Refused) as refused:
            await self.answer(page)
        self.assertEqual(refused.exception.body["message"], "You may no longer see board.")
        self.assertEqual((await self.answer(page, "/live/account"))["error"]["code"], "session-unknown")

    async def test_a_refusal_has_its_own_sentence_or_none_and_a_line_in_the_log(self):
        server = await self.start()
        for cookie, sentence in (
            ("visitor=mallory", {"message": "Mallory may not come in."}),
            ("visitor=broken", {}),
        ):
            with self.assertRaises(Refused) as refused:
                await self.answer(self.visitor(server, cookie))
            self.assertTrue(refused.exception.is_late)
            self.assertIn(" 401 ", str(refused.exception))
            self.assertEqual(refused.exception.body, {"code": "not-authorized"} | sentence)
            self.assertEqual(await self.plain(server, cookie), refused.exception.body)
        self.assertTrue(any("authorize failed" in line and "SignInFailure" in line for line in server.output))

    async def plain(self, server, cookie):
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(
            f"GET /live/account HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {cookie}\r\nConnection: close\r\n\r\n".encode())
        answer = await reader.read()
        writer.close()
        return json.loads(answer.split(b"\r\n\r\n", 1)[1])

    async def test_a_visitor_whose_time_is_over_comes_back_and_goes_on(self):
        server = await self.start()
        pages = [self.visitor(server, "visitor=ann; valid-for=1", "board", f"t{number}") for number in range(6)]
        for page in pages:
            await page.open()
        for page in pages:
            for _ in range(3):
                closings = len(page.closings)
                page.input("tap")
                await page.until(lambda: len(page.closings) > closings)
            await page.until(lambda: page.is_ready and not page.unconfirmed)
            self.assertEqual({closed.code for closed in page.closings}, {4005})
            self.assertEqual((page.starts, page.state["taps"]), (1, "3"), self.explain(server))

    async def test_a_visitor_who_is_signed_out_is_signed_out_everywhere(self):
        server = await self.start()
        waiting = [await self.visitor(server, "visitor=ann", "board", f"w{number}").open() for number in range(4)]
        for page in waiting:
            await self.lose(page)
        opened = [await self.visitor(server, "visitor=ann", "board", f"o{number}").open() for number in range(4)]
        bob = await self.visitor(server, "visitor=bob", "board", "o1").open()

        tokens = [(page.session, page.token) for page in opened]
        opened[0].input("leave")
        for page in opened:
            # They come back at once, as nobody: the application has ended the visitor first.
            await page.until(lambda: page.starts == 2 and page.is_ready)
            self.assertEqual([closed.code for closed in page.closings], [4005])
            page.input("tap")
            await page.until(lambda: page.state["who"] == "nobody")
        await bob.until(lambda: bob.state["left"] == "ann: true")  # in the store, too
        await server.kill()
        await server.start()

        for page, (page.session, page.token) in zip(opened, tokens):
            await self.lose(page)
        for page in waiting + opened:
            self.assertEqual((await self.answer(page))["error"]["code"], "session-unknown")
        await bob.until(lambda: bob.is_ready)
        self.assertEqual(bob.starts, 1)


if __name__ == "__main__":
    unittest.main()
