# SPDX-License-Identifier: Apache-2.0
"""What a page shows stands in its address: outputs write it, Back and Forward send it, and a link brings it."""

import asyncio
import re
from urllib.parse import parse_qsl, urlsplit

from playwright.async_api import expect

from harness import eventually, lost_network

label, word, search = "[lang=en][data-bind-text=label]", "#word", "/search"


def parameters(page) -> dict:
    return dict(parse_qsl(urlsplit(page.url).query, keep_blank_values=True))


async def has(page, **wanted) -> None:
    """Waits until the address has these parameters and no others."""
    await eventually(lambda: parameters(page) == wanted)


async def shows(page, segment: int) -> None:
    """Waits until the page of segments shows one of them, in the address and in itself."""
    await expect(page).to_have_url(re.compile(rf"/segments\?segment={segment}$"))
    await expect(page.locator(label)).to_have_text(["first segment selected", "second segment selected"][segment])
    await expect(page.locator(f"[value='{segment}']")).to_be_checked()


async def test_back_and_forward(case):
    """Each choice makes an entry of the history; Back and Forward choose, also after a reload."""
    page = await case.live(await case.serve(), "/segments")
    await shows(page, 0)
    entries = await page.evaluate("history.length")

    for segment in (1, 0, 1):
        await page.locator(f"[value='{segment}']").check()
        await shows(page, segment)
    assert await page.evaluate("history.length") == entries + 3
    await page.go_back()
    await shows(page, 0)
    await page.reload()
    await shows(page, 0)
    await page.go_back()
    await shows(page, 1)
    await page.go_forward()
    await page.go_forward()
    await shows(page, 1)
    await page.evaluate("history.go(-3)")

    await shows(page, 0)
    assert await page.evaluate("history.length") == entries + 3
    sent = [frame for frame in page.frames_sent if frame.get("name") == "segment"]
    assert [frame["value"] for frame in sent] == [1, 0, 1, 0, 1, 0, 1, 0], sent


async def test_a_screen_above(case):
    """The screen above has an address of its own; behind it and after it, the one below keeps its own."""
    page = await case.live(await case.serve(), "/segments?from=test")
    await has(page, segment="0", **{"from": "test"})
    await page.locator("[value='1']").check()
    await has(page, segment="1", **{"from": "test"})

    await page.locator("[data-on-click=next]").click()
    await expect(page).to_have_url(re.compile("/greeting$"))
    await page.reload()
    await expect(page).to_have_url(re.compile("/greeting$"))
    await page.go_back()
    await expect(page.locator(label)).to_have_text("second segment selected")
    await has(page, segment="1", **{"from": "test"})
    await page.go_back()

    await expect(page.locator(label)).to_have_text("first segment selected")
    await has(page, segment="0", **{"from": "test"})


async def test_back_before_a_reload_is_over(case):
    """Who goes back from a screen above while its page still loads comes to the screen below, and stays there."""
    page = await case.live(await case.serve(), "/segments")
    await page.locator("[value='1']").check()
    await has(page, segment="1")
    await page.locator("[data-on-click=next]").click()
    await expect(page).to_have_url(re.compile("/greeting$"))
    may_load = asyncio.Event()

    async def hold(route):
        await may_load.wait()
        await route.continue_()

    await page.route("**/musubi-more.js*", hold)
    # What the page hears of its screens, once it is connected, waits for the second file.
    async with page.expect_event("websocket"):
        await page.reload(wait_until="commit")
    await page.evaluate("history.back()")
    await expect(page).to_have_url(re.compile(r"/segments\?segment=1$"))
    may_load.set()

    await expect(page.locator(label)).to_have_text("second segment selected")
    await has(page, segment="1")


async def test_a_choice_just_before_a_screen(case):
    """Who chooses and at once opens a screen comes back to the choice, and from there to the one before."""
    page = await case.live(await case.serve(), "/segments")
    await page.locator("[value='1']").check()
    await has(page, segment="1")
    # Within the time in which the address is not written again.
    await page.evaluate("""async (label) => {
      document.querySelector("[value='0']").click();
      while (!document.querySelector(label).textContent.startsWith("first")) await new Promise((run) => setTimeout(run, 5));
      document.querySelector("[data-on-click=next]").click();
    }""", label)
    await expect(page).to_have_url(re.compile("/greeting$"))

    await page.go_back()
    await has(page, segment="0")
    await page.go_back()
    await has(page, segment="1")
    await expect(page.locator(label)).to_have_text("second segment selected")


async def test_a_field(case):
    """Typing replaces the address, whatever the characters; it survives a reload and a cut, and a link has it."""
    server = await case.serve()
    proxy = await case.proxy(server)
    page = await case.live(proxy, search)
    entries = await page.evaluate("history.length")

    await page.locator(word).press_sequentially("雪 & 50% + #?=")
    await has(page, searchWord="雪 & 50% + #?=")
    await page.reload()
    await expect(page.locator(word)).to_have_value("雪 & 50% + #?=")
    await page.locator(word).fill("Fuji")
    await has(page, searchWord="Fuji")
    proxy.cut()
    await page.locator(word).press_sequentially("s")
    await page.locator(word).press("Backspace")
    await page.locator(word).fill("Mount Fuji")
    await has(page, searchWord="Mount Fuji")
    assert await page.evaluate("history.length") == entries
    other = await case.live(server, page.url.removeprefix(proxy.url))

    await expect(other.locator(word)).to_have_value("Mount Fuji")
    await expect(other.locator(".rows .row a").first).to_have_text(re.compile("Fuji"))
    await page.locator(word).fill("")
    await has(page)
    await has(other, searchWord="Mount Fuji")


async def test_what_a_link_cannot_mean(case):
    """A value that the screen does not take gives way to the screen's own: of a link, and of an entry of the history."""
    page = await case.live(await case.serve(), "/segments?segment=7&segment=1")
    await shows(page, 0)
    entries = await page.evaluate("history.length")
    await page.locator("[value='1']").check()
    await shows(page, 1)

    await page.evaluate("history.pushState({...history.state, query: {segment: 7}}, '', '?segment=7')")
    await page.locator("[value='0']").check()
    await shows(page, 0)
    await page.go_back()

    await eventually(lambda: any(frame.get("error") for frame in page.frames_received))
    await shows(page, 0)
    await page.go_back()
    await shows(page, 1)
    assert await page.evaluate("history.length") == entries + 3


async def test_a_value_that_is_too_long(case):
    """It leaves the address, which the server would not take; the field keeps it, also after a reload."""
    page = await case.live(await case.serve(), search)
    await page.locator(word).fill("short")
    await has(page, searchWord="short")

    case.allow("is too long")
    await page.locator(word).fill("雪" * 1_000)

    await has(page)
    await page.reload()
    await expect(page.locator("html")).to_have_attribute("data-link", "live")
    await expect(page.locator(word)).to_have_value("雪" * 1_000)


async def test_what_other_sites_write_into_a_link(case):
    """It may be as long as it likes: the page opens by its own parameters, and writes them; the others stay."""
    other = "b" * 3_000
    page = await case.live(await case.serve(), f"/segments?segment=1&fbclid={other}")
    await has(page, segment="1", fbclid=other)
    await expect(page.locator(label)).to_have_text("second segment selected")

    await page.locator("[value='0']").check()

    await has(page, segment="0", fbclid=other)
    await page.reload()
    await expect(page.locator(label)).to_have_text("first segment selected")


async def test_a_server_that_has_forgotten(case):
    """The new session begins with the address, also where nobody has chosen anything."""
    server = await case.serve_without_memory()
    page = await case.live(server, "/segments?segment=1")
    await shows(page, 1)

    case.allow(lost_network)
    await server.stop()
    await case.serve_without_memory(port=server.port)

    await eventually(lambda: sum("hello" in frame for frame in page.frames_received) == 2)
    await expect(page.locator("html")).to_have_attribute("data-link", "live")
    await shows(page, 1)
