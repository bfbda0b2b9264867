# SPDX-License-Identifier: Apache-2.0
"""Undo and redo where several people write: each takes back their own text, and nobody else's is harmed."""

import re

from playwright.async_api import expect

from composition_test import InputMethod
from harness import lost_network


async def two_writers(case, server, *addresses):
    """Two people in one note: pages and fields."""
    pages = [await case.live(address, "/note?room=test") for address in (addresses or (server, server))]
    return *pages, *(page.locator("textarea") for page in pages)


async def shows(fields, text: str) -> None:
    for field in fields:
        await expect(field).to_have_value(text)


async def write(page, field, text: str, at: str = "End") -> None:
    await field.focus()
    await page.keyboard.press(f"Control+{at}")
    await page.keyboard.type(text)


async def undo(page, key: str = "Control+z") -> None:
    """Presses the keys of undo once the page has the code for it, which comes with the first foreign text."""
    await page.evaluate("""() => new Promise((done) => {
      const look = () => performance.getEntriesByName(new URL("/musubi-more.js", location).href).length
        ? done() : setTimeout(look, 20);
      look();
    })""")
    await page.keyboard.press(key)


async def test_takes_back_only_ones_own_text(case):
    """Undo takes back one's own words, the newest first, and leaves what another has written before, in and behind them."""
    one, other, *fields = await two_writers(case, await case.serve())
    await write(one, fields[0], "alpha ")
    await shows(fields, "alpha ")
    await write(other, fields[1], "FOREIGN ")
    await shows(fields, "alpha FOREIGN ")
    await write(one, fields[0], "omega")
    await shows(fields, "alpha FOREIGN omega")
    await write(other, fields[1], "SECOND ", at="Home")
    await shows(fields, "SECOND alpha FOREIGN omega")

    await undo(one)
    await shows(fields, "SECOND alpha FOREIGN ")
    await undo(one)
    await shows(fields, "SECOND FOREIGN ")
    await undo(one)
    await shows(fields, "SECOND FOREIGN ")

    await undo(one, "Control+Shift+z")
    await shows(fields, "SECOND alpha FOREIGN ")
    await undo(one, "Control+y")
    await shows(fields, "SECOND alpha FOREIGN omega")


async def test_both_take_back(case):
    """Each of two takes back their own text, whoever wrote last, and foreign text between undo and redo moves the place."""
    one, other, *fields = await two_writers(case, await case.serve())
    await write(one, fields[0], "mine")
    await shows(fields, "mine")
    await write(other, fields[1], "yours")
    await shows(fields, "mineyours")

    await undo(one)
    await shows(fields, "yours")
    await write(other, fields[1], "again ", at="Home")
    await shows(fields, "again yours")
    await undo(one, "Control+Shift+z")
    await expect(fields[0]).to_have_value("again mineyours")
    await shows(fields, "again mineyours")
    await undo(other)
    await shows(fields, "mineyours")
    await undo(other)
    await shows(fields, "mine")


async def test_what_was_deleted_comes_back(case):
    """A selection that was deleted or replaced comes back in its place, though others have moved that place meanwhile."""
    one, other, *fields = await two_writers(case, await case.serve())
    await write(one, fields[0], "keep this here")
    await shows(fields, "keep this here")
    await fields[0].evaluate("field => field.setSelectionRange(5, 9)")
    await one.keyboard.insert_text("THAT")
    await shows(fields, "keep THAT here")
    await write(other, fields[1], "> ", at="Home")
    await shows(fields, "> keep THAT here")
    await fields[0].evaluate("field => field.setSelectionRange(0, field.value.length)")
    await one.keyboard.press("Delete")
    await shows(fields, "")
    await write(other, fields[1], "new")
    await shows(fields, "new")

    await undo(one)
    await expect(fields[0]).to_have_value(re.compile("^(> keep THAT herenew|new> keep THAT here)$"))
    await undo(one)
    text = await fields[0].input_value()
    assert "> keep this here" in text and "new" in text, text
    await shows(fields, text)


async def test_what_was_typed_over_comes_back(case):
    """A word that was typed over by another of its length is one step, and comes back though others deleted what took its place."""
    one, other, *fields = await two_writers(case, await case.serve())
    await write(one, fields[0], "keep this here")
    await write(other, fields[1], "> ", at="Home")
    await shows(fields, "> keep this here")
    await fields[0].evaluate("field => field.setSelectionRange(7, 11)")
    await one.keyboard.type("THAT")
    await shows(fields, "> keep THAT here")
    await fields[1].evaluate("field => field.setSelectionRange(7, 11)")
    await other.keyboard.press("Delete")
    await shows(fields, "> keep  here")

    await undo(one)
    await shows(fields, "> keep this here")
    await undo(other)
    await expect(fields[1]).to_have_value(re.compile("^> keep (THATthis|thisTHAT) here$"))
    await shows(fields, await fields[1].input_value())


async def test_a_composition_is_one_step(case):
    """What an input method has composed goes at once, with all the states that it went through."""
    one, other, *fields = await two_writers(case, await case.serve())
    await write(other, fields[1], "> ", at="Home")
    keyboard = InputMethod(await one.context.new_cdp_session(one))
    await fields[0].focus()
    for composed in ("日本", "料理"):
        await one.keyboard.press("Control+End")
        for text in ("k", "か", "かn", "かん"):
            await keyboard.compose(text)
        await keyboard.commit(composed)
    await shows(fields, "> 日本料理")
    await write(other, fields[1], "> ", at="Home")
    await shows(fields, "> > 日本料理")

    await undo(one)
    await shows(fields, "> > 日本")
    await undo(one)
    await shows(fields, "> > ")
    await undo(one, "Control+Shift+z")
    await shows(fields, "> > 日本")


async def test_over_a_bad_network(case):
    """Undo and redo while edits are under way, and over a cut connection: both pages end with the same text."""
    case.allow(lost_network)
    server = await case.serve()
    proxy = await case.proxy(server, delay=0.3)
    one, other, *fields = await two_writers(case, server, proxy, server)
    await write(one, fields[0], "first ")
    await shows(fields, "first ")
    await write(other, fields[1], "FOREIGN ", at="Home")
    await shows(fields, "FOREIGN first ")

    await write(one, fields[0], "second third")
    await write(other, fields[1], "MORE ", at="Home")
    await undo(one)
    proxy.cut()
    await undo(one)
    await write(other, fields[1], "STILL ", at="Home")
    await undo(one, "Control+Shift+z")

    await shows(fields, "STILL MORE FOREIGN first second ")


async def two_in_capitals(case, *addresses):
    """Two people in a text that the ViewModel upper-cases after every key: pages and fields."""
    server = await case.serve_test_screens()
    pages = [await case.live(server, "/capitals?room=undo") for _ in range(2)]
    return *pages, *(page.locator("textarea") for page in pages)


async def test_what_the_viewmodel_makes_of_it(case):
    """Where the ViewModel rewrites every key, undo takes back typing as it is seen now, word by word; redo brings it."""
    one, other, *fields = await two_in_capitals(case)
    await write(one, fields[0], "abc def ")
    await shows(fields, "ABC DEF ")
    await write(one, fields[0], "xyz")
    await shows(fields, "ABC DEF XYZ")

    for left in ("ABC DEF ", "ABC ", ""):
        await undo(one)
        await shows(fields, left)
    await undo(one)
    await shows(fields, "")
    for back in ("ABC ", "ABC DEF ", "ABC DEF XYZ"):
        await undo(one, "Control+Shift+z")
        await shows(fields, back)
    await undo(one)
    await write(one, fields[0], "ß")
    await shows(fields, "ABC DEF SS")
    await undo(one)
    await shows(fields, "ABC DEF ")


async def test_what_was_rewritten_comes_back(case):
    """Deleted or replaced text comes back as it was seen."""
    one, other, *fields = await two_in_capitals(case)
    await write(one, fields[0], "keep this")
    await shows(fields, "KEEP THIS")
    await fields[0].evaluate("field => field.setSelectionRange(0, 4)")
    await one.keyboard.type("x")
    await shows(fields, "X THIS")
    await undo(one)
    await shows(fields, "KEEP THIS")
    await undo(one)
    await shows(fields, "KEEP ")


async def test_capitals_of_two(case):
    """Where two type and the ViewModel rewrites both, each takes back their own text."""
    one, other, *fields = await two_in_capitals(case)
    await write(one, fields[0], "alpha")
    await shows(fields, "ALPHA")
    await write(other, fields[1], " beta")
    await shows(fields, "ALPHA BETA")
    await fields[1].evaluate("field => field.setSelectionRange(2, 2)")
    await other.keyboard.type("in")
    await shows(fields, "ALINPHA BETA")

    await undo(one)
    await shows(fields, "IN BETA")
    await undo(one, "Control+Shift+z")
    await expect(fields[0]).to_have_value(re.compile("^(ALINPHA|ALPHAIN|INALPHA) BETA$"))
    await shows(fields, await fields[0].input_value())
    await undo(other)
    await shows(fields, "ALPHA BETA")
    await undo(other)
    await shows(fields, "ALPHA ")
    await undo(other)
    await shows(fields, "ALPHA")


async def test_capitals_over_a_bad_network(case):
    """So it is if the answers are late, and connections are cut between an edit, its answer and its undo."""
    case.allow(lost_network)
    server = await case.serve_test_screens()
    proxy = await case.proxy(server, delay=0.3)
    one, other = await case.live(proxy, "/capitals?room=undo"), await case.live(server, "/capitals?room=undo")
    fields = [page.locator("textarea") for page in (one, other)]
    await write(one, fields[0], "first ")
    await shows(fields, "FIRST ")

    await write(one, fields[0], "second third")
    proxy.cut()
    await write(one, fields[0], " fourth")
    # Text deleted before its answer has come comes back with the answer.
    await shows(fields, "FIRST SECOND THIRD FOURTH")
    await undo(one)
    proxy.cut()
    await undo(one)
    await undo(one)
    await shows(fields, "FIRST ")
    await undo(one)
    await shows(fields, "")


async def test_alone_it_is_the_browsers_own(case):
    """Where nobody else has edited, no code of ours comes between the person and the browser's undo."""
    one, other, *fields = await two_writers(case, await case.serve())
    await fields[0].evaluate("""field => {
      window.kinds = [];
      field.addEventListener("input", (event) => kinds.push([event.inputType, event.isTrusted]));
    }""")
    await fields[0].focus()
    await one.keyboard.insert_text("one")
    await one.keyboard.insert_text(" two")
    await shows(fields, "one two")

    await one.keyboard.press("Control+z")
    await one.keyboard.press("Control+Shift+z")

    await shows(fields, "one two")
    assert [kind for kind in await one.evaluate("kinds") if kind[0].startswith("history")] == [
        ["historyUndo", True], ["historyRedo", True]]
