# SPDX-License-Identifier: Apache-2.0
"""Who is here, in every engine: who closes a tab or the browser is gone at once, and several tabs of one person are one person."""

from presence_test import is_hushed, left, patient, type_and_watch, writes

names = "[...document.querySelectorAll('.people li')].map((one) => one.innerText.trim())"


async def watcher_of(case):
    """A server that misses nobody by itself for ten minutes, and somebody with a card on the board."""
    server = await case.serve(*patient)
    url = server.url + "/board?room=here"
    watcher, = await case.visitors(url)
    await watcher.click("[data-on-click=add]")
    await watcher.counts(".board-card input", 1)
    return watcher, url


async def types(watcher) -> None:
    await watcher.run(type_and_watch)
    await watcher.until(True, writes)


async def has_seen(watcher) -> None:
    """Whether somebody was gone before the watcher's own last key was forgotten."""
    await watcher.run("hush()")
    await watcher.until(True, is_hushed)
    assert await watcher.run(f"return {left}") == 1, await watcher.run("return seen")


async def test_a_closed_tab(case):
    """Who closes a tab is gone before the others have forgotten a key that was typed then, though the server waits ten minutes."""
    watcher, url = await watcher_of(case)
    other = case.second_visitor()
    async with other.new_tab():
        await other.open(url)
        await watcher.until(2, f"{names}.length")
        await types(watcher)

    await has_seen(watcher)


async def test_a_closed_browser(case):
    """Who ends the browser is gone as quickly."""
    watcher, url = await watcher_of(case)
    browser = await type(watcher.browser)().start()
    try:
        await browser.open(url)
        await watcher.until(2, f"{names}.length")
        await types(watcher)
    finally:
        await browser.close()

    await has_seen(watcher)


async def test_several_tabs(case):
    """A person who has logged in is one person, with one tab and with three, and is here until the last one closes."""
    watcher, url = await watcher_of(case)
    ann = case.second_visitor()
    await ann.browser.open(url.replace("/board", "/log-in.html"))
    await ann.click("button[value=Ann]")
    await ann.until("/play.html", "location.pathname")
    async with ann.new_tab():
        await ann.open(url)
        await watcher.until(2, f"{names}.length")
        # From now on each state of the list.
        await watcher.run(f"""
            window.states = [];
            new MutationObserver(() => window.states.push({names})).observe(
              document.querySelector(".people"), {{ subtree: true, childList: true, characterData: true }});""")
        for count in (2, 3):
            async with ann.new_tab():
                await ann.open(url)
                await ann.click("[data-on-click=add]")
                await watcher.counts(".board-card input", count)
        # Somebody else comes and goes behind those tabs: whoever left before is seen to have left by then.
        async with watcher.new_tab():
            await watcher.open(url)
            await ann.until(3, f"{names}.length")
        await ann.until(2, f"{names}.length")
        await watcher.until(2, f"{names}.length")
        assert "Ann" in await watcher.run(f"return {names}")
        counts = [sum(name.startswith("Ann") for name in state) for state in await watcher.run("return states")]
        assert set(counts) == {1}, counts
    await watcher.until(1, f"{names}.length")
    assert "Ann" not in await watcher.run(f"return {names}")
    await ann.browser.open(url.replace("/board", "/log-in.html"))
    await ann.click("[action='/log-out'] button")
