# SPDX-License-Identifier: Apache-2.0
"""A page that was asleep, hidden or left, and its view when somebody looks at it again."""

import os

from playwright.async_api import expect

from harness import NumberPage, lost_network

# The events of a phone whose screen goes dark, and of one that somebody looks at again.
hide_or_show = """(state) => {
  Object.defineProperty(document, "visibilityState", { get: () => state, configurable: true });
  Object.defineProperty(document, "hidden", { get: () => state === "hidden", configurable: true });
  document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
}"""


async def test_a_phone_that_slept(case):
    """A page whose network went away without a word while it slept shows the newest state when it wakes."""
    case.allow(lost_network)
    server = await case.serve()
    proxy = await case.proxy(server)
    page, other = await case.number(proxy), await case.number(server)
    developer = await page.page.context.new_cdp_session(page.page)

    await page.page.evaluate(hide_or_show, "hidden")
    await developer.send("Page.setWebLifecycleState", {"state": "frozen"})
    proxy.freeze()
    await other.retype("42")
    await other.shows("42")
    await developer.send("Page.setWebLifecycleState", {"state": "active"})
    await expect(page.label).to_have_text("0")
    await page.page.evaluate(hide_or_show, "visible")

    await page.shows("42")
    await page.is_live()


async def test_a_browser_that_is_offline(case):
    """A browser that knows that the network is away asks the server at once, and again when the network is back."""
    case.allow(lost_network)
    server = await case.serve()
    proxy = await case.proxy(server)
    # The other came first: by its heartbeat it would be the first to find out.
    other, page = await case.number(proxy), await case.number(proxy)
    proxy.freeze()
    proxy.is_refusing = True

    await page.page.context.set_offline(True)
    await page.is_away()
    assert await other.html.get_attribute("data-link") == "live", "the heartbeat found out, not the event"
    await page.type_at_end("7")
    proxy.is_refusing = False
    await page.page.context.set_offline(False)

    await page.shows("07")
    await page.is_live()


async def test_back_and_forward(case):
    """A page that was left and comes back by the browser's own back button shows the newest state, and goes on."""
    case.allow(lost_network)
    server = await case.serve()
    # The browser of the tests does without the cache that keeps whole pages for the back button.
    browser = await case.browser.browser_type.launch(
        executable_path=os.environ.get("MUSUBI_CHROMIUM", "/usr/bin/chromium"), args=["--no-sandbox"],
        ignore_default_args=["--disable-back-forward-cache"])
    try:
        window = await browser.new_page()
        case.watch(window)
        case.pages.remove(window)  # it goes with its own browser
        await window.goto(server.url + "/number?room=test")
        page, other = NumberPage(window), await case.number(server)
        await page.is_live()
        await window.evaluate("window.isTheSame = true")
        await page.type_at_end("7")
        await other.shows("07")

        await window.goto(server.url + "/segments")
        await other.retype("42")
        await window.go_back(wait_until="commit")  # a page from the cache is not loaded again

        await page.shows("42")
        assert await window.evaluate("window.isTheSame"), "the page was not kept in the back/forward cache"
        await page.type_at_end("1")
        await other.shows("421")
        await page.is_live()
    finally:
        await browser.close()
