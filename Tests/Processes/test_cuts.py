# SPDX-License-Identifier: Apache-2.0
"""Every tap counts once, wherever its connection is lost."""

import asyncio
import itertools
import unittest

from case import ProcessCase
from cutting_proxy import Cut, CuttingProxy
from servers import is_long


class Cuts(ProcessCase):
    async def subject(self):
        """What pages connect to."""
        return await self.server()

    async def cutting(self, server, plan):
        proxy = await CuttingProxy(server.port, plan).start()
        self.addAsyncCleanup(proxy.close)
        return proxy

    async def test_taps_count_once_whatever_is_cut_in_a_resume_and_in_the_next(self):
        server = await self.subject()

        async def visit(number, cuts):
            plan = iter([Cut(*cuts[0]), *(Cut(kind, 0) for kind in cuts[1:])])
            proxy = await self.cutting(server, lambda: next(plan, None))
            page = await self.page(proxy, "counter", f"cuts-{number}")
            for _ in range(5):
                page.input("tap")
            await page.until(lambda: not page.unconfirmed)
            await page.until(lambda: page.state["label"] == "5")
            self.assertEqual(page.starts, 1, "the session was resumed each time")
            self.assertEqual(proxy.cuts, len(cuts), f"{cuts}")

        firsts = [(kind, 2) for kind in Cut.kinds]
        plans = itertools.product(firsts, Cut.kinds, Cut.kinds)
        await asyncio.gather(*(visit(number, cuts) for number, cuts in enumerate(plans)))

    async def test_taps_count_once_over_a_line_that_is_cut_all_the_time(self):
        server = await self.subject()
        count, taps = (50, 300) if is_long else (12, 40)
        proxy = await self.cutting(server, lambda: Cut(self.random.choice(Cut.kinds), self.random.randrange(6)))
        pages = await self.pages(proxy, count, "counter", lambda _: "cuts")

        for _ in range(taps):
            for page in pages:
                page.input("tap")
            await asyncio.sleep(0)  # reads arrived frames; waits for nothing
        for page in pages:
            await page.until(lambda: not page.unconfirmed, time_limit=300)

        late = await self.page(server, "counter", "cuts")
        self.assertEqual(late.state["label"], str(count * taps), f"LOST: {self.explain(server)}")
        self.assertGreater(proxy.cuts, count)


if __name__ == "__main__":
    unittest.main()
