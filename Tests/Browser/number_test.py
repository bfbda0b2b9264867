# SPDX-License-Identifier: Apache-2.0
"""The number screen as its visitors see it."""

import re

from playwright.async_api import expect

drawn = re.compile(r"^([1-9][0-9]?|100)$")


async def test_begins_with_zero(case):
    """A new room shows "0", in the label and in the field."""
    server = await case.serve()

    page = await case.number(server)

    await page.shows("0")


async def test_typing_shows_in_the_label(case):
    """Typing shows in the label, and stays in the field as typed."""
    page = await case.number(await case.serve())

    await page.retype("42")

    await page.shows("42")


async def test_an_emptied_field_changes_nothing(case):
    """An emptied field is empty everywhere, while the label keeps the number; also for who comes later."""
    server = await case.serve()
    first, second = await case.number(server), await case.number(server)
    await first.retype("42")
    await second.shows("42")

    await first.page.keyboard.press("Control+a")
    await first.page.keyboard.press("Backspace")

    for page in (first, second, await case.number(server)):
        await page.shows("42", field="")


async def test_the_button_draws(case):
    """The button draws a number from 1 to 100, which the label and the field show."""
    page = await case.number(await case.serve())
    await page.retype("none")

    await page.button.click()

    await expect(page.label).to_have_text(drawn)
    await page.shows(await page.label.inner_text())


async def test_two_pages_in_step(case):
    """One person types, another presses the button, and both see the same."""
    server = await case.serve()
    first, second = await case.number(server), await case.number(server)

    await first.retype("typed")
    await second.shows("typed")
    await second.button.click()

    await expect(first.label).to_have_text(drawn)
    number = await first.label.inner_text()
    await first.shows(number)
    await second.shows(number)


async def test_two_rooms_apart(case):
    """Rooms know nothing of each other, and no room in the address means the lobby."""
    server = await case.serve()
    tea, coffee = await case.number(server, "/number?room=tea"), await case.number(server, "/number?room=coffee")
    lobby, nameless = await case.number(server, "/number?room=lobby"), await case.number(server, "/number")

    await tea.retype("11")
    await coffee.retype("22")
    await nameless.retype("33")

    await tea.shows("11")
    await coffee.shows("22")
    await lobby.shows("33")


async def test_session_scope(case):
    """`/number-alone` gives each visitor a number of their own."""
    server = await case.serve()
    first = await case.number(server, "/number-alone")
    await first.retype("mine")
    await first.shows("mine")

    second = await case.number(server, "/number-alone")

    await second.shows("0")
    await first.shows("mine")


async def test_a_late_joiner(case):
    """Who comes later sees the present number at once, never the initial one first."""
    server = await case.serve()
    first = await case.number(server)
    await first.retype("42")
    await first.shows("42")

    late = await case.open("about:blank")
    # Every frame that the browser paints asks first; what no frame shows, nobody has seen.
    await late.add_init_script("""
        window.seen = [];
        const look = () => {
          const label = document.querySelector("[data-bind-text=label]");
          if (label?.checkVisibility({ visibilityProperty: true, opacityProperty: true })) {
            if (seen.at(-1) !== label.textContent) seen.push(label.textContent);
          }
          requestAnimationFrame(look);
        };
        requestAnimationFrame(look);
        """)
    await late.goto(server.url + "/number?room=test")

    await expect(late.locator("[data-bind-text=label]")).to_have_text("42")
    seen = [text.strip() for text in await late.evaluate("window.seen")]
    assert "0" not in seen, f"the label showed {seen}"


async def test_reload(case):
    """A reloaded page shows its earlier values, and goes on."""
    server = await case.serve()
    first, second = await case.number(server), await case.number(server)
    await first.retype("42")
    await second.shows("42")

    await first.page.reload()
    await first.is_live()
    await first.shows("42")
    await first.type_at_end("3")

    await first.shows("423")
    await second.shows("423")


async def test_the_caret_stays(case):
    """Text that another person inserts before the caret moves the caret with its text."""
    server = await case.serve()
    first, second = await case.number(server), await case.number(server)
    await first.retype("abcd")
    await second.shows("abcd")
    await first.page.keyboard.press("ArrowLeft")

    await second.field.focus()
    await second.page.keyboard.press("Home")
    await second.page.keyboard.type("12")
    await first.shows("12abcd")
    await first.page.keyboard.type("X")

    await first.shows("12abcXd")
    await second.shows("12abcXd")


async def test_two_typists(case):
    """Two people who type in one field at the same time both keep every character, in order."""
    server = await case.serve()
    first, second = await case.number(server), await case.number(server)
    await first.retype("|")
    await second.shows("|")
    await first.field.focus()
    await second.field.focus()
    await first.page.keyboard.press("Home")
    await second.page.keyboard.press("End")

    for one, other in zip("abcdefghij", "0123456789"):
        await first.page.keyboard.press(one)
        await second.page.keyboard.press(other)

    await first.shows("abcdefghij|0123456789")
    await second.shows("abcdefghij|0123456789")
