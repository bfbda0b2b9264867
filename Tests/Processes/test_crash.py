# SPDX-License-Identifier: Apache-2.0
"""A screen that takes its process with it, and models that fail, hang or answer too late."""

import asyncio
import unittest

from case import ProcessCase
from servers import Server
from wire import Wire


class Crash(ProcessCase):
    async def test_all_others_come_back_after_a_screen_has_crashed(self):
        server = await self.server(listener=Server.listening())
        pages = await self.pages(server, 50, "counter", lambda number: f"crash-{number % 5}")
        for page in pages:
            page.input("tap")
        await asyncio.gather(*(page.until(lambda page=page: not page.unconfirmed) for page in pages))

        fatal = await Wire.connect(server.port, "/live/crash")
        fatal.send({"input": 1, "name": "crash"})
        self.assertLess(await server.ended(), 0, "it died of a signal")
        await server.start()  # as the supervisor does
        await asyncio.gather(*(page.until(lambda page=page: len(page.returns) > 1 and page.is_ready) for page in pages))

        if all(page.starts == 1 for page in pages):  # with a store
            self.assertEqual({page.state["label"] for page in pages}, {"10"})
        fatal.abort()

    async def test_the_supervisor_starts_a_crashed_server_again_and_none_that_was_asked_to_end(self):
        server = await self.server(is_supervised=True)
        page = await self.page(server, "counter", "supervised")
        page.input("tap")
        await page.until(lambda: not page.unconfirmed)

        fatal = await Wire.connect(server.port, "/live/crash")
        fatal.send({"input": 1, "name": "crash"})
        await page.until(lambda: len(page.returns) > 1 and page.is_ready)

        self.assertEqual((page.starts, page.state["label"]), (1, "1"), self.explain(server))
        fatal.abort()
        self.assertEqual(await server.stop(), 0, "the supervisor ends with the server's own status")

    async def test_calls_that_fail_hang_or_answer_late_harm_nobody(self):
        server = await self.server("--session-lifetime", "1")
        page = await self.page(server, "calls")
        page.input("call", value="fail")
        await page.until(lambda: "failed" in page.state["answer"])
        page.input("call", value="hang")
        page.input("call", value="now")
        await page.until(lambda: page.state["answer"] == "answered now")  # the one that hangs holds up nothing

        gone = await self.page(server, "calls")
        for word in ("hang", "late", "fail"):
            gone.input("call", value=word)
        await gone.until(lambda: not gone.unconfirmed)
        session = (gone.session, gone.token)
        await gone.close()
        page.input("call", value="gone")  # answered when the other session's screen is gone, and its call was answered
        await page.until(lambda: page.state["answer"] == "answered gone")

        wire = await Wire.connect(server.port, "/live/calls?resume=1")
        wire.send({"resume": {"session": session[0], "token": session[1], "position": ["", 0]}})
        self.assertEqual((await wire.receive())["error"]["code"], "session-unknown")
        wire.abort()
        page.input("call", value="again")
        await page.until(lambda: not page.unconfirmed)
        self.assertEqual(page.starts, 1)


if __name__ == "__main__":
    unittest.main()
