# SPDX-License-Identifier: Apache-2.0
"""Text that an input method composes (Japanese, Korean), by the DevTools protocol: the browser's own events and caret."""

from playwright.async_api import expect

record = """field => {
  window.composed = [];
  window.duringComposition = 0;
  for (const type of ["compositionstart", "compositionend"]) {
    field.addEventListener(type, (event) => composed.push(`${type} ${event.data}`));
  }
}"""


class InputMethod:
    """Composes text in the focused field, as the keyboard of a Japanese phone or desktop does."""

    def __init__(self, devtools):
        self._devtools = devtools

    async def compose(self, text: str) -> None:
        end = len(text)
        await self._devtools.send("Input.imeSetComposition", {
            "text": text, "selectionStart": end, "selectionEnd": end})

    async def commit(self, text: str) -> None:
        await self._devtools.send("Input.insertText", {"text": text})


async def begin(case):
    """Two pages of one room, the first with its caret at the end and an input method."""
    server = await case.serve()
    first, second = await case.number(server), await case.number(server)
    await first.retype("x")
    await second.shows("x")
    await first.field.evaluate(record)
    return first, second, InputMethod(await first.page.context.new_cdp_session(first.page))


async def test_arrives_once(case):
    """Composed text arrives once, whole, and the composition is never broken."""
    first, second, keyboard = await begin(case)

    for text in ("に", "にh", "にほ", "にほn", "にほん"):
        await keyboard.compose(text)
        await expect(first.field).to_have_value("x" + text)
    await keyboard.commit("日本")

    await first.shows("x日本")
    await second.shows("x日本")
    assert await first.page.evaluate("composed") == ["compositionstart ", "compositionend 日本"]


async def test_remote_edits_meanwhile(case):
    """What others type during a composition waits for its end, and neither text is harmed."""
    first, second, keyboard = await begin(case)
    await second.field.focus()
    await second.page.keyboard.press("Home")

    for remote, text in zip("1234", ("か", "かn", "かん", "かんじ")):
        await keyboard.compose(text)
        await second.page.keyboard.type(remote)
        # The label is no field: it shows that the other's text has come, while the field must not change.
        await expect(first.label).to_contain_text(remote)
        await expect(first.field).to_have_value("x" + text)
    await keyboard.commit("漢字")

    await first.shows("1234x漢字")
    await second.shows("1234x漢字")
    assert await first.page.evaluate("composed") == ["compositionstart ", "compositionend 漢字"]


async def test_a_keyboard_that_composes_each_word(case):
    """Every key of such a keyboard is part of a composition: typing goes out at once, and each word arrives once."""
    first, second, keyboard = await begin(case)
    await second.field.focus()
    await second.page.keyboard.press("Home")

    before, theirs = "x", ""
    for word in ("two", "words"):
        for end in range(1, len(word) + 1):
            await keyboard.compose(word[:end])
            await expect(second.field).to_have_value(theirs + before + word[:end])
        await second.page.keyboard.type("-")
        theirs += "-"
        await expect(first.label).to_contain_text(theirs)
        await keyboard.commit(word)
        await first.page.keyboard.type(" ")
        before += f"{word} "
        await second.shows(theirs + before)
        await first.shows(theirs + before)
        # The field has the other's text from here on.
        before, theirs = theirs + before, ""
    await first.page.keyboard.press("Backspace")
    await second.shows("--xtwo words")


async def test_enter_that_confirms(case):
    """Enter that confirms a composition does not send the form; the next one does."""
    server = await case.serve_test_screens()
    page = await case.live(server, "/controls")
    await page.locator("#draft").focus()
    devtools = await page.context.new_cdp_session(page)
    keyboard = InputMethod(devtools)

    await keyboard.compose("にほん")
    key = {"key": "Process", "code": "Enter", "windowsVirtualKeyCode": 229}
    await devtools.send("Input.dispatchKeyEvent", {"type": "rawKeyDown", **key})
    await keyboard.commit("日本")
    await devtools.send("Input.dispatchKeyEvent", {"type": "keyUp", **key})
    await page.locator("#press").click()
    await expect(page.locator("#presses")).to_have_text("1")
    await expect(page.locator("#sent")).to_have_text("nothing")

    await page.locator("#draft").press("Enter")
    await expect(page.locator("#sent")).to_have_text("日本")


async def test_a_draw_meanwhile(case):
    """A number drawn during a composition takes the old text, and the composed text survives."""
    first, second, keyboard = await begin(case)

    await keyboard.compose("か")
    await expect(first.field).to_have_value("xか")
    await second.button.click()
    await expect(first.label).not_to_contain_text("x")
    await keyboard.commit("蚊")

    await expect(first.field).not_to_have_value("x蚊")
    await expect(second.field).to_have_value(await first.field.input_value())
    assert await first.page.evaluate("composed") == ["compositionstart ", "compositionend 蚊"]


async def test_a_cancelled_composition(case):
    """A composition that is given up leaves the text as it was, on both sides."""
    first, second, keyboard = await begin(case)

    await keyboard.compose("にほん")
    await keyboard.compose("")
    await first.type_at_end("y")

    await first.shows("xy")
    await second.shows("xy")


async def test_korean_with_remote_edits_meanwhile(case):
    """A Korean input method composes one syllable after the other: others' text comes in between, and breaks none."""
    first, second, keyboard = await begin(case)
    await second.field.focus()
    await second.page.keyboard.press("Home")

    before = "x"
    for remote, after, states in (("1", "1x한", ("ㅎ", "하", "한")), ("2", "12x한글", ("ㄱ", "그", "글"))):
        for text in states:
            await keyboard.compose(text)
            await expect(first.field).to_have_value(before + text)
        await second.page.keyboard.type(remote)
        await expect(first.label).to_contain_text(remote)
        await expect(first.field).to_have_value(before + states[-1])
        await keyboard.commit(states[-1])
        await first.shows(after)
        await second.shows(after)
        before = after

    assert await first.page.evaluate("composed") == [
        "compositionstart ", "compositionend 한", "compositionstart ", "compositionend 글"]
    await first.page.keyboard.press("Backspace")
    await first.shows("12x한")
    await second.shows("12x한")


async def test_a_korean_syllable_that_gives_its_last_letter_on(case):
    """A vowel takes the last consonant along into the next syllable, while somebody writes in front of it."""
    first, second, keyboard = await begin(case)
    await second.field.focus()
    await second.page.keyboard.press("Home")

    await keyboard.compose("간")
    await second.page.keyboard.type("1")
    await expect(first.label).to_contain_text("1")
    await expect(first.field).to_have_value("x간")
    await keyboard.commit("가")
    await keyboard.compose("나")
    await second.page.keyboard.type("2")
    await keyboard.commit("나")

    await first.shows("12x가나")
    await second.shows("12x가나")
