# SPDX-License-Identifier: Apache-2.0
"""Who is here, when a page or a whole window closes without a word: others see it at once, long before the server would miss it."""

import asyncio

from harness import time_limit

# The server would miss a silent connection, and forget a session, only then.
patient = ("--dead-after", "600", "--session-lifetime", "600", "--unused-session-lifetime", "600")

# Types into a card until `window.hush()`, and notes each state of the list of people: how many there are, and whether one writes.
# The server says so of somebody for three seconds after the last key at least, which is the clock of these tests.
type_and_watch = """
  const people = document.querySelector(".people");
  const look = () => {
    const names = [...people.children].filter((one) => one.localName === "li").map((one) => one.innerText.trim());
    const state = [names.length, names.some((name) => name.includes("is writing"))];
    if (String(window.seen.at(-1)) !== String(state)) window.seen.push(state);
  };
  window.seen = [];
  look();
  new MutationObserver(look).observe(people, { subtree: true, childList: true, attributes: true, characterData: true });
  const typing = setInterval(() => {
    const field = document.querySelector(".board-card input");
    field.setRangeText("x", field.value.length % 50, field.value.length, "end");
    field.dispatchEvent(new InputEvent("input", { bubbles: true, data: "x", inputType: "insertText" }));
  }, 200);
  window.hush = () => clearInterval(typing);"""
writes = "seen.some(([, isWriting]) => isWriting)"
is_hushed = "!seen.at(-1)[1]"
# How many were there when the list said for the first time that nobody writes any longer.
left = "(seen.slice(seen.findIndex(([, isWriting]) => isWriting)).find(([, isWriting]) => !isWriting) ?? [])[0]"


async def until(page, script: str) -> None:
    async with asyncio.timeout(time_limit / 1000):
        while not await page.evaluate(script):
            await asyncio.sleep(0.02)


async def has_seen(case, close) -> None:
    """One page of two closes while the other one types: that one sees it before its own last key is forgotten."""
    server = await case.serve(*patient)
    watcher = await case.live(server, "/board?room=here")
    await watcher.click("[data-on-click=add]")
    await watcher.wait_for_selector(".board-card input")
    other = await case.live(server, "/board?room=here")
    await until(watcher, "document.querySelectorAll('.people li').length === 2")
    await watcher.evaluate(f"() => {{ {type_and_watch} }}")
    await until(watcher, writes)

    await close(other)
    await watcher.evaluate("hush()")

    await until(watcher, is_hushed)
    assert await watcher.evaluate(left) == 1, await watcher.evaluate("seen")


async def test_a_closed_page(case):
    """Who closes a page is gone before others have forgotten a key that was typed then."""
    async def close(page):
        case.pages.remove(page)
        context = page.context
        await page.close()
        # The browser goes on, with nothing open.
        case._closing.append(context.close)

    await has_seen(case, close)


async def test_a_closed_context(case):
    """Who closes all windows at once is gone as quickly."""
    async def close(page):
        case.pages.remove(page)
        await page.context.close()

    await has_seen(case, close)
