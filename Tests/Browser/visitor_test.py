# SPDX-License-Identifier: Apache-2.0
"""A page's visitor: one visitor's values and texts are nobody else's, and are not lost."""

import os
import re

from playwright.async_api import expect

from harness import has_not_gone, lost_network
from wake_test import hide_or_show

# Tells what can be read of the page, whenever it changes: texts, fields, title and what the tab has stored.
watch = """() => {
  const look = () => {
    const fields = [...document.querySelectorAll("input")].map(({ value }) => value);
    const stored = Object.entries(sessionStorage).flat();
    const isSeen = document.documentElement.style.opacity !== "0";
    const shown = isSeen ? [document.title, document.body?.textContent ?? "", ...fields] : [];
    musubiShows([...shown, ...stored].join(" | "));
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}"""


async def sign_in(page, name: str, url: str, **cookies) -> None:
    """Another tab of the same browser has signed in, or out, if there is no name."""
    if not name:
        return await page.context.clear_cookies()
    cookies = {"visitor": name, **cookies}
    await page.context.add_cookies([{"name": key, "value": str(value), "url": url} for key, value in cookies.items()])


async def open_as(case, server, name: str, path: str = "/diary", **cookies):
    """The page of a visitor; `page.shows` is all that it has shown and stored, moment by moment."""
    case.allow(lost_network)
    page = await case.open("about:blank")
    page.shows = []
    await page.expose_function("musubiShows", lambda text: page.shows.append(text))
    await page.add_init_script(f"({watch})()")
    await sign_in(page, name, server.url, **cookies)
    await page.goto(server.url + path)
    return page


async def belongs_to(page, name: str) -> None:
    await expect(page.locator("h1:visible")).to_have_text(re.compile(f"of {name}$"))
    await expect(page.locator("html")).to_have_attribute("data-link", "live")


def lose(proxy) -> None:
    proxy.is_refusing = True
    proxy.cut()


def find(proxy) -> None:
    proxy.is_refusing = False


async def write_diary(page) -> None:
    """Fills everything that a page can show: a text, a value, a row, a message that quotes, a stored queue."""
    await page.locator("#draft").fill("private draft")
    await page.locator("#write").click()
    await expect(page.locator("li")).to_have_count(2)
    await page.locator("#mood").fill("9")
    await page.locator("li input").nth(1).fill("private row")
    await page.keyboard.press("Tab")
    await expect(page.locator("li span").nth(1)).to_have_text("private row")


def shows_nothing_private(page) -> None:
    """What the first visitor had is seen at no moment together with what the second one has, nor after it."""
    seen = [text for text in page.shows if "of bob" in text or "of nobody" in text]
    assert seen, "the second visitor's page was never seen"
    mixed = [text for text in page.shows[page.shows.index(seen[0]):] if "private" in text or "of ann" in text]
    assert not mixed, mixed[0]


async def has_stored_nothing_private(page) -> None:
    stored = await page.evaluate("JSON.stringify([Object.entries(sessionStorage), Object.entries(localStorage), history.state])")
    assert "private" not in stored and "ann" not in stored, stored


changed = "Somebody else is signed in now."


async def test_somebody_else(case):
    """Ann has logged out in another tab and Bob has logged in: his page shows nothing of hers, and says why it began again."""
    server = await case.serve_test_screens()
    proxy = await case.proxy(server)
    page = await open_as(case, proxy, "ann")
    await belongs_to(page, "ann")
    await write_diary(page)
    lose(proxy)
    await expect(page.locator("html")).not_to_have_attribute("data-link", "live")
    await page.locator("#draft").fill("private and not sent")
    await page.locator("#write").click()

    await sign_in(page, "bob", proxy.url)
    find(proxy)

    await belongs_to(page, "bob")
    await expect(page.locator("[role=status]")).to_contain_text(changed)
    await expect(page.locator("#draft")).to_have_value("")
    await expect(page.locator("#mood")).to_have_value("5")
    await expect(page.locator("#writes")).to_have_text("0")
    await case.photograph(page, "visitor-changed")
    await page.locator("#draft").focus()
    await page.keyboard.press("Control+z")
    await page.locator("#draft").press_sequentially("mine")
    await page.locator("#write").click()
    await expect(page.locator("li span")).to_have_text(["Secrets of bob", "mine"])
    shows_nothing_private(page)
    await has_stored_nothing_private(page)


async def test_nobody_any_more(case):
    """So it is when Ann has only logged out; what lies in the tab's storage for other pages goes, too."""
    server = await case.serve_test_screens()
    page = await open_as(case, server, "ann")
    await belongs_to(page, "ann")
    await write_diary(page)
    await page.goto(server.url + "/diary?second")
    await belongs_to(page, "ann")
    assert "private draft" in await page.evaluate("Object.entries(sessionStorage).join()")

    await sign_in(page, "", server.url)
    await page.reload()

    await belongs_to(page, "nobody")
    await expect(page.locator("[role=status]")).to_contain_text("Nobody is signed in here now.")
    shows_nothing_private(page)
    await has_stored_nothing_private(page)
    await page.reload()
    await belongs_to(page, "nobody")
    await expect(page.locator("[role=status]")).to_have_text("")


async def test_a_word_in_the_address(case):
    """What Ann has searched for leaves the address with her; a parameter that no output writes stays."""
    server = await case.serve()
    for comes_back in (False, True):
        page = await open_as(case, server, "", "/log-in.html?next=%2Fsearch%3Ffrom%3Dlink")
        await page.locator("[value=Ann]").click()
        await expect(page).to_have_url(server.url + "/search?from=link")
        word = page.locator("#word")
        await word.fill("private")
        await expect(page).to_have_url(server.url + "/search?from=link&searchWord=private")
        await expect(page.locator("[role=status]")).to_have_text("")

        await page.context.clear_cookies()
        if comes_back:
            # As behind a log-in: the entry of the history is new, and the address is the old one.
            await page.goto(server.url + "/icon.svg")
            await page.goto(server.url + "/search?from=link&searchWord=private")
        else:
            await page.reload()

        await expect(page).to_have_url(server.url + "/search?from=link")
        await expect(page.locator("html")).to_have_attribute("data-link", "live")
        await expect(page.locator("[role=status]")).to_contain_text("Nobody is signed in here now.")
        await expect(word).to_have_value("")
        await expect(page.locator(".rows .row")).to_have_count(0)
        await has_stored_nothing_private(page)


async def test_signing_in(case):
    """Who signs in goes on with what they had typed before; a press that nobody has confirmed is told and not repeated."""
    server = await case.serve_test_screens()
    proxy = await case.proxy(server)
    for is_reloaded in (False, True):
        page = await open_as(case, proxy, "")
        await belongs_to(page, "nobody")
        await page.locator("#draft").fill("typed before")
        await expect(page.locator("[role=status]")).to_have_text("")
        lose(proxy)
        await expect(page.locator("html")).not_to_have_attribute("data-link", "live")
        await page.locator("#draft").press("End")
        await page.keyboard.type(" and later")
        await page.locator("#mood").fill("8")
        await page.locator("#write").click()

        await sign_in(page, "ann", proxy.url)
        find(proxy)
        if is_reloaded:
            await page.reload()

        await belongs_to(page, "ann")
        await expect(page.locator("#draft")).to_have_value("typed before and later")
        await expect(page.locator("#mood")).to_have_value("8")
        await expect(page.locator("#writes")).to_have_text("0")
        await page.locator("#write").click()
        await expect(page.locator("li span")).to_have_text(["Secrets of ann", "typed before and later"])
        assert not any(changed in text for text in page.shows)


async def test_with_screens_and_a_dialog_open(case):
    """A screen on top with a typed note, and a dialog that quotes a line, are gone with everything below them."""
    server = await case.serve_test_screens()
    proxy = await case.proxy(server)
    stack = await open_as(case, proxy, "ann")
    await belongs_to(stack, "ann")
    await write_diary(stack)
    await stack.locator("#open").click()
    await expect(stack.locator("h1")).to_have_text("Monday of ann")
    await stack.locator("#note").fill("private note")
    dialog = await open_as(case, proxy, "ann")
    await belongs_to(dialog, "ann")
    await write_diary(dialog)
    await dialog.locator("li button").nth(1).click()
    await expect(dialog.locator("dialog")).to_contain_text("private row")

    for page in (stack, dialog):
        await sign_in(page, "bob", proxy.url)
    proxy.cut()

    for page in (stack, dialog):
        await belongs_to(page, "bob")
        await expect(page.locator("[role=status]")).to_contain_text(changed)
    await expect(stack.locator("#note")).to_have_value("")
    await expect(dialog.locator("dialog")).to_be_hidden()
    await stack.go_back()
    await belongs_to(stack, "bob")
    for page in (stack, dialog):
        shows_nothing_private(page)
        await has_stored_nothing_private(page)


async def test_a_duplicated_tab(case):
    """The duplicate of a tab that Ann has left hidden has her queue, and Bob sees and sends nothing of it."""
    server = await case.serve_test_screens()
    proxy = await case.proxy(server)
    page = await open_as(case, proxy, "ann")
    await belongs_to(page, "ann")
    lose(proxy)
    await expect(page.locator("html")).not_to_have_attribute("data-link", "live")
    await page.locator("#draft").fill("private draft")
    await page.evaluate(hide_or_show, "hidden")
    copy = await case.copy_tab(page)
    assert "private" in await copy.evaluate("Object.entries(sessionStorage).join()")
    await sign_in(page, "bob", proxy.url)
    find(proxy)

    await copy.goto(page.url)

    await belongs_to(copy, "bob")
    await expect(copy.locator("[role=status]")).to_contain_text(changed)
    await expect(copy.locator("#draft")).to_have_value("")
    await has_stored_nothing_private(copy)
    await page.evaluate(hide_or_show, "visible")
    await belongs_to(page, "bob")
    await has_stored_nothing_private(page)


async def test_back_after_a_log_out(case):
    """A page that the browser kept whole for its back button shows nothing of Ann, whoever is there now."""
    server = await case.serve_test_screens()
    # The browser of the tests does without the cache that keeps whole pages for the back button.
    browser = await case.browser.browser_type.launch(
        executable_path=os.environ.get("MUSUBI_CHROMIUM", "/usr/bin/chromium"), args=["--no-sandbox"],
        ignore_default_args=["--disable-back-forward-cache"])
    case.allow("status of 401")
    original, case.browser = case.browser, browser
    try:
        for name in ("bob", "", "mallory", "ann"):
            page = await open_as(case, server, "ann")
            await belongs_to(page, "ann")
            await write_diary(page)
            await page.evaluate("() => void (onpageshow = ({ persisted }) => persisted && sessionStorage.setItem('wasKept', '1'))")
            await page.goto(server.url + "/controls")
            await sign_in(page, name, server.url)
            page.shows.clear()
            await page.go_back(wait_until="commit")

            if name == "mallory":
                await expect(page.locator("[role=status]")).to_have_text(re.compile("^You are signed out.*Mallory may not come in.$"))
                assert not any("private" in text.split(" | musubi ")[0] for text in page.shows)
            else:
                await belongs_to(page, name or "nobody")
                if name == "ann":
                    await expect(page.locator("li span").nth(1)).to_have_text("private row")
                else:
                    shows_nothing_private(page)
                    await has_stored_nothing_private(page)
            assert await page.evaluate("sessionStorage.getItem('wasKept')"), "the page was not kept in the back/forward cache"
    finally:
        case.browser = original
        for page in [page for page in case.pages if page.context.browser == browser]:
            case.pages.remove(page)
        await browser.close()


async def test_refused_at_the_first_visit(case):
    """Who may not come in reads the sentence that the application has for them, and comes in after signing in."""
    case.allow("status of 401")
    server = await case.serve_test_screens()
    page = await open_as(case, server, "mallory")

    await expect(page.locator("[role=status]")).to_have_text("Mallory may not come in.")
    await expect(page.locator("html")).to_have_attribute("data-link", "expired")
    for width in (1280, 390):
        await page.set_viewport_size({"width": width, "height": 900})
        await case.photograph(page, f"visitor-denied-{width}")
    await sign_in(page, "ann", server.url)
    await page.evaluate(hide_or_show, "hidden")
    await page.evaluate(hide_or_show, "visible")
    await belongs_to(page, "ann")
    await expect(page.locator("[role=status]")).to_have_text("")


async def test_signed_out(case):
    """A page that is no longer let in says so, keeps typing and sends nothing; it is sent when Ann is back."""
    case.allow("status of 401")
    server = await case.serve_test_screens()
    proxy = await case.proxy(server)
    page = await open_as(case, proxy, "ann")
    await belongs_to(page, "ann")
    await page.locator("#draft").fill("one ")
    await expect(page.locator("[role=status]")).to_have_text("")

    await sign_in(page, "mallory", proxy.url)
    proxy.cut()
    await expect(page.locator("[role=status]")).to_contain_text("You are signed out. ")
    await expect(page.locator("[role=status]")).to_contain_text("Mallory may not come in.")
    await expect(page.locator("html")).to_have_attribute("data-link", "expired")
    sent = len(page.frames_sent)
    await page.locator("#draft").press("End")
    await page.keyboard.type("two")
    for width in (1280, 390):
        await page.set_viewport_size({"width": width, "height": 900})
        await case.photograph(page, f"visitor-signed-out-{width}")
    await expect(page.locator("#draft")).to_have_value("one two")
    connections = proxy.connections
    await has_not_gone(page)
    assert (len(page.frames_sent), proxy.connections) == (sent, connections), "a page that is signed out sends and tries nothing"

    # What waits outlives a reload while nobody is let in.
    await page.reload()
    await expect(page.locator("[role=status]")).to_contain_text("You are signed out. ")
    await sign_in(page, "ann", proxy.url)
    await page.reload()
    await belongs_to(page, "ann")
    await expect(page.locator("#draft")).to_have_value("one two")

    await page.evaluate("() => void (document.documentElement.lang = 'ja')")
    await sign_in(page, "mallory", proxy.url)
    proxy.cut()
    await expect(page.locator("[role=status]")).to_contain_text("ログアウトしています。")
    await page.locator("#draft").press("End")
    await page.keyboard.type(" three")
    await case.photograph(page, "visitor-signed-out-ja")
    await sign_in(page, "ann", proxy.url)
    await page.evaluate(hide_or_show, "hidden")
    await page.evaluate(hide_or_show, "visible")
    await belongs_to(page, "ann")
    await page.locator("#write").click()
    await expect(page.locator("li span").nth(1)).to_have_text("one two three")


async def test_identified_again(case):
    """Before the server's knowledge of her is too old, Ann's page says again who she is: typing goes on, nothing flickers."""
    case.allow("status of 401")
    server = await case.serve_test_screens()
    proxy = await case.proxy(server)
    # The server asks at nine tenths of this time at the latest; one that is held up beyond the whole cuts the page off.
    page = await open_as(case, proxy, "ann", **{"valid-for": 5})
    await belongs_to(page, "ann")
    said = await case.listen(page)
    before, typed = proxy.connections, ""

    while proxy.connections < before + 3:
        assert await page.locator("html").get_attribute("data-link") != "expired", said
        await page.locator("#draft").press_sequentially(str(len(typed) % 10))
        typed += str(len(typed) % 10)

    await expect(page.locator("#draft")).to_have_value(typed)
    await page.locator("#write").click()
    await expect(page.locator("li span").nth(1)).to_have_text(typed)
    assert all(words.startswith("live ") for words in said), said
    await sign_in(page, "mallory", proxy.url)
    await expect(page.locator("[role=status]")).to_contain_text("You are signed out. ")
    await expect(page.locator("#draft")).to_have_value(typed)


async def test_signed_out_everywhere(case):
    """Ann signs out: at once her pages in all tabs and browsers are nobody's, or at the log-in, and show nothing of hers."""
    case.allow("status of 401")
    server = await case.serve_test_screens("--loops", "2")
    page, phone = await open_as(case, server, "ann", "/account"), await open_as(case, server, "ann", "/account")
    journals = [await open_as(case, server, "ann", "/journal") for _ in range(2)]
    for each in (page, phone, *journals):
        await expect(each.locator("[data-bind-text=who]")).to_have_text("ann")
    await page.locator("textarea").fill("private")
    await expect(page.locator("[role=status]")).to_have_text("")

    await phone.locator("[data-on-click=leave]").click()

    for each in (page, phone):
        await expect(each.locator("[data-bind-text=who]")).to_have_text("nobody")
        await expect(each.locator("[role=status]")).to_contain_text("Nobody is signed in here now.")
        await expect(each.locator("textarea")).to_have_value("")
        await has_stored_nothing_private(each)
    for journal in journals:
        await journal.wait_for_url("**/login.html?next=%2Fjournal")


async def test_a_log_in_on_the_way(case):
    """A page that needs a log-in goes there and comes back; what Ann has typed is sent if it is she who comes back."""
    case.allow("status of 401")
    server = await case.serve_test_screens()
    proxy = await case.proxy(server)
    page = await open_as(case, proxy, "", "/journal?mood=a%20b")
    await page.wait_for_url("**/login.html?next=%2Fjournal%3Fmood%3Da%2520b")
    note = page.locator("textarea")

    async def log_in(name: str) -> None:
        await page.locator("input").fill(name)
        await page.locator("button").click()
        await page.wait_for_url(re.compile(r"/journal\?mood=a(%20|\+)b"))
        await expect(page.locator("[data-bind-text=who]")).to_have_text(name)

    async def lose_log_in(text: str) -> None:
        """The page loses its connection, somebody types on, and the log-in has ended when it comes back."""
        lose(proxy)
        await expect(page.locator("html")).not_to_have_attribute("data-link", "live")
        await note.press("End")
        await page.keyboard.type(text)
        await sign_in(page, "", proxy.url)
        find(proxy)
        await page.wait_for_url("**/login.html?next=*")
        assert "one" not in page.url, "What the page has written into its address stays away from the log-in."

    await log_in("ann")
    await note.fill("one")
    await expect(page).to_have_url(re.compile("note=one$"))
    await expect(page.locator("[role=status]")).to_have_text("")
    await lose_log_in(" two")
    await log_in("ann")
    await expect(note).to_have_value("one two")
    await expect(page).to_have_url(re.compile(r"mood=a\+b&note=one\+two$"))
    await expect(page.locator("[role=status]")).to_have_text("")

    await lose_log_in(" private")
    await log_in("bob")
    await expect(note).to_have_value("")
    assert "note=" not in page.url
    await has_stored_nothing_private(page)


async def test_a_slow_answer(case):
    """A page whose visitor is not known at once opens when it is; an expired visitor is asked again, and typing goes on."""
    case.allow("status of 503")
    server = await case.serve_test_screens("--identify-timeout", "2")
    page = await open_as(case, server, "ann", "/account", slow=300, **{"valid-for": 5})
    await expect(page.locator("[data-bind-text=who]")).to_have_text("ann")
    said, typed, note = await case.listen(page), "", page.locator("textarea")
    opened = len(page.frames_sent)

    while sum("resume" in frame for frame in page.frames_sent[opened:]) < 2:
        await note.press_sequentially(str(len(typed) % 10))
        typed += str(len(typed) % 10)

    await expect(note).to_have_value(typed)
    assert all(words.startswith("live ") for words in said), said
    # Somebody else in another tab: known at the next question, and nothing is handed over.
    await sign_in(page, "bob", server.url)
    await expect(page.locator("[data-bind-text=who]")).to_have_text("bob")
    await expect(page.locator("[role=status]")).to_contain_text(changed)
    await expect(note).to_have_value("")

    slow = await open_as(case, server, "ann", "/account", slow=30_000)
    await expect(slow.locator("[role=status]")).to_have_text("The server is full at the moment. Trying again.")
    await sign_in(slow, "ann", server.url, slow=1)
    await expect(slow.locator("[data-bind-text=who]")).to_have_text("ann", timeout=60_000)


async def test_too_many_pages(case):
    """A visitor with too many pages is told so, and the last one opens by itself when another has gone."""
    server = await case.serve_test_screens("--max-connections-per-peer", "1")
    case.allow("429")
    first = await open_as(case, server, "ann")
    await belongs_to(first, "ann")

    second = await open_as(case, server, "ann")
    await expect(second.locator("[role=status]")).to_have_text("Too many pages are open from here. Trying again.")
    other = await open_as(case, server, "ben")
    await belongs_to(other, "ben")
    await first.close()

    await belongs_to(second, "ann")
    await expect(second.locator("[role=status]")).to_have_text("")
