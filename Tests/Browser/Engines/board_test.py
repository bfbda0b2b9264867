# SPDX-License-Identifier: Apache-2.0
"""The board in every engine: cards that several edit, move, find and delete, of which a page has those that it shows."""

import contextlib

from access_test import axe, broken_rules
from engines import Unable
from harness import lost_network
from looks_test import fits

column = "document.querySelector(`[aria-labelledby=${arguments[0]}].board-cards`)"
titles = f"[...{column}.querySelectorAll('.board-card input')].map((field) => field.value)"
counts = "['todo', 'doing', 'done'].map((id) => document.querySelector(`#${id} .soft`).textContent)"
carets = "document.querySelectorAll('.musubi-caret').length"

# Counts how often the page connects from now on.
count_lines = """
    window.lines = 0;
    window.WebSocket = class extends WebSocket { constructor(...all) { super(...all); window.lines++; } };"""


async def add(visitor, title: str) -> None:
    before = await visitor.run(f"return {counts}[0]")
    await visitor.click("[data-on-click=add]")
    await visitor.until(True, f"{counts}[0] !== arguments[0]", before)
    await visitor.until("", f"{titles}[0]", "todo")
    await write(visitor, "todo", 0, title)


async def write(visitor, where: str, row: int, text: str) -> None:
    """Types behind the title of a card, key by key."""
    await visitor.run(f"""
        const field = {column}.querySelectorAll(".board-card input")[arguments[1]];
        field.focus();
        for (const key of arguments[2]) {{
          field.setRangeText(key, field.value.length, field.value.length, "end");
          field.dispatchEvent(new InputEvent("input", {{ bubbles: true, data: key, inputType: "insertText" }}));
        }}""", where, row, text)


async def find(visitor, word: str) -> None:
    await visitor.run("""
        const field = document.querySelector("#word");
        field.value = arguments[0];
        field.dispatchEvent(new InputEvent("input", { bubbles: true }));""", word)


async def test_everything(case):
    """Two people edit one card at once, one moves and deletes it, the other brings it back; each finds for themselves."""
    server = await case.serve()
    ann, bob = await case.visitors(server.url + "/board?room=ours", server.url + "/board?room=ours")
    await ann.until(["0", "0", "0"], counts)
    await add(ann, "Tea")
    await add(ann, "お茶")
    await bob.until(["お茶", "Tea"], titles, "todo")

    # Both in one title; who looks sees where the other is.
    await write(bob, "todo", 1, " for two")
    await write(ann, "todo", 1, "!")
    for one in (ann, bob):
        # Where both meet depends on who was first.
        await one.until(["Tea for two", 12], f"[{titles}[1].replace('!', ''), {titles}[1].length]", "todo")
    await bob.until(True, f"{carets} > 0")

    # By the keyboard: taken, two columns to the right, dropped.
    await ann.run(f"{column}.querySelectorAll('[data-handle]')[1].focus()", "todo")
    for key in (" ", "\ue014", "\ue014", " "):
        await ann.press(key)
    for one in (ann, bob):
        await one.until(["1", "0", "1"], counts)
        await one.until(True, f"/^Tea/.test({titles}[0])", "done")

    # A filter is its page's own, stands in the address, and is there after a reload.
    await find(bob, "茶")
    await bob.until(["1", "0", "0"], counts)
    await bob.until("?room=ours&word=%E8%8C%B6", "location.search")
    await ann.until(["1", "0", "1"], counts)
    await bob.run("window.isOld = true; location.reload();")
    await bob.until(None, "window.isOld ?? null")
    await bob.until(["1", "0", "0"], counts)
    await bob.until("茶", "document.querySelector('#word').value")
    await find(bob, "")
    await bob.until(["1", "0", "1"], counts)

    await ann.run(f"{column}.querySelector('[data-on-click=delete]').click()", "done")
    await bob.until(["1", "0", "0"], counts)
    await bob.click("[data-on-click=undo]")
    await ann.until(["1", "0", "1"], counts)

    for width in (1280, 390):
        with contextlib.suppress(Unable):  # WebKit's window has a least width
            await ann.fit(width, 844)
        for language in ("en", "ja"):
            await ann.click(f"[data-speak={language}]")
            await fits(ann, f"the board, {width} px, {language}")
            await ann.photograph(f"board-{width}-{language}")
    broken = broken_rules(await ann.run(f"{axe.axe_script}; return axe.run();"))
    assert not broken, broken


async def test_five_thousand(case):
    """5,000 cards: a page has some dozens; what is typed far down arrives, and what is typed offline, too."""
    case.allow(lost_network)
    server = await case.serve()
    ann, bob = await case.visitors(server.url + "/board?room=many", server.url + "/board?room=many")
    await ann.click("[data-on-click=fill]")
    for one in (ann, bob):
        await one.until(["5000", "0", "0"], counts)
    rows = await ann.run("return document.querySelectorAll('.board-card').length")
    assert rows < 200, rows
    for one in (ann, bob):
        await one.run(f"{column}.scrollTop = {column}.scrollHeight / 2", "todo")
        await one.until(True, f"{titles}.some((title) => title === 'Card 2500')", "todo")
    at = f"{titles}.indexOf('Card 2500')"
    await write(ann, "todo", await ann.run(f"return {at}", "todo"), " is mine")
    await bob.until(True, f"{titles}.some((title) => title === 'Card 2500 is mine')", "todo")

    await find(ann, "is mine")
    await ann.until(["1", "0", "0"], counts)
    await server.kill()
    await ann.until("offline", "document.documentElement.dataset.link")
    await write(ann, "todo", 0, ", too")
    await case.serve(port=server.port)
    await ann.until("live", "document.documentElement.dataset.link")
    await ann.until("Card 2500 is mine, too", f"{titles}[0]", "todo")
    await find(bob, "too")
    await bob.until("Card 2500 is mine, too", f"{titles}[0]", "todo")


async def test_a_row_that_leaves(case):
    """Nobody goes on typing in another card when theirs leaves; a long word is cut between characters, and a link has it."""
    server = await case.serve()
    ann, bob = await case.visitors(server.url + "/board?room=leaves", server.url + "/board?room=leaves")
    await ann.until(["0", "0", "0"], counts)
    await add(ann, "first")
    await add(ann, "second")
    await bob.until(["second", "first"], titles, "todo")
    await write(ann, "todo", 0, "!")
    await bob.until("second!", f"{titles}[0]", "todo")
    await bob.run(f"{column}.querySelectorAll('[data-handle]')[0].focus()", "todo")
    for key in (" ", "\ue014", " "):
        await bob.press(key)
    await ann.until(["1", "1", "0"], counts)
    await ann.press("x")
    assert await ann.run(f"return {titles}", "todo") == ["first"]

    await find(bob, "y" * 49 + "😀😀")
    await bob.until(["0", "0", "0"], counts)
    await bob.until("y" * 49 + "😀", "new URL(location.href).searchParams.get('word')")
    await bob.until("live", "document.documentElement.dataset.link")
    await find(bob, "")
    await bob.until(["1", "1", "0"], counts)


async def test_who_is_here(case):
    """Everybody in the room is named, who writes is told, and who goes elsewhere is named no longer."""
    server = await case.serve()
    first, second = await case.visitors(server.url + "/board?room=here", server.url + "/board?room=here")
    names = "[...document.querySelectorAll('.people li')].map((one) => one.innerText.trim())"
    for visitor in (first, second):
        await visitor.until(2, f"{names}.length")
    await first.click(".board-bar .button")
    await second.until(True, "document.querySelector('.board-card input') !== null")
    await second.write(".board-card input", "milk")
    await first.until(True, f"{names}.some((name) => name.includes('is writing'))")

    await second.open(server.url + "/number")

    await first.until(1, f"{names}.length")


async def test_the_first_key(case):
    """The first key in a card goes over the line that there is, whatever the card's title was, and so does the next one."""
    server = await case.serve()
    first, second = await case.visitors(server.url + "/board?room=key", server.url + "/board?room=key")
    await add(first, "")
    await second.until([""], titles, "todo")
    await first.run(count_lines)
    await write(first, "todo", 0, "t")
    await second.until(["t"], titles, "todo")
    await write(first, "todo", 0, "ea")
    await second.until(["tea"], titles, "todo")

    await second.run(count_lines)
    await add(second, "")
    await write(second, "todo", 0, "rice")
    await first.until(["rice", "tea"], titles, "todo")
    for visitor in (first, second):
        assert await visitor.run("return window.lines") == 0, "the page has connected again"


async def test_what_a_word_finds(case):
    """A screen reader hears how many cards a word finds, in English and in Japanese, and nothing without a word."""
    server = await case.serve()
    ann, bob = await case.visitors(server.url + "/board?room=found", server.url + "/board?room=found")
    await ann.until(["0", "0", "0"], counts)
    for title in ("green tea", "rice", "black tea"):
        await add(ann, title)
        await ann.until(title, f"{titles}[0]", "todo")
    # What a reader has of the live region: the text that is displayed, in the page's language.
    found = "document.querySelector('.found').innerText.replace(/\\s+/g, ' ').trim()"
    is_told = "document.querySelector('.found').getClientRects().length > 0"
    assert not await ann.run(f"return {is_told}")
    region = "const { ariaLive, ariaAtomic } = document.querySelector('.found'); return [ariaLive, ariaAtomic]"
    assert await ann.run(region) == ["polite", "true"]

    await find(ann, "tea")
    await ann.until(True, is_told)
    await ann.until("Found to do: 2, in progress: 0, done: 0.", found)
    assert not await bob.run(f"return {is_told}")
    await find(ann, "coffee")
    await ann.until("Found to do: 0, in progress: 0, done: 0.", found)
    await ann.click("[data-speak=ja]")
    await ann.until("検索結果：これから0件、進行中0件、完了0件。", found)
    # Somebody else's card counts if the word finds it.
    await add(bob, "coffee")
    await ann.until("検索結果：これから1件、進行中0件、完了0件。", found)
    broken = broken_rules(await ann.run(f"{axe.axe_script}; return axe.run();"))
    assert not broken, broken
    await find(ann, "")
    await ann.until(False, is_told)
    await ann.click("[data-speak=en]")


async def test_a_card_by_the_mouse(case):
    """A card goes by its handle to another column, and within one, of lists of which the page has windows."""
    server = await case.serve()
    first, second = await case.visitors(server.url + "/board?room=mouse", server.url + "/board?room=mouse")
    for title in ("one", "two", "three"):
        await add(first, title)
        await first.until(title, f"{titles}[0]", "todo")
    await first.until(["three", "two", "one"], titles, "todo")

    async def place(script: str, *arguments) -> list:
        return await first.run(f"const {{ left, top, width, height }} = {script}.getBoundingClientRect(); "
                               "return [left + width / 2, top + height / 2, top, top + height];", *arguments)

    async def drag(card: int, to: tuple) -> None:
        x, y, _, _ = await place(f"{column}.querySelectorAll('.board-card [data-handle]')[arguments[1]]", "todo", card)
        way = [("move", x + (to[0] - x) * part / 4, y + (to[1] - y) * part / 4) for part in range(1, 5)]
        await first.pointer(("move", x, y), "down", *way, "up")

    x, _, _, bottom = await place(f"{column}.querySelectorAll('.board-card')[2]", "todo")
    await drag(0, (x, bottom - 2))
    for visitor in (first, second):
        await visitor.until(["two", "one", "three"], titles, "todo")
    x, y, _, _ = await place(column, "doing")
    await drag(1, (x, y))
    for visitor in (first, second):
        await visitor.until(["two", "three"], titles, "todo")
        await visitor.until(["one"], titles, "doing")


async def test_what_it_says(case):
    """How to begin, that a word is nowhere, and, in the page's one status line, that there is no connection."""
    case.allow(lost_network)
    server = await case.serve()
    proxy = await case.proxy(server)
    (ann,) = await case.visitors(proxy.url + "/board?room=says")
    visible = "(document.querySelector(arguments[0])?.getClientRects().length ?? 0) > 0"
    await ann.until(True, visible, "[data-bind-shown=isEmpty]")
    await add(ann, "Tea")
    await ann.until(False, visible, "[data-bind-shown=isEmpty]")
    await ann.until(False, visible, ".not-found p")
    await find(ann, "coffee")
    await ann.until(True, visible, ".not-found p")
    await find(ann, "")
    await ann.until(False, visible, ".not-found p")
    proxy.hold("up")
    proxy.cut()
    await ann.until(True, f"{visible} && document.querySelector(arguments[0]).textContent !== ''", "body > [role=status]")
