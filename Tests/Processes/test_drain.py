# SPDX-License-Identifier: Apache-2.0
"""SIGTERM with 1,000 pages: each is told another time to come back, and nothing is lost."""

import asyncio
import collections
import unittest

from case import ProcessCase


class Drain(ProcessCase):
    async def test_a_thousand_pages_go_and_return_spread(self):
        server = await self.server("--restart-spread", "4")
        pages = await self.pages(server, 1000, "counter", lambda number: f"drain-{number % 100}")
        taps = collections.Counter()

        def tap():
            for page in pages:
                page.input("tap")
                taps[page.room] += 1

        tap()
        await asyncio.gather(*(page.until(lambda page=page: not page.unconfirmed) for page in pages))
        tap()  # these are on their way when the server stops
        self.assertEqual(await server.stop(), 0, self.explain(server))
        tap()  # and these are made while it is away
        await server.start()
        await asyncio.gather(*(page.until(lambda page=page: len(page.returns) > 1 and page.is_ready) for page in pages))

        self.assertEqual([page.closings[0].code for page in pages], [4002] * 1000)
        delays = [page.closings[0].delay for page in pages]
        tenths = collections.Counter(int(delay / 0.4) for delay in delays)
        self.assertEqual(sorted(tenths), list(range(10)), "delays are spread over all of the time")
        self.assertLess(max(tenths.values()), 200, "and none of its tenths gets far more than its share")
        await self.assert_nothing_is_lost(pages, taps)

    async def assert_nothing_is_lost(self, pages, taps):
        """With stored sessions each room has all its taps; without, each page knows its unconfirmed taps."""
        if any(page.starts > 1 for page in pages):
            for page in pages:
                self.assertLessEqual(len(page.lost), 2, "the first tap was confirmed")
            return
        await asyncio.gather(*(page.until(lambda page=page: not page.unconfirmed) for page in pages))
        for page in pages:
            await page.until(lambda page=page: page.state["label"] == str(taps[page.room]))


if __name__ == "__main__":
    unittest.main()
