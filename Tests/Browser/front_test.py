# SPDX-License-Identifier: Apache-2.0
"""The front page in Chromium: nothing jumps while it loads, the keyboard reaches all of it, dark and light, and what it refuses."""

import asyncio
import re

from playwright.async_api import expect

from harness import lost_network, screenshots
from look_test import desktop, low_contrast, phone
from processes import gallery, root

# How much of the page has moved since it began, as browsers count it.
shifts = """() => new Promise((done) => {
  let sum = 0;
  new PerformanceObserver((list) => list.getEntries().forEach((entry) => (sum += entry.value)))
    .observe({ type: "layout-shift", buffered: true });
  setTimeout(() => done(sum), 500);
})"""


async def open_front(case, server, **options):
    page = await case.open(server.url + "/", **options)
    await expect(page.locator("#same.is-yes")).to_be_visible()
    return page


async def test_nothing_jumps(case):
    """Wide and narrow, in both languages: nothing moves while the panes come."""
    server = await case.serve()
    for size in (desktop, phone):
        for locale in ("en", "ja"):
            page = await open_front(case, server, viewport=size, locale=locale)
            assert (moved := await page.evaluate(shifts)) < 0.02, f"{size}, {locale}: {moved}"


async def test_dark_and_light(case):
    """Photographed in both schemes, wide and narrow; every text is readable, the ones in the panes, too."""
    server = await case.serve()
    for scheme in ("dark", "light"):
        for size in (desktop, phone):
            page = await open_front(case, server, viewport=size, color_scheme=scheme, device_scale_factor=1)
            pane = page.frame_locator("iframe").first
            await pane.locator("[data-connection]").click()
            await expect(pane.locator(".musubi-connection dd").first).to_have_text(re.compile(r"^\d+ ms$"))
            await page.screenshot(path=screenshots / f"front-{size['width']}-{scheme}.png", full_page=True)
            for frame in page.frames:
                poor = await frame.evaluate(low_contrast)
                assert not poor, f"{frame.url}, {scheme}: {poor}"


async def test_by_keyboard(case):
    """Tab leads from one window over the slider and the button to the other window; the button cuts by Space, and joins again."""
    case.allow(lost_network)
    page = await open_front(case, await case.serve())
    first, second = (page.frame_locator("iframe").nth(pane) for pane in (0, 1))
    await first.locator("textarea").focus()
    await page.keyboard.type("one")
    await expect(second.locator("textarea")).to_have_value("one")

    await page.locator("#delay").focus()
    await page.keyboard.press("ArrowRight")
    await expect(page.locator("#delay-shown")).to_have_text("50 ms")
    assert await page.locator("#delay").get_attribute("aria-valuetext") == "50 ms"
    await page.keyboard.press("Tab")
    await expect(page.locator("#cut")).to_be_focused()
    await page.keyboard.press("Space")
    await expect(second.locator("html")).to_have_attribute("data-link", "offline")
    await page.keyboard.press("Tab")
    await expect(second.locator("textarea")).to_be_focused()
    await page.keyboard.type("two")
    await expect(page.locator("#same")).to_have_class("same is-cut")
    await page.locator("#cut").press("Space")

    await expect(page.locator("#same")).to_have_class("same is-yes")
    for pane in (first, second):
        await expect(pane.locator("textarea")).to_have_value("twoone")


async def test_no_orders_from_elsewhere(case):
    """A page of another origin, or one that is not around the pane, does not cut its line."""
    server = await case.serve()
    page = await open_front(case, server)
    await page.evaluate("""() => {
      const { contentWindow } = document.querySelectorAll("iframe")[1];
      contentWindow.dispatchEvent(new MessageEvent("message", { data: { isCut: true }, origin: "https://example.org", source: window }));
      contentWindow.dispatchEvent(new MessageEvent("message", { data: { isCut: true }, origin: location.origin, source: contentWindow }));
    }""")

    second = page.frame_locator("iframe").nth(1)
    await second.locator("textarea").fill("heard")
    await expect(page.frame_locator("iframe").first.locator("textarea")).to_have_value("heard")


async def test_a_folder_without_sources(case):
    """A folder that is no checkout keeps the gallery from starting, and the message says what should be there."""
    process = await asyncio.create_subprocess_exec(
        gallery, "serve", "--port", "0", "--sources", str(case.folder()), cwd=root, stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT)
    said, _ = await process.communicate()

    assert process.returncode == 1 and "has no Sources/GalleryScreens/Gallery.swift." in said.decode(), said
