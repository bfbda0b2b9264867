# SPDX-License-Identifier: Apache-2.0
"""kill -9 under load: what was acknowledged is there, each tap counts once."""

import asyncio
import unittest

from case import ProcessCase
from servers import Server, is_long


class Kill(ProcessCase):
    async def test_fifty_pages_tap_a_counter_over_many_kills(self):
        kills = 100 if is_long else 4
        server = await self.server(listener=Server.listening())
        pages = await self.pages(server, 50, "counter", lambda _: "kills")
        if not await self.is_stored(server):
            self.skipTest("this server keeps no state over a kill")
        taps, is_over = 0, False

        async def load():
            nonlocal taps
            while not is_over:
                page = self.random.choice(pages)
                if len(page.unconfirmed) < 20:
                    page.input("tap")
                    taps += 1
                await asyncio.sleep(0.001 * self.random.random())

        loading = asyncio.ensure_future(load())
        for _ in range(kills):
            before = taps
            while taps < before + 100 + self.random.randrange(200):
                await asyncio.sleep(0.005)  # the load goes on; the kill comes at no special moment
            await server.kill()
            await server.start()
            await asyncio.gather(*(page.until(lambda page=page: page.is_ready) for page in pages))
        is_over = True
        await loading
        await asyncio.gather(*(page.until(lambda page=page: not page.unconfirmed) for page in pages))

        late = await self.page(server, "counter", "kills")
        self.assertEqual(late.state["label"], str(taps), self.explain(server))
        self.assertEqual([page.starts for page in pages], [1] * 50)
        for page in pages:
            await page.until(lambda page=page: page.state["label"] == str(taps))

    async def is_stored(self, server):
        page = await self.page(server, "counter", "probe")
        page.input("tap")
        await page.until(lambda: not page.unconfirmed)
        await page.close()
        await server.kill()
        await server.start()
        again = await self.page(server, "counter", "probe")
        return again.state["label"] == "1"


if __name__ == "__main__":
    unittest.main()
