# SPDX-License-Identifier: Apache-2.0
"""kill -9 and losses of power under load: acknowledged taps are there, each tap counts once."""

import asyncio
import unittest

from case import ProcessCase
from servers import Server, is_long


class Kill(ProcessCase):
    async def test_fifty_pages_tap_a_counter_over_many_kills(self):
        server = await self.server(listener=Server.listening())
        await self.tap_over(100 if is_long else 4, server, server.kill)

    async def test_fifty_pages_tap_a_counter_over_many_losses_of_power(self):
        server = await self.server("--sessions", "synced-disk", listener=Server.listening(), forgets=True)
        await self.tap_over(50 if is_long else 4, server, lambda: server.lose_power(self.random))

    async def test_without_a_sync_a_loss_of_power_takes_commits_and_leaves_the_file_whole(self):
        server = await self.server(listener=Server.listening(), forgets=True)
        for chance in (None, *[self.random] * (20 if is_long else 3)):
            page = await self.page(server, "counter", "power")
            before = int(page.state["label"])
            for _ in range(20):
                page.input("tap")
            await page.until(lambda: not page.unconfirmed)
            await page.close()
            await server.lose_power(chance)
            await server.start()  # a damaged file would end it
            late = await self.page(server, "counter", "power")
            if not chance:  # else the test above would find nothing
                self.assertLess(int(late.state["label"]), before + 20, "acknowledged taps that were not synced are gone")
            await late.close()

    async def tap_over(self, count, server, end):
        """Fifty pages tap a counter while the server is ended so often, and each tap counts once."""
        pages = await self.pages(server, 50, "counter", lambda _: "kills")
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
        for _ in range(count):
            before = taps
            while taps < before + 100 + self.random.randrange(200):
                await asyncio.sleep(0.005)  # the load goes on; the kill comes at no special moment
            await end()
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
        await server.kill()
        self.assertEqual(await server.store("list"), "No strikes.\nNo room is put aside.\n")


if __name__ == "__main__":
    unittest.main()
