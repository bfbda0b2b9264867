# SPDX-License-Identifier: Apache-2.0
"""Two-way texts in every engine: what people type, take back and compose, and what browsers do behind their backs."""

import asyncio

from webdriver import CONTROL, HOME

number, label, note = "[data-bind-value=number]", "[data-bind-text=label]", "[data-bind-value=text]"


async def two_at_the_number(case, server=None):
    server = server or await case.serve()
    return await case.visitors(*[server.url + "/number?room=test"] * 2)


async def both_show(visitors, text):
    for visitor in visitors:
        await visitor.shows(number, text)
        await visitor.shows(label, text)


async def both_have(visitors, text):
    for visitor in visitors:
        await visitor.shows("textarea", text)


async def test_typing_by_two(case):
    """Two people who type in one text at the same time both keep every character, in order."""
    server = await case.serve()
    first, second = await case.visitors(*[server.url + "/note?room=test"] * 2)
    await first.focus(note)
    await second.focus(note)

    await asyncio.gather(first.press("the quick brown fox"), second.press("JUMPS OVER THE DOG"))

    await first.until(37, f"document.querySelector('{note}').value.length")
    text = await first.run(f"return document.querySelector('{note}').value")
    await second.shows(note, text)
    # A space has no owner: both texts without theirs are there in order.
    assert "".join(filter(str.islower, text)) == "thequickbrownfox", text
    assert "".join(filter(str.isupper, text)) == "JUMPSOVERTHEDOG", text


async def test_the_caret_goes_along(case):
    """What another person inserts in front of the caret moves it: the next key comes where one was typing."""
    first, second = await two_at_the_number(case)
    await first.write(number, "7")
    await both_show([first, second], "07")

    await second.click(number)
    await second.press(HOME)
    await second.press("12")
    await both_show([first, second], "1207")
    await first.press("8")
    await both_show([first, second], "12078")


async def test_undo_of_ones_own(case):
    """Undo takes back what one has typed oneself, and leaves what somebody else has; redo brings it again."""
    first, second = await two_at_the_number(case)
    await first.write(number, "abc")
    await both_show([first, second], "0abc")
    await second.write(number, "XYZ")
    await both_show([first, second], "0abcXYZ")

    await first.press("z", holding=CONTROL)
    await both_show([first, second], "0XYZ")
    await first.press("y", holding=CONTROL)
    await both_show([first, second], "0abcXYZ")


async def test_composition(case):
    """What others type during a composition waits for its end; the composed text arrives once and whole."""
    first, second = await two_at_the_number(case)
    await first.focus(number)
    await first.compose("に")
    await first.compose("にほ")
    await second.shows(number, "0にほ")

    await second.click(number)
    await second.press(HOME)
    await second.press("A")
    await second.shows(number, "A0にほ")
    await first.shows(label, "A0にほ")
    await first.shows(number, "0にほ")
    await first.compose("日本", is_final=True)

    await both_show([first, second], "A0日本")


async def test_back_to_a_text(case):
    """A page that is left by a link and comes back by Back shows the text, also the newest, and the next key is added to it."""
    first, second = await two_at_the_number(case)
    await first.write(number, "7")
    await both_show([first, second], "07")

    await first.click(".brand")
    await first.until("/", "location.pathname")
    await second.write(number, "8")
    await second.shows(label, "078")
    await first.back()
    await first.is_live()
    await both_show([first, second], "078")
    await first.write(number, "9")

    await both_show([first, second], "0789")


async def test_the_key_behind_back(case):
    """A key as soon as the page is back: it is an edit of the text, whatever the browser does with the field meanwhile."""
    first, second = await two_at_the_number(case)
    await first.write(number, "7")
    await both_show([first, second], "07")

    await first.click(".brand")
    await first.until("/", "location.pathname")
    await first.back()
    # A page that comes from no cache is loaded first.
    await first.until(True, f"document.querySelector('{number}')?.checkVisibility({{ visibilityProperty: true }})")
    await first.write(number, "5")

    await both_show([first, second], "075")


async def test_forward_to_a_text(case):
    """A page that is left by Back and comes again by Forward shows the newest text, and goes on."""
    server = await case.serve()
    first, second = await case.visitors(server.url + "/segments", server.url + "/number?room=test")
    await first.open(server.url + "/number?room=test")
    await first.write(number, "7")
    await second.shows(label, "07")

    await first.back()
    await first.until("/segments", "location.pathname")
    await second.write(number, "8")
    await second.shows(label, "078")
    await first.forward()
    await first.is_live()
    await first.write(number, "9")

    await both_show([first, second], "0789")


async def test_reload(case):
    """A page that is loaded again shows everybody's text, not what the browser restores, and the next key is added to it."""
    server = await case.serve_test_screens()
    # Browsers keep the text of this field over a reload: it has no `autocomplete="off"`.
    first, second = await case.visitors(*[server.url + "/capitals?room=test"] * 2)
    await first.write("textarea", "abc")
    await both_have([first, second], "ABC")

    await first.run("document.querySelector('textarea').value = 'to be restored'")
    await first.reload()
    await first.is_live()
    await both_have([first, second], "ABC")
    await first.write("textarea", "d")

    await both_have([first, second], "ABCD")


async def test_what_a_script_does(case):
    """A script's change of a field without an event is no edit: the next key is an edit of the text that was there."""
    first, second = await two_at_the_number(case)
    await first.write(number, "7")
    await both_show([first, second], "07")

    for script, key in (("''", "5"), ("'gone'", "6")):
        await first.run(f"document.querySelector('{number}').value = {script}")
        await first.press(key)
        await second.until(True, f"document.querySelector('{label}').textContent.includes('{key}')")

    # Where the key comes is the engine's: WebKit inserts at the caret that the script has left.
    text = await second.run(f"return document.querySelector('{label}').textContent")
    assert sorted(text) == sorted("0756"), text
    await both_show([first, second], text)
