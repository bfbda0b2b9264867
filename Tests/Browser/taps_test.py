# SPDX-License-Identifier: Apache-2.0
"""People click twice and press Enter twice, and the answer takes a while: one intention has one effect."""

import re

from playwright.async_api import expect

from harness import eventually

rows = "[data-row]"
open_entry = "[data-on-click=open]"


async def all_is_acknowledged(page) -> None:
    """Waits until the server has answered every input; the effects on others went out before."""
    sent = max(frame["input"] for frame in page.frames_sent if "input" in frame)
    await eventually(lambda: any(frame.get("ack", 0) >= sent for frame in page.frames_received))


async def taps(page, name: str) -> int:
    return sum(frame.get("name") == name for frame in page.frames_sent)


async def slow_contents(case):
    server = await case.serve()
    proxy = await case.proxy(server, delay=0.15)
    return await case.live(proxy, "/contents"), await case.live(server, "/contents")


async def test_post_twice(case):
    """A double click and Enter twice post an entry once, at 150 ms in each direction."""
    page, witness = await slow_contents(case)
    title, text, post = page.locator("#title"), page.locator("#text"), page.locator("[data-on-submit] .button")

    await text.fill("Written once")
    await title.fill("By a double click")
    await post.dblclick(delay=50)
    await expect(title).to_have_value("")
    await all_is_acknowledged(page)
    await expect(witness.locator(rows)).to_have_count(1)
    await expect(page.locator("[role=alert]")).to_be_hidden()

    await text.fill("Written once more")
    await title.fill("By Enter")
    await title.press("Enter")
    await title.press("Enter")
    await expect(title).to_have_value("")
    await all_is_acknowledged(page)

    assert await taps(page, "tapButton") == 4, "each tap is an input; the ViewModel takes one"
    await expect(witness.locator(rows)).to_have_count(2)


async def test_open_twice(case):
    """A double click on an entry opens it once: one Back leads to the list."""
    page, witness = await slow_contents(case)
    await page.locator("#title").fill("An entry")
    await page.locator("#text").fill("With a text")
    await page.locator("[data-on-submit] .button").click()
    await expect(page.locator(rows)).to_have_count(1)

    await page.locator(open_entry).dblclick()
    await expect(page.locator("h1[data-bind-text=title]")).to_have_text("An entry")
    await all_is_acknowledged(page)
    await page.go_back()

    await expect(page).to_have_url(re.compile("/contents$"))
    await expect(page.locator(rows)).to_have_count(1)
    stacks = [len(frame["screens"]) for frame in page.frames_received if "screens" in frame]
    assert max(stacks) == 2, stacks


async def test_next_twice(case):
    """So it is with a button of which nobody knows that it opens a screen."""
    server = await case.serve()
    proxy = await case.proxy(server, delay=0.15)
    page = await case.live(proxy, "/segments")

    await page.locator("[data-on-click=next]").dblclick()
    await expect(page).to_have_url(re.compile("/greeting"))
    await all_is_acknowledged(page)
    await page.go_back()

    await expect(page.locator("[data-on-click=next]")).to_be_visible()
    stacks = [len(frame["screens"]) for frame in page.frames_received if "screens" in frame]
    assert max(stacks) == 2, stacks
