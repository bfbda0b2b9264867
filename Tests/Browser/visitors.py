# SPDX-License-Identifier: Apache-2.0
"""People in front of a browser of any engine, and the world of one test of theirs."""

import asyncio
import base64

from engines import Engine
from harness import Case, time_limit, reports, screenshots
from processes import root
from webdriver import CONTROL, END, DriverError


class Visitor:
    """One person with a browser, a profile and a window of their own."""

    def __init__(self, browser: Engine):
        self.browser = browser
        self.press = browser.press
        self.pointer = browser.pointer
        self.click = browser.click
        self.run = browser.run
        self.reload = browser.reload
        self.new_tab = browser.new_tab
        self.back = browser.back
        self.forward = browser.forward
        self.compose = browser.compose
        self.set_offline = browser.set_offline
        self.fit = browser.fit
        self.force_colours = browser.force_colours

    async def open(self, url: str) -> None:
        """Opens a screen and waits until it is live."""
        await self.browser.open(url)
        await self.is_live()

    async def until(self, wanted, script: str, *arguments) -> None:
        """Waits until an expression of the page has a value."""
        seen = None
        try:
            async with asyncio.timeout(time_limit / 1000):
                while True:
                    try:
                        seen = await self.run(f"return {script};", *arguments)
                    except DriverError as error:  # a page that is just being left
                        seen = error
                    if seen == wanted:
                        return
                    await asyncio.sleep(0.02)
        except TimeoutError:
            raise AssertionError(f"{script} {arguments or ''} is {seen!r} and not {wanted!r}") from None

    async def shows(self, selector: str, text: str) -> None:
        """Waits until an element shows a text, a control its value."""
        await self.until(text, """((element) => element && (element.value ?? element.innerText))
            (document.querySelector(arguments[0]))""", selector)

    async def counts(self, selector: str, count: int) -> None:
        await self.until(count, "document.querySelectorAll(arguments[0]).length", selector)

    async def is_live(self) -> None:
        await self.until("live", "document.documentElement.dataset.link")

    async def is_away(self) -> None:
        await self.until(True, "document.documentElement.dataset.link !== 'live'")

    async def photograph(self, name: str) -> None:
        """Pictures for people, of the pages of a test."""
        screenshots.mkdir(parents=True, exist_ok=True)
        path = screenshots / f"{name}-{type(self.browser).__name__.lower()}.png"
        path.write_bytes(base64.b64decode(await self.browser.screenshot()))

    async def focus(self, selector: str) -> None:
        """Puts the caret behind the text of a field."""
        await self.click(selector)
        await self.press(END, holding=CONTROL)

    async def write(self, selector: str, text: str) -> None:
        """Types a text behind a field's text."""
        await self.focus(selector)
        await self.press(text)


class VisitorsCase(Case):
    """The world of one test: servers, and the visitors of one engine."""

    def __init__(self, name: str, browsers: list[Engine]):
        super().__init__(name, browser=None)
        self._browsers = browsers

    async def visitors(self, *urls: str) -> list[Visitor]:
        """Opens an address for each of the visitors."""
        visitors = [Visitor(browser) for browser in self._browsers[:len(urls)]]
        assert len(visitors) == len(urls), f"there are {len(visitors)} visitors"
        for visitor, url in zip(visitors, urls):
            await visitor.open(url)
        return visitors

    def visitor(self) -> Visitor:
        """The first visitor, before a page is open."""
        return Visitor(self._browsers[0])

    def second_visitor(self) -> Visitor:
        """The second one, before a page is open."""
        return Visitor(self._browsers[1])

    async def close(self) -> None:
        for browser in self._browsers:
            try:
                await browser.open("about:blank")
                await browser.fit(1280, 800)
            except Exception as error:  # a browser that went away fails this test, and each that follows
                self.problems.append(f"a browser does not leave its page: {error!r}")
        await super().close()

    async def report(self) -> str:
        """Photographs every window, for the person who looks into a failure; returns what the servers said last."""
        reports.mkdir(parents=True, exist_ok=True)
        lines = []
        for number, browser in enumerate(self._browsers):
            path = reports / f"{self.name}-{number}.png"
            path.write_bytes(base64.b64decode(await browser.screenshot()))
            lines.append(f"window {number}: photographed as {path.relative_to(root)}")
        return "\n".join([*lines, *(f"| {line}" for process in self._processes for line in process.output[-15:])])
