# SPDX-License-Identifier: Apache-2.0
"""Rows that people put elsewhere, by pointer, finger and keyboard, in every engine."""

import asyncio

from engines import Chromium, Unable
from webdriver import DOWN, DriverError, END, ESCAPE, HOME, RIGHT, UP

order = "[...document.querySelectorAll(`${arguments[0]} > [data-row]`)].map((row) => row.dataset.row).join('')"
focused = "document.activeElement.closest('[data-row]')?.dataset.row"
said = "document.getElementById('musubi-moves')?.textContent"
# Notes each order of the lines that the page paints from now on.
watch = """
  window.painted = [];
  const look = () => {
    const order = [...document.querySelectorAll("#lines > [data-row]")].map((row) => row.dataset.row).join("");
    if (window.painted.at(-1) !== order) window.painted.push(order);
    requestAnimationFrame(look);
  };
  look();"""


def line(row: int) -> str:
    return f"#lines > [data-row='{row}'] [data-handle]"


def card(row: str) -> str:
    return f"#columns ul > [data-row='{row}']"


def cards(column: str) -> str:
    return f"#columns > [data-row='{column}'] > ul"


async def middle(visitor, selector: str) -> tuple[float, float]:
    """The middle of an element in the window."""
    return tuple(await visitor.run("""
        const { left, top, width, height } = document.querySelector(arguments[0]).getBoundingClientRect();
        return [left + width / 2, top + height / 2];""", selector))


async def upper(visitor, selector: str) -> tuple[float, float]:
    """A place in the upper half of an element."""
    x, y = await middle(visitor, selector)
    return x, y - 4


async def box(visitor, selector: str) -> list[float]:
    return await visitor.run("""
        const { left, top, right, bottom } = document.querySelector(arguments[0]).getBoundingClientRect();
        return [left, top, right, bottom];""", selector)


async def ready(visitor) -> None:
    """Waits until the page has the file for moves."""
    await visitor.until(True, "document.querySelector('#lines [data-handle][aria-describedby]') !== null")


async def board(case, count: int = 2, proxies: tuple = (), page: str = "columns"):
    server = await case.serve_test_screens()
    urls = [proxy.url for proxy in proxies] or [server.url] * count
    visitors = await case.visitors(*[f"{url}/{page}?room=r" for url in urls])
    for visitor in visitors:
        await visitor.until("1234", order, "#lines")
        await ready(visitor)
    return server, visitors


async def drag(visitor, grip: str, to: tuple[float, float], *, kind: str = "mouse", drops: bool = True) -> None:
    """Takes a row and puts it to a place in the window, in a few steps, as a hand does."""
    x, y = await middle(visitor, grip)
    way = [("move", x + (to[0] - x) * part / 4, y + (to[1] - y) * part / 4) for part in range(1, 5)]
    await visitor.pointer(("move", x, y), "down", *way, *(["up"] if drops else []), kind=kind)


async def test_by_mouse(case):
    """A row goes where the pointer lets it go, for everybody, and a press on its handle alone moves nothing."""
    _, (first, second) = await board(case)
    x, y = await middle(first, line(1))
    await first.pointer(("move", x, y), "down", ("move", x + 2, y + 2), "up")

    left, _, _, bottom = await box(first, "#lines > [data-row='3']")
    await drag(first, line(1), (left + 20, bottom - 2))

    for visitor in (first, second):
        await visitor.until("2314", order, "#lines")
    await drag(second, line(4), (left + 20, (await box(second, "#lines"))[1] + 2))
    for visitor in (first, second):
        await visitor.until("4231", order, "#lines")
    assert await first.run("return document.querySelector('[data-moving]')") is None
    assert await first.run("return document.querySelector('[data-row=\"1\"]').style.translate") == ""


async def test_a_slow_answer(case):
    """A dropped row stays where it is until the answer comes, and is painted nowhere else before or after."""
    server = await case.serve_test_screens()
    proxy = await case.proxy(server)
    visitor, other = await case.visitors(proxy.url + "/columns?room=r", server.url + "/columns?room=r")
    await visitor.until("1234", order, "#lines")
    await ready(visitor)
    await visitor.run(watch)
    proxy.hold("up")

    await drag(visitor, line(4), await upper(visitor, line(2)))
    # A busy browser paints nothing between two changes if nobody waits for the first one.
    await visitor.until("1423", "window.painted.at(-1)")
    await other.click("#lines > [data-row='3'] [data-on-click=remove]")
    await visitor.until("142", "window.painted.at(-1)")
    await visitor.until(True, "document.querySelector('#lines > [data-row=\"4\"]').hasAttribute('data-pending')")
    assert await other.run(f"return {order}", "#lines") == "124"

    proxy.release()
    await other.until("142", order, "#lines")
    await visitor.until(False, "document.querySelector('#lines > [data-row=\"4\"]').hasAttribute('data-pending')")
    # Longer than the page waits for the turn behind the acknowledgement.
    await visitor.run("return new Promise((done) => setTimeout(done, 500))")
    painted = await visitor.run("return window.painted")
    assert painted[-2:] == ["1423", "142"] and set(painted[:-2]) <= {"1234", "1243"}, painted


async def test_a_move_that_does_not_count(case):
    """A row goes back if the ViewModel leaves it where it was."""
    _, (first, second) = await board(case)

    left, top, _, _ = await box(first, "#lines")
    await drag(first, line(3), (left + 20, top + 1))

    await first.until("1234", order, "#lines")
    await first.until("0", "String(document.querySelectorAll('[data-moving]').length)")
    assert await second.run(f"return {order}", "#lines") == "1234"


async def test_rows_that_have_gone(case):
    """A row that is to go before one that somebody has deleted meanwhile stays where the server has it, and the page says so."""
    server = await case.serve_test_screens()
    proxy = await case.proxy(server)
    visitor, other = await case.visitors(proxy.url + "/columns?room=r", server.url + "/columns?room=r")
    await visitor.until("1234", order, "#lines")
    await ready(visitor)
    proxy.hold("up", "down")
    await drag(visitor, line(4), await upper(visitor, line(2)))
    await visitor.until("1423", order, "#lines")
    await other.click("#lines > [data-row='2'] [data-on-click=remove]")
    await other.until("134", order, "#lines")

    proxy.release()

    await visitor.shows("[role=status]", "This entry no longer exists.")
    await visitor.until("134", order, "#lines")
    await other.until("134", order, "#lines")


async def test_two_at_once(case):
    """Two people who move two rows at once both find them where they have put them."""
    server = await case.serve_test_screens()
    proxies = [await case.proxy(server) for _ in range(2)]
    visitors = await case.visitors(*(proxy.url + "/columns?room=r" for proxy in proxies))
    for visitor in visitors:
        await visitor.until("1234", order, "#lines")
        await ready(visitor)
    for proxy in proxies:
        proxy.hold("up")
    first, second = visitors
    bottom = (await box(first, "#lines"))[3] - 2
    await drag(first, line(2), ((await middle(first, line(2)))[0], bottom))
    await drag(second, line(4), await upper(second, line(3)))
    await first.until("1342", order, "#lines")
    await second.until("1243", order, "#lines")

    for proxy in proxies:
        proxy.release()

    for visitor in visitors:
        await visitor.until("1432", order, "#lines")


async def test_by_keyboard(case):
    """Space takes a row and drops it, arrows move it, Escape puts it back; a screen reader hears each, and the focus stays."""
    _, (first, second) = await board(case)
    await first.run("document.querySelector(arguments[0]).focus()", line(2))

    await first.press(" ")
    await first.until("Taken, place 2 of 4. Arrow keys move it, Space drops it, Escape puts it back.", said)
    await first.press(DOWN)
    await first.until("Place 3 of 4.", said)
    await first.until("1324", order, "#lines")
    assert await second.run(f"return {order}", "#lines") == "1234"
    await first.press(DOWN + DOWN)
    await first.until("Place 4 of 4.", said)
    await first.press(" ")
    await first.until("Dropped, place 4 of 4.", said)

    for visitor in (first, second):
        await visitor.until("1342", order, "#lines")
    await first.until("2", focused)
    await first.press(" " + UP + UP)
    await first.until("1234", order, "#lines")
    await first.press(ESCAPE)
    await first.until("Put back, place 4 of 4.", said)
    await first.until("1342", order, "#lines")
    assert await second.run(f"return {order}", "#lines") == "1342"
    assert await first.run(f"return {focused}") == "2"
    help = await first.run("return document.getElementById(document.activeElement.getAttribute('aria-describedby')).textContent")
    assert help == "Press Space to move it.", help


async def test_typing_in_a_row_that_others_move(case):
    """Who types in a row loses no key while somebody else moves it up and down."""
    _, (first, second) = await board(case)
    text = "#lines > [data-row='1'] [data-bind-value]"
    await first.focus(text)
    before = await first.run("return document.querySelector(arguments[0]).value", text)
    await first.run("""
        window.moves = 0;
        new MutationObserver((list) => window.moves += list.length).observe(document.querySelector("#lines"), { childList: true });""")
    await second.run("document.querySelector(arguments[0]).focus()", line(1))
    rounds, typed = 15, "abcdefghijklmnop"

    for _ in range(rounds):
        for key in (END, HOME):
            await asyncio.gather(first.press(typed), second.press(f" {key} "))
    await first.until(True, f"window.moves >= {2 * rounds}")
    for visitor in (first, second):
        await visitor.shows(text, before + typed * 2 * rounds)


async def test_between_lists(case):
    """A row goes to another list, also to an empty one, by pointer and by keyboard; a field in it can be typed in as before."""
    _, visitors = await board(case)
    first, second = visitors
    await drag(first, card("a"), await middle(first, cards("doing")))
    for visitor in visitors:
        await visitor.until("a", order, cards("doing"))
        await visitor.until("bc", order, cards("todo"))

    await first.run("document.querySelector(arguments[0]).focus()", card("b"))
    await first.press(" " + RIGHT)
    await first.until("doing: Place 1 of 2.", said)
    await first.press(RIGHT + RIGHT)
    await first.until("done: Place 1 of 2.", said)
    await first.press(" ")
    for visitor in visitors:
        await visitor.until("bd", order, cards("done"))
        await visitor.until("c", order, cards("todo"))
    await first.until("b", focused)
    await first.until("", "document.getElementById('columns').querySelectorAll('[data-moving]').length || ''")


async def test_while_others_change_the_list(case):
    """A row that somebody carries stays at the pointer while others change the list, and its text goes on."""
    _, (first, second) = await board(case)
    place = await middle(first, line(3))
    await drag(first, line(1), place, drops=False)
    await first.until("2314", order, "#lines")

    await second.write("#lines > [data-row='1'] [data-bind-value]", "!")
    await second.click("#lines > [data-row='2'] [data-on-click=remove]")
    await first.counts("#lines > [data-row]", 3)
    await first.until("1", "document.elementFromPoint(...arguments)?.closest('[data-row]')?.dataset.row", *place)
    await first.shows("#lines > [data-row='1'] [data-bind-value]", "One!")
    await second.until("134", order, "#lines")
    await first.photograph("a-row-that-is-carried")
    await second.click("#lines > [data-row='1'] [data-on-click=remove]")

    await first.until("34", order, "#lines")
    await first.until("It has gone.", said)
    await first.pointer("up")


async def test_by_finger(case):
    """A finger moves a row by its handle at once, and one without a handle after a rest; before that it scrolls."""
    _, (first, second) = await board(case)
    await first.run("document.body.style.paddingBottom = '3000px'")
    try:
        await drag(first, line(1), await middle(first, line(3)), kind="touch")
    except DriverError as error:
        raise Unable(f"its driver has no finger: {error.code}") from None
    for visitor in (first, second):
        await visitor.until("2314", order, "#lines")
    assert await first.run("return scrollY") == 0

    x, y = await middle(first, card("a"))
    _, _, _, bottom = await box(first, card("b"))
    await first.pointer(("move", x, y), "down", ("wait", 600), ("move", x, y + 20), ("move", x, bottom - 2), "up", kind="touch")
    for visitor in (first, second):
        await visitor.until("bac", order, cards("todo"))
    await first.run("""
        window.prevented = [];
        addEventListener("touchmove", (event) => window.prevented.push(event.defaultPrevented));""")
    await first.pointer(("move", x, y), "down", ("move", x, y - 30), ("move", x, y - 120), "up", kind="touch")
    # Only Chromium's driver scrolls by a finger; in the others it is the page that must not keep it from scrolling.
    if isinstance(first.browser, Chromium):
        await first.until(True, "scrollY > 0")
    assert True not in await first.run("return window.prevented")
    assert await first.run(f"return {order}", cards("todo")) == "bac"
    assert await first.run("return document.querySelector('[data-moving]')") is None
