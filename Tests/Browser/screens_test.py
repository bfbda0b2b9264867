# SPDX-License-Identifier: Apache-2.0
"""The contents, segments and search screens as their visitors see them: lists, navigation, dialogs, languages."""

import re

from playwright.async_api import expect

from harness import screenshots


async def live(case, server, path, **options):
    """Opens a page and waits until it is live."""
    page = await case.open(server.url + path, **options)
    await expect(page.locator("html")).to_have_attribute("data-link", "live")
    return page


async def post(page, title, text):
    """Fills the form in and sends it by Enter; waits until the server has cleared it."""
    await page.locator("#text").fill(text)
    await page.locator("#title").fill(title)
    await page.locator("#title").press("Enter")
    await expect(page.locator("#title")).to_have_value("")


def rows(page):
    return page.locator(".rows .row")


async def test_an_entry_is_everywhere_at_once(case):
    """What one visitor posts, all see at once; half-typed text of another stays."""
    server = await case.serve()
    first, second = await live(case, server, "/contents"), await live(case, server, "/contents")
    await expect(first.locator(".empty")).to_be_visible()
    await second.locator("#title").fill("half typed")

    await post(first, "Hello", "A first text")

    await expect(rows(second)).to_have_count(1)
    await expect(rows(second).locator("h2")).to_have_text("Hello")
    await expect(second.locator("#title")).to_have_value("half typed")
    await expect(first.locator(".empty")).to_be_hidden()


async def test_opening_going_back_and_deep_links(case):
    """An entry opens under its own address; back, forward, reload and a direct visit work."""
    server = await case.serve()
    page = await live(case, server, "/contents")
    await post(page, "Hello", "A first text")

    await rows(page).locator("h2 a").click()
    await expect(page).to_have_url(re.compile(r"/contents/\d+$"))
    await expect(page.locator("h1:visible")).to_have_text("Hello")
    await expect(page.locator("main")).to_contain_text("A first text")
    address = page.url

    await page.go_back()
    await expect(page).to_have_url(server.url + "/contents")
    await expect(rows(page)).to_have_count(1)
    await page.go_forward()
    await expect(page.locator("h1:visible")).to_have_text("Hello")
    await page.reload()
    await expect(page.locator("h1:visible")).to_have_text("Hello")

    direct = await live(case, server, address.removeprefix(server.url))
    await expect(direct.locator("main")).to_contain_text("A first text")


async def test_nothing_at_an_address(case):
    """An entry that does not exist shows a page that says so."""
    server = await case.serve()

    page = await case.open(server.url + "/contents/999")

    await expect(page.locator("[data-not-found]")).to_be_visible()


async def test_deleting_asks_first(case):
    """Delete opens a dialog; Escape keeps the entry, the answer removes it for everybody, focus returns."""
    server = await case.serve()
    first, second = await live(case, server, "/contents"), await live(case, server, "/contents")
    await post(first, "Hello", "A first text")
    delete = rows(first).locator("[data-on-click=delete]")

    await delete.click()
    dialog = first.locator("dialog[open]")
    await expect(dialog).to_contain_text("Hello")
    await first.keyboard.press("Escape")
    await expect(dialog).to_have_count(0)
    await expect(delete).to_be_focused()
    await expect(rows(second)).to_have_count(1)

    await delete.click()
    await dialog.locator("[data-on-click=confirmDelete]").click()
    await expect(rows(first)).to_have_count(0)
    await expect(rows(second)).to_have_count(0)
    await expect(first.locator("dialog[open]")).to_have_count(0)


async def test_an_error_in_the_visitors_language(case):
    """An error is told to the visitor who caused it, in the browser's language."""
    server = await case.serve()
    page, other = await live(case, server, "/contents"), await live(case, server, "/contents")
    await page.locator("#title").fill("Without a text")
    await page.locator("#title").press("Enter")

    await expect(page.locator(".error")).to_contain_text("text is empty")
    await expect(page.locator("#title")).to_have_value("Without a text")
    await expect(other.locator(".error")).to_be_hidden()


async def test_the_language_switch(case):
    """The switch changes the page's texts, and the choice is kept."""
    server = await case.serve()
    page = await live(case, server, "/contents")

    await page.locator("[data-speak=ja]").click()
    await expect(page.locator("h1")).to_have_text("投稿", use_inner_text=True)
    await page.reload()

    await expect(page.locator("h1")).to_have_text("投稿", use_inner_text=True)


async def test_segments_hand_a_text_over(case):
    """A segment is selected, and the next screen shows what the first one handed over; back keeps the choice."""
    server = await case.serve()
    page = await live(case, server, "/segments")
    label = page.locator("[data-bind-text=label]")
    await expect(label).to_have_text("first segment selected")

    await page.locator("input[type=radio]").nth(1).check(force=True)
    await expect(label).to_have_text("second segment selected")
    await page.locator("[data-on-click=next]").click()

    await expect(page).to_have_url(server.url + "/greeting")
    await expect(page.locator("[data-bind-text=text]")).to_have_text("You came from the second segment.")
    await page.go_back()
    await expect(page.locator("[data-bind-text=label]")).to_have_text("second segment selected")


async def test_searching_while_typing(case):
    """Results show while typing, in English and Japanese; an emptied field shows none."""
    server = await case.serve()
    page = await live(case, server, "/search")
    field = page.locator("[data-bind-value=searchWord]")

    await field.press_sequentially("tokyo", delay=10)
    await expect(page.locator("[data-row]").first).to_contain_text("Tokyo")
    await field.fill("東京")
    await expect(page.locator("[data-row]").first).to_contain_text("東京")
    await page.screenshot(path=screenshots / "search-found.png")
    await field.fill("")

    await expect(page.locator("[data-row]")).to_have_count(0)
