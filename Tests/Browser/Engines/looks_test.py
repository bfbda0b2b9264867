# SPDX-License-Identifier: Apache-2.0
"""How the pages look in every engine: narrow windows, long words, Japanese, forced colours, and what stands at a field."""

import contextlib

from access_test import axe, broken_rules
from engines import Unable
from harness import everywhere, lost_network
from look_test import english, readings, sticks_out
from webdriver import ESCAPE

word = "Donaudampfschifffahrt" * 14
note = "[data-too-long]"


async def fits(visitor, where: str) -> None:
    """Fails if there is something to scroll sideways, or something sticks out."""
    out, width, window = await visitor.run(
        f"return [({sticks_out})(), document.documentElement.scrollWidth, innerWidth]")
    assert not out and width <= window, f"{where}: {width} px in {window} px, and this sticks out: {out}"


async def has_whole_labels(visitor, where: str) -> None:
    """Fails if a line of a Japanese button ends inside of its word: Japanese text may break anywhere."""
    broken = await visitor.run("""
      return [...document.querySelectorAll(".button [lang=ja]")]
        .filter((label) => label.checkVisibility() && label.getClientRects().length > 1).map((label) => label.textContent);""")
    assert not broken, f"{where}: {broken}"


async def speaks(visitor, server, language: str) -> None:
    await visitor.open(server.url + "/segments")
    await visitor.click(f"[data-speak={language}]")
    await visitor.until(language, "document.documentElement.lang")


async def shows_everything(visitor, url: str) -> None:
    await visitor.browser.open(url)
    await visitor.until(0, "document.querySelectorAll('[data-cloak]').length")
    if await visitor.run("return document.body.hasAttribute('data-screen')"):
        await visitor.is_live()


async def look_at_long_words(case, widths) -> None:
    server = await case.serve_contents(0)
    case.change_contents("INSERT INTO content (title, text, author, time) VALUES (?, ?, ?, 1)", (word[:200], word, word))
    [visitor] = await case.visitors(server.url + "/contents")
    for width in widths:
        await visitor.fit(width, 700)
        for language in ("en", "ja"):
            await speaks(visitor, server, language)
            for path in everywhere:
                await shows_everything(visitor, server.url + path)
                await fits(visitor, f"{path}, {width} px, {language}")
                await has_whole_labels(visitor, f"{path}, {width} px")
        await visitor.open(server.url + "/number?room=long")
        await visitor.run("document.querySelector('#number').select()")
        await visitor.write("#number", word[:60])
        await visitor.until(True, "document.querySelector('.display').textContent.includes('Donau')")
        await fits(visitor, f"a long number, {width} px")
        await visitor.open(server.url + "/contents")
        await visitor.click(".row [data-on-click=delete]")
        await visitor.counts("dialog[open]", 1)
        await fits(visitor, f"the dialog, {width} px")
        await has_whole_labels(visitor, f"the dialog, {width} px")
        await visitor.photograph(f"dialog-{width}")
        await visitor.press(ESCAPE)
        await visitor.counts("dialog[open]", 0)


async def test_a_narrow_window(case):
    """In a narrow window every page is as wide as it, in both languages, whatever long word somebody has posted."""
    await look_at_long_words(case, [480])


async def test_phones(case):
    """The same on phones, 390 and 320 px wide."""
    await look_at_long_words(case, [390, 320])


async def test_japanese(case):
    """Who has switched to Japanese finds no sentence and no word of English on any page."""
    server = await case.serve_contents(1)
    case.change_contents("UPDATE content SET title = ?, text = ?, author = '花子' WHERE id = 1", ("題名", "本文"))
    [visitor] = await case.visitors(server.url + "/contents")
    await visitor.shows(".row h2", "題名")
    await speaks(visitor, server, "ja")

    for path in everywhere:
        await shows_everything(visitor, server.url + path)
        await visitor.until("ja", "document.documentElement.lang")
        found = english(await visitor.run(f"return ({readings})()"))
        assert found in ([], ["0 ms"]), f"{path}: {found}"


async def test_axe(case):
    """What axe, the accessibility checker, finds on the pages in this engine: nothing, in both languages."""
    server = await case.serve_contents(3)
    [visitor] = await case.visitors(server.url + "/segments")
    for language in ("en", "ja"):
        await speaks(visitor, server, language)
        for path in everywhere:
            await shows_everything(visitor, server.url + path)
            broken = broken_rules(await visitor.run(f"{axe.axe_script}; return axe.run();"))
            assert not broken, f"{path}, {language}: " + "\n".join(broken)


async def test_forced_colours(case):
    """In a visitor's own colours, a chosen or pressed control looks unlike the others, and main buttons have a border."""
    server = await case.serve_contents(1)
    [visitor] = await case.visitors(server.url + "/segments")
    look = """const { backgroundColor, color, borderTopColor, borderTopWidth, borderTopStyle } =
        getComputedStyle(document.querySelectorAll(arguments[0])[arguments[1] ?? 0]);
      return { ground: backgroundColor, ink: color, border: `${borderTopWidth} ${borderTopStyle}`, line: borderTopColor };"""
    await visitor.force_colours(True)
    try:
        await visitor.until(True, "matchMedia('(forced-colors: active)').matches")
        chosen, other, pressed, not_pressed = [
            await visitor.run(look, selector)
            for selector in ("input:checked + span", "input:not(:checked) + span", "[aria-pressed=true]", "[aria-pressed=false]")]
        assert chosen["ground"] != other["ground"] and chosen["ink"] != other["ink"], (chosen, other)
        assert pressed["ground"] == chosen["ground"] != not_pressed["ground"], (pressed, not_pressed)
        for path in ("/segments", "/number", "/contents", "/form"):
            await shows_everything(visitor, server.url + path)
            for place in range(await visitor.run("return document.querySelectorAll('.button').length")):
                style = await visitor.run(look, ".button", place)
                assert style["border"] == "1px solid" and style["line"] != style["ground"], f"{path}: {style}"
        await visitor.photograph("forced-colours")
    finally:
        await visitor.force_colours(False)


async def test_a_message_at_a_field(case):
    """A text too long says so at its field, in both languages, inside of a narrow window; the message goes when it fits."""
    server = await case.serve()
    [visitor] = await case.visitors(server.url + "/note?room=long")
    await visitor.fit(480, 800)
    with contextlib.suppress(Unable):
        await visitor.fit(390, 800)
    for language, sentence in (("en", "Not shared: 37,856 characters too long."), ("ja", "共有されていません（37,856文字超過）。")):
        await speaks(visitor, server, language)
        await visitor.open(server.url + "/note?room=long")
        await visitor.run("""
          const field = document.querySelector("textarea");
          field.value = "x".repeat(300_000);
          field.dispatchEvent(new Event("input", { bubbles: true }));""")
        await visitor.shows(note, sentence)
        await fits(visitor, language)
        await visitor.run("document.querySelector('[data-too-long]').scrollIntoView({ block: 'center' })")
        await visitor.photograph(f"too-long-{language}")
        seen = await visitor.run("""
          const { left, top, width, height } = document.querySelector("[data-too-long]").getBoundingClientRect();
          return document.elementFromPoint(left + width / 2, top + height / 2).matches("[data-too-long]");""")
        assert seen, "something covers the message"
        await visitor.run("""
          const field = document.querySelector("textarea");
          field.value = "";
          field.dispatchEvent(new Event("input", { bubbles: true }));""")
        await visitor.counts(note, 0)


async def test_somebody_else_in_japanese(case):
    """A page that has become somebody else's says so in Japanese, and no word of English with it."""
    server = await case.serve_test_screens(language="ja")
    proxy = await case.proxy(server)
    case.allow(lost_network)
    [visitor] = await case.visitors(proxy.url + "/diary")
    await visitor.fit(480, 800)
    with contextlib.suppress(Unable):
        await visitor.fit(390, 800)
    try:
        for name in ("ann", "bob"):
            await visitor.run("document.cookie = arguments[0]", f"visitor={name}; path=/")
            proxy.cut()
            await visitor.shows("h1", f"Diary of {name}")
        await visitor.until(True, "document.querySelector('[role=status]').textContent.trim() !== ''")
        said = await visitor.run("return document.querySelector('[role=status]').textContent")
        assert said.startswith("別の人がログイン") and not english([said]), said
        left, right, window = await visitor.run("""
          const { left, right } = document.querySelector("[role=status]").getBoundingClientRect();
          return [left, right, innerWidth];""")
        assert 0 <= left and right <= window, (left, right, window)
        await visitor.photograph("somebody-else")
    finally:
        await visitor.run("document.cookie = 'visitor=; path=/; max-age=0'")
