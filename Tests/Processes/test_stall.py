# SPDX-License-Identifier: Apache-2.0
"""A server that stood still has heard of nobody meanwhile: whoever came back in time finds everything."""

import asyncio
import signal
import unittest

from case import ProcessCase


class Stall(ProcessCase):
    async def return_while(self, server, stall):
        """A page leaves, and comes back while the server stands still, before its session has expired by the page's clock."""
        page = await self.left_page(server, "counter", "stall")
        expiry = asyncio.get_running_loop().time() + 3  # a little later, when the server has noticed
        await stall()
        returning = asyncio.ensure_future(self.come_back(page))
        await asyncio.sleep(expiry + 2 - asyncio.get_running_loop().time())
        return page, returning

    async def test_a_process_that_was_stopped(self):
        server = await self.server("--loops", "1", "--session-lifetime", "3")

        async def stop():
            await asyncio.sleep(0.5)
            server.process.send_signal(signal.SIGSTOP)

        page, returning = await self.return_while(server, stop)
        server.process.send_signal(signal.SIGCONT)
        await returning

        self.assertEqual((page.starts, page.state["label"]), (1, "1"), self.explain(server))

    async def test_a_loop_that_was_kept_busy(self):
        server = await self.server("--loops", "1", "--session-lifetime", "3")
        hog = await self.page(server, "burn")

        async def burn():
            await asyncio.sleep(0.5)
            hog.input("burn", value=5_000)
            await asyncio.sleep(0.1)

        page, returning = await self.return_while(server, burn)
        await returning

        self.assertEqual((page.starts, page.state["label"]), (1, "1"), self.explain(server))


if __name__ == "__main__":
    unittest.main()
