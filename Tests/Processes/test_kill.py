# SPDX-License-Identifier: Apache-2.0
"""kill -9 and losses of power under load: acknowledged taps are there, each tap counts once."""

import asyncio
import unittest

from case import ProcessCase
from servers import Server, is_long


class Kill(ProcessCase):
    async def test_fifty_pages_tap_a_counter_over_many_kills(self):
        server = await self.server(listener=Server.listening())
        await self.kill_over(100 if is_long else 4, server, server.kill)

    async def test_fifty_pages_tap_a_counter_over_many_losses_of_power(self):
        server = await self.server("--sessions", "synced-disk", listener=Server.listening(), forgets=True)
        await self.kill_over(50 if is_long else 4, server, lambda: server.lose_power(self.random))

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

    async def kill_over(self, count, server, end):
        """Fifty pages tap a counter while the server is ended so often."""
        async def end_and_start():
            await end()
            await server.start()

        await self.tap_over(count, server, end_and_start)
        await server.kill()
        self.assertEqual(await server.store("list"), "No strikes.\nNo room is put aside.\n")


if __name__ == "__main__":
    unittest.main()
