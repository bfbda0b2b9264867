# SPDX-License-Identifier: Apache-2.0
"""The inspector of the admin port: what a room shows, who changed it, and what it was before."""

import re

from playwright.async_api import expect

from access_test import judge
from harness import admin_url
from look_test import desktop, low_contrast, phone, sticks_out

options = ("--admin", "127.0.0.1:0", "--inspect")


def node(page, name: str):
    """The line of the tree with that name."""
    return page.locator(".tree li").filter(has=page.locator(f".name:text-is('{name}')"))


async def test_a_room_and_its_past(case):
    """A typed text shows in the tree, marked, and who has typed it; the slider goes back to the text before, and forth again."""
    server = await case.serve(*options)
    note = await case.live(server, "/note?room=tea")
    page = await case.open(await admin_url(server))
    await page.locator("a[href='/inspector']").click()
    await expect(page.locator("[data-bind-shown=at]")).to_be_hidden()
    await page.locator(".choices a", has_text="note").click()
    await expect(page).to_have_url(re.compile(r"\?at=\d+$"))
    await page.evaluate("() => { window.isSame = true; }")
    # Only authors have slow lines.
    await expect(page.locator(".line")).to_be_hidden()

    await note.locator("textarea").press_sequentially("結")
    await expect(node(page, "text").locator("code")).to_have_text('"結"')
    await note.locator("textarea").press_sequentially("び")
    await expect(node(page, "text").locator("code")).to_have_text('"結び"')
    await expect(node(page, "text")).to_have_attribute("data-tone", re.compile("odd|even"))
    await expect(page.locator(".events li", has_text="Page 1 types into text").first).to_be_visible()
    await expect(page.locator("[data-on-click=live]")).to_have_attribute("aria-pressed", "true")

    # The page itself, as the room shows it; nobody types into it there.
    shown = page.frame_locator("iframe").locator("textarea")
    await expect(shown).to_have_value("結び")
    await expect(shown).not_to_be_editable()

    slider = page.locator("#turn")
    label = page.locator("label[for=turn]")
    await slider.focus()
    while await node(page, "text").locator("code").text_content() == '"結び"':
        before = await label.text_content()
        await slider.press("ArrowLeft")
        await expect(label).not_to_have_text(before)
    await expect(node(page, "text").locator("code")).to_have_text('"結"')
    await expect(page.locator("[data-on-click=live]")).to_have_attribute("aria-pressed", "false")
    await expect(shown).to_have_value("結")

    # The past stays while the room goes on.
    await note.locator("textarea").press_sequentially("!")
    await expect(note.locator("[role=status]")).to_have_text("")
    await expect(node(page, "text").locator("code")).to_have_text('"結"')
    await page.locator("[data-on-click=live]").click()
    await expect(node(page, "text").locator("code")).to_have_text('"結び!"')
    await expect(shown).to_have_value("結び!")
    assert await page.evaluate("() => window.isSame")

    await page.reload()
    await expect(node(page, "text").locator("code")).to_have_text('"結び!"')
    await page.locator("[data-bind-value=search]").fill("nothing")
    await expect(page.locator("[data-bind-hidden=rooms]")).to_be_visible()
    # Another room is another frame, which the browser's history does not count.
    await page.locator("[data-bind-value=search]").fill("")
    number = await case.live(server, "/number")
    await page.locator(".choices a", has_text="number").click()
    other = page.frame_locator("iframe")
    await expect(other.locator("[data-bind-text=label]")).to_have_text("0")
    await expect(page).to_have_url(re.compile(r"\?at=2$"))
    await page.go_back()
    await expect(shown).to_have_value("結び!")
    await number.close()


async def test_a_slow_line(case):
    """For its author a room opens over a line that is slow: an input is on its way for as long as was said, and takes effect."""
    server = await case.serve("--admin", "127.0.0.1:0", "--dev")
    await case.live(server, "/note?room=緑 茶")
    page = await case.open(await admin_url(server) + "/inspector?at=1")
    await page.locator("summary").click()
    await page.locator("[data-bind-value=latency]").fill("400")
    link = page.locator(".line a")
    await expect(link).to_have_attribute("href", re.compile("musubi-latency=400&musubi-jitter=0&musubi-loss=0$"))
    slow = await case.live(server, (await link.get_attribute("href")).removeprefix(server.url))
    began = await slow.evaluate("performance.now()")
    await slow.locator("textarea").press_sequentially("結び")
    await expect(node(page, "text").locator("code")).to_have_text('"結び"')
    assert await slow.evaluate("performance.now()") - began >= 400


async def test_how_it_looks(case):
    """It fits a phone and a desktop, in both colour schemes and languages; axe finds nothing."""
    server = await case.serve(*options)
    note = await case.live(server, "/note?room=" + "Donaudampfschifffahrt" * 3)
    await note.locator("textarea").press_sequentially("東京 " + "long" * 30)
    for size, scheme, locale in ((desktop, "light", "en-GB"), (phone, "dark", "ja-JP"), (phone, "light", "en-GB")):
        page = await case.open(
            await admin_url(server) + "/inspector?at=1", viewport=size, color_scheme=scheme, locale=locale,
            reduced_motion="reduce")
        await expect(page.locator(".events li").first).to_be_visible()
        where = f"inspector-{size['width']}-{scheme}-{locale}"
        await case.photograph(page, where)
        assert not (out := await page.evaluate(sticks_out)), f"{where}: {out}"
        assert await page.evaluate("document.documentElement.scrollWidth") <= size["width"], where
        assert not (poor := await page.evaluate(low_contrast)), f"{where}: {poor}"
        await judge(page, where)
