# SPDX-License-Identifier: Apache-2.0
"""Screens on top of each other and dialogs: the browser's history, focus, titles, scrolling, and who sees what."""

import asyncio
import re

from harness import lost_network
from playwright.async_api import expect


def rows(page):
    return page.locator(".rows .row")


def heading(page):
    return page.locator("h1:visible")


async def open_row(page, title):
    await rows(page).filter(has_text=title).first.locator("h2 a").click()
    await expect(heading(page)).to_have_text(title)


async def test_several_levels_deep(case):
    """Back, forward and reload work several levels deep, each level under its own address."""
    server = await case.serve_contents(5)
    page = await case.live(server, "/contents")
    await open_row(page, "Entry 5")
    for title in ("Entry 4", "Entry 3", "Entry 2"):
        await page.locator("[data-on-click=older]").click()
        await expect(heading(page)).to_have_text(title)
        await expect(page).to_have_url(f"{server.url}/contents/{title[-1]}")

    await page.go_back()
    await expect(heading(page)).to_have_text("Entry 3")
    await page.reload()
    await expect(heading(page)).to_have_text("Entry 3")
    await page.go_back()
    await expect(heading(page)).to_have_text("Entry 4")
    await page.go_forward()
    await expect(heading(page)).to_have_text("Entry 3")
    await expect(page).to_have_url(server.url + "/contents/3")
    await page.locator("[data-on-click=older]").click()
    await expect(heading(page)).to_have_text("Entry 2")
    await page.evaluate("history.go(-4)")

    await expect(page).to_have_url(server.url + "/contents")
    await expect(rows(page)).to_have_count(5)
    await expect(page.locator("html")).to_have_attribute("data-link", "live")


async def test_the_pages_own_way_back(case):
    """The link on an entry goes back a level, or to the list if the entry was opened by its address."""
    server = await case.serve_contents(3)
    page, direct = await case.live(server, "/contents"), await case.live(server, "/contents/2")
    await open_row(page, "Entry 3")
    await page.locator("[data-on-click=older]").click()
    await expect(heading(page)).to_have_text("Entry 2")

    await page.locator("[data-back]").click()
    await expect(heading(page)).to_have_text("Entry 3")
    await direct.locator("[data-back]").click()

    await expect(direct).to_have_url(server.url + "/contents")
    await expect(rows(direct)).to_have_count(3)


async def test_focus_title_and_scrolling(case):
    """A new screen gets focus on its heading and its own title; back restores title, focus and scroll position."""
    server = await case.serve_contents(80)
    page = await case.live(server, "/contents", viewport={"width": 800, "height": 600})
    await expect(rows(page)).to_have_count(80)
    assert await page.title() == "Contents"
    opener = page.locator("[data-row='20'] h2 a")
    await opener.scroll_into_view_if_needed()
    # The click itself may scroll.
    await page.evaluate("addEventListener('click', () => window.clickedAt = scrollY, { capture: true, once: true })")

    await opener.click()
    place = await page.evaluate("clickedAt")
    assert place > 1000
    await expect(heading(page)).to_have_text("Entry 20")
    await expect(heading(page)).to_be_focused()
    await expect(page).to_have_title("Entry 20")
    assert await page.evaluate("scrollY") == 0
    await page.go_back()

    await expect(rows(page)).to_have_count(80)
    await expect(opener).to_be_focused()
    await expect(page).to_have_title("Contents")
    now = await page.evaluate("scrollY")
    assert abs(now - place) < 2, f"from {place} to {now}"


async def test_the_place_on_the_way_back(case):
    """What opened a screen is where it was on the way back, though rows were posted meanwhile and are of any size."""
    server = await case.serve_contents(80)
    case.change_contents("UPDATE content SET text = ? WHERE id % 2 = 0", ("A long text. " * 20,))
    page = await case.live(server, "/contents", viewport={"width": 320, "height": 600})
    opener = page.locator("[data-row='20'] h2 a")
    await opener.scroll_into_view_if_needed()
    top = "link => new Promise((seen) => requestAnimationFrame(() => requestAnimationFrame(() => seen(link.getBoundingClientRect().top))))"
    place = await opener.evaluate(top)

    await opener.click()
    await expect(heading(page)).to_have_text("Entry 20")
    case.change_contents("INSERT INTO content (title, text, author, time) VALUES (?, ?, '', 1)", ("New", "text"))
    await case.live(server, "/contents")
    await page.go_back()
    await expect(rows(page)).to_have_count(81)

    await expect(opener).to_be_focused()
    assert abs(await opener.evaluate(top) - place) < 2, f"from {place} to {await opener.evaluate(top)}"


async def test_boxes_on_the_way_back(case):
    """A box that scrolls is scrolled as it was on the way back, with what opened the screen in its place, also in a smooth page."""
    server = await case.serve_contents(80)
    page = await case.live(server, "/contents", viewport={"width": 800, "height": 600})
    scrolled = "document.querySelector('.rows').scrollTop"
    await page.evaluate("Object.assign(document.querySelector('.rows').style, { height: '300px', overflow: 'auto' })")
    opener = page.locator("[data-row='20'] h2 a")
    await opener.scroll_into_view_if_needed()
    await page.evaluate("document.documentElement.style.scrollBehavior = 'smooth'")
    await opener.focus()
    before = [await page.evaluate(scrolled), await opener.evaluate("link => link.getBoundingClientRect().top")]
    assert before[0] > 1000, before

    await opener.press("Enter")
    await expect(heading(page)).to_have_text("Entry 20")
    assert await page.evaluate("scrollY") == 0
    await page.go_back()

    await expect(opener).to_be_focused()
    now = [await page.evaluate(scrolled), await opener.evaluate("link => link.getBoundingClientRect().top")]
    assert all(abs(there - here) < 2 for there, here in zip(before, now)), f"from {before} to {now}"


async def test_back_without_a_connection(case):
    """Behind a reload the page below has to be asked for: without a connection it waits, and no page of the browser takes its place."""
    case.allow(lost_network)
    server = await case.serve_contents(3)
    proxy = await case.proxy(server)
    page = await case.live(proxy, "/contents")
    await open_row(page, "Entry 3")
    await page.reload()
    await expect(heading(page)).to_have_text("Entry 3")
    await expect(page.locator("html")).to_have_attribute("data-link", "live")
    proxy.is_refusing = True
    proxy.cut()
    await expect(page.locator("html")).to_have_attribute("data-link", "offline")

    async with page.expect_event("requestfailed", lambda request: request.url == proxy.url + "/contents"):
        await page.go_back()
    await expect(heading(page)).to_have_text("Entry 3")
    proxy.is_refusing = False

    await expect(rows(page)).to_have_count(3)
    await expect(page).to_have_url(proxy.url + "/contents")


async def test_half_typed_text_waits_below(case):
    """Text typed on a screen is there again after a visit to the next one."""
    server = await case.serve_contents(2)
    page = await case.live(server, "/contents")
    await page.locator("#text").fill("half typed")

    await open_row(page, "Entry 2")
    await page.go_back()

    await expect(page.locator("#text")).to_have_value("half typed")
    await page.locator("#title").fill("Now")
    await page.locator("#title").press("Enter")
    await expect(rows(page)).to_have_count(3)
    await expect(rows(page).first).to_contain_text("half typed")


async def test_unknown_addresses(case):
    """An unknown number, nonsense, and an entry that was deleted show that there is nothing, and a way back."""
    server = await case.serve_contents(1)

    for path in ("/contents/99", "/contents/nonsense", "/contents/99999999999999999999"):
        page = await case.open(server.url + path)
        await expect(page.locator("[data-not-found]")).to_be_visible()
        await expect(page.locator("article")).to_be_hidden()
        await page.locator("nav a").click()
        await expect(page).to_have_url(server.url + "/contents")
        await expect(rows(page)).to_have_count(1)


async def test_an_entry_that_goes_while_it_is_read(case):
    """Who reads an entry that somebody deletes keeps reading, and is told."""
    server = await case.serve_contents(2)
    page, other = await case.live(server, "/contents"), await case.live(server, "/contents")
    await open_row(page, "Entry 2")

    await rows(other).first.locator("[data-on-click=delete]").click()
    await other.locator("dialog[open] [data-on-click=confirmDelete]").click()

    await expect(page.locator("[data-bind-shown=isGone]")).to_be_visible()
    await expect(heading(page)).to_have_text("Entry 2")


async def test_ways_out_of_a_dialog(case):
    """Escape, the browser's back button, its own button and a tap beside it close a dialog; the focus returns."""
    server = await case.serve_contents(2)
    page = await case.live(server, "/contents")
    delete = rows(page).first.locator("[data-on-click=delete]")
    dialog = page.locator("dialog[open]")

    async def press_escape():
        await page.keyboard.press("Escape")

    async def go_back():
        await page.go_back()

    async def press_keep():
        await dialog.get_by_role("button", name="Keep it").click()

    async def tap_beside():
        await page.mouse.click(5, 5)

    for leave in (press_escape, go_back, press_keep, tap_beside):
        await delete.click()
        await expect(dialog).to_contain_text("Entry 2")
        await leave()
        await expect(dialog).to_have_count(0)
        await expect(delete).to_be_focused()
        await expect(page).to_have_url(server.url + "/contents")
        await expect(rows(page)).to_have_count(2)
    # The dialog's entry of the history is left a moment after the dialog; a reload meanwhile would be cut off by that.
    await page.wait_for_function("!history.state.musubi.at(-1).includes(' of ')")
    await page.reload()
    await expect(rows(page)).to_have_count(2)
    await expect(dialog).to_have_count(0)


async def test_marking_text_out_of_a_dialog(case):
    """Who marks its text with the mouse and lets go beside it has it open; a press and its end beside it close it."""
    server = await case.serve_contents(3)
    page = await case.live(server, "/contents")
    await page.locator("[data-on-click=delete]").first.click()
    dialog = page.locator("dialog[open]")
    await expect(dialog).to_be_visible()
    # What a click does shows behind it, once the page has been drawn again.
    drawn = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
    box = await dialog.locator("h2").bounding_box()

    await page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    await page.mouse.down()
    await page.mouse.move(5, 5, steps=5)
    await page.mouse.up()
    await page.evaluate(drawn)
    await expect(dialog).to_be_visible()
    await page.mouse.click(5, 5)

    await expect(dialog).to_have_count(0)


async def test_a_dialog_survives_a_reload(case):
    """A question that is open stays open over a reload, and its answer still means the same entry."""
    server = await case.serve_contents(3)
    page = await case.live(server, "/contents")
    await page.locator("[data-row='2'] [data-on-click=delete]").click()
    await expect(page.locator("dialog[open]")).to_contain_text("Entry 2")

    await page.reload()
    await expect(page.locator("dialog[open]")).to_contain_text("Entry 2")
    await page.locator("dialog[open] [data-on-click=confirmDelete]").click()

    await expect(rows(page)).to_have_count(2)
    await expect(page.locator("[data-row='2']")).to_have_count(0)


async def test_two_visitors(case):
    """A types, B types, A taps: A's text is posted, and only A gets the navigation, the dialog and the error."""
    server = await case.serve()
    ann, bob = await case.live(server, "/contents"), await case.live(server, "/contents")
    for page, name in ((ann, "Ann"), (bob, "Bob")):
        await page.locator("#title").fill(f"by {name}")
        await page.locator("#text").fill(f"text of {name}")

    await ann.locator(".compose .button").click()
    await expect(rows(bob)).to_have_count(1)
    await expect(rows(bob).first).to_contain_text("text of Ann")
    await expect(ann.locator("#title")).to_have_value("")
    await expect(bob.locator("#title")).to_have_value("by Bob")

    await ann.locator("#title").fill("no text")
    await ann.locator("#title").press("Enter")
    await expect(ann.locator(".error")).to_contain_text("text is empty")
    await rows(ann).first.locator("[data-on-click=delete]").click()
    await expect(ann.locator("dialog[open]")).to_be_visible()
    await ann.keyboard.press("Escape")
    await open_row(ann, "by Ann")

    await expect(bob).to_have_url(server.url + "/contents")
    await expect(bob.locator("dialog[open]")).to_have_count(0)
    await expect(bob.locator(".error")).to_be_hidden()
    assert not any("screens" in frame and len(frame["screens"]) > 1 for frame in bob.frames_received)
    assert not any("dialog" in entry for frame in bob.frames_received for entry in frame.get("screens", []))


async def test_errors_follow_the_language(case):
    """An error that is shown changes with the page's language, and has the colour that the View layer chose."""
    server = await case.serve()
    page, japanese = await case.live(server, "/contents"), await case.live(server, "/contents", locale="ja")
    for each in (page, japanese):
        await each.locator("#title").fill("題名だけ")
        await each.locator("#title").press("Enter")
    await expect(page.locator(".error")).to_have_text(re.compile("text is empty"), use_inner_text=True)
    await expect(japanese.locator(".error")).to_have_text(re.compile("本文が空です"), use_inner_text=True)

    await page.locator("[data-speak=ja]").click()
    await expect(page.locator(".error")).to_have_text(re.compile("^本文が空です"), use_inner_text=True)
    await expect(page.locator(".error")).to_have_attribute("data-tone", "notice")

    times = japanese.locator("time")
    await japanese.locator("#text").fill("本文")
    await japanese.locator("#title").press("Enter")
    await expect(times.first).to_have_text(re.compile(r"^\d{4}/\d\d/\d\d"))
    await japanese.locator("[data-speak=en]").click()
    await expect(times.first).to_have_text(re.compile(r"^[A-Z][a-z]{2} \d"))


async def test_the_second_file_does_not_load(case):
    """A page whose second file does not load says so, tries again, and is complete once it has come."""
    case.allow(r"net::ERR_|Failed to load module|was preloaded")
    server = await case.serve_contents(3)
    page = await case.open("about:blank")
    failures = 0

    async def fail_at_first(route):
        nonlocal failures
        failures += 1
        await (route.abort() if failures < 4 else route.continue_())

    await page.route("**/musubi-more.js*", fail_at_first)
    await page.goto(server.url + "/contents")

    await expect(page.locator("body > [role=status]")).to_contain_text("No connection to the server. Trying again.")
    await expect(page.locator("main")).to_have_attribute("data-cloak", "")
    await expect(rows(page)).to_have_count(3)
    await expect(page.locator("main")).not_to_have_attribute("data-cloak", "")
    assert failures >= 4
    await open_row(page, "Entry 3")


def hold_in(held):
    """Keeps requests unanswered."""
    return lambda route: held.put_nowait(route)


async def test_a_screen_waits_for_its_style_sheet(case):
    """A screen is shown once its style sheet applies, which tells what scrolls in it; one that does not load keeps nobody waiting."""
    case.allow(r"net::ERR_")
    server = await case.serve_test_screens()
    for end in ("continue_", "abort"):
        page = await case.open("about:blank")
        held = asyncio.Queue()
        await page.route("**/day.css", hold_in(held))
        await page.goto(server.url + "/diary")
        await expect(page.locator("html")).to_have_attribute("data-link", "live")
        await page.locator("#open").click()
        route = await asyncio.wait_for(held.get(), 60)
        assert await page.locator("#note").count() == 0, "it is shown without its style sheet"

        await getattr(route, end)()
        await expect(page.locator("h1:visible")).to_contain_text("Monday")
        await page.locator("#note").fill("written")
        await page.go_back()
        await expect(page.locator("#draft")).to_be_visible()


async def test_entries_are_links(case):
    """An entry's link can be copied and opened in a tab of its own; a plain click goes there on the same connection."""
    server = await case.serve_contents(2)
    page = await case.live(server, "/contents")
    sockets = []
    page.on("websocket", lambda socket: sockets.append(socket))
    link = page.get_by_role("link", name="Entry 2")
    assert await link.evaluate("link => link.href") == server.url + "/contents/2"

    for button, keys in (("left", ["Control"]), ("middle", []), ("left", ["Shift"])):
        async with page.context.expect_page() as opening:
            await link.click(button=button, modifiers=keys)
        tab = await opening.value
        await expect(tab).to_have_url(server.url + "/contents/2")
        await expect(heading(tab)).to_have_text("Entry 2")
        await tab.close()
        await expect(page).to_have_url(server.url + "/contents")
    assert not any(frame.get("name") == "open" for sent in page.frames_sent for frame in sent.get("inputs", [sent]))

    await link.click()
    await expect(page).to_have_url(server.url + "/contents/2")
    await expect(heading(page)).to_have_text("Entry 2")
    older = page.get_by_role("link", name="Older entry")
    assert await older.evaluate("link => link.href") == server.url + "/contents/1"
    await older.focus()
    await page.keyboard.press("Enter")
    await expect(heading(page)).to_have_text("Entry 1")
    await expect(older).to_be_hidden()
    assert not sockets, "the page has connected again"


async def test_titles_of_entries(case):
    """The title is the entry's own, on the way there and back, after a reload, and in either language."""
    server = await case.serve_contents(3)
    page = await case.live(server, "/contents")

    await open_row(page, "Entry 3")
    await expect(page).to_have_title("Entry 3")
    await page.locator("[data-on-click=older]").click()
    await expect(page).to_have_title("Entry 2")
    await page.locator("[data-speak=ja]").click()
    await expect(page).to_have_title("Entry 2")
    await page.go_back()
    await expect(page).to_have_title("Entry 3")
    await page.reload()
    await expect(page).to_have_title("Entry 3")
    await page.go_back()
    await expect(page).to_have_title("投稿")
    direct = await case.live(server, "/contents/2", locale="ja")
    await expect(direct).to_have_title("Entry 2")
    missing = await case.open(server.url + "/contents/99", locale="ja")
    await expect(missing).to_have_title("投稿の詳細")
