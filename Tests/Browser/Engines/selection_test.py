# SPDX-License-Identifier: Apache-2.0
"""Rows that people select, one by one and all between two, in every engine."""

from moves_test import board, middle, order
from webdriver import DOWN, SHIFT

chosen = "[...document.querySelectorAll('#lines [data-select]:checked')].map((box) => box.closest('[data-row]').dataset.row).join('')"


def box(row: int) -> str:
    return f"#lines > [data-row='{row}'] [data-select]"


async def test_boxes(case):
    """A box selects its row for everybody in the room, and the selection goes with the rows when they change places."""
    _, visitors = await board(case)
    first, second = visitors
    for visitor in visitors:
        await visitor.until("2", chosen)

    await first.click(box(1))
    for visitor in visitors:
        await visitor.until("12", chosen)
        await visitor.shows("output", "[1,2]")
    await second.run("document.querySelector(arguments[0]).focus()", "#lines > [data-row='1'] [data-handle]")
    await second.press(" " + DOWN + DOWN + " ")
    for visitor in visitors:
        await visitor.until("2314", order, "#lines")
        await visitor.until("21", chosen)
    await second.click(box(2))
    await first.until("1", chosen)
    await first.click("#lines > [data-row='1'] [data-on-click=remove]")
    await second.until("234", order, "#lines")
    await second.click(box(3))
    # What has gone is not sent again.
    for visitor in visitors:
        await visitor.shows("output", "[3]")


async def test_a_range(case):
    """With Shift all rows between two boxes get the state of the last one, by mouse and by keyboard."""
    _, (first, second) = await board(case)
    await first.click(box(1))
    await first.until("12", chosen)
    await first.pointer(("move", *await middle(first, box(3))), "down", "up", holding=SHIFT)
    for visitor in (first, second):
        await visitor.until("123", chosen)
    assert await first.run("return getSelection().toString()") == ""

    await first.run("document.querySelector(arguments[0]).focus()", box(2))
    await first.press(" ", holding=SHIFT)
    for visitor in (first, second):
        await visitor.until("1", chosen)


async def test_a_slow_server(case):
    """Two boxes that are ticked before the server has answered are both selected, and neither is ever unticked meanwhile."""
    server = await case.serve_test_screens()
    proxy = await case.proxy(server)
    visitor, other = await case.visitors(proxy.url + "/columns?room=r", server.url + "/columns?room=r")
    await visitor.until("2", chosen)
    await visitor.run(f"""
        window.seen = [];
        const look = () => {{
          const now = {chosen};
          if (window.seen.at(-1) !== now) window.seen.push(now);
          requestAnimationFrame(look);
        }};
        look();""")
    proxy.hold("down")

    await visitor.click(box(1))
    await other.shows("output", "[1,2]")
    # A busy browser paints both clicks at once if nobody waits for the first one.
    await visitor.until(["2", "12"], "window.seen")
    proxy.hold("up")
    await visitor.click(box(3))
    await visitor.until(["2", "12", "123"], "window.seen")

    # The answer to the first box comes while the second one is on its way.
    proxy.release("down")
    await visitor.shows("output", "[1,2]")
    await visitor.run("return new Promise((done) => setTimeout(done, 500))")
    proxy.release()
    await visitor.shows("output", "[1,2,3]")
    await visitor.run("return new Promise((done) => setTimeout(done, 500))")
    assert await visitor.run("return window.seen") == ["2", "12", "123"]


async def test_what_the_server_refuses(case):
    """A box is as the ViewModel wants it once it has answered."""
    _, (first, second) = await board(case)

    await first.click(box(4))

    await first.until("2", chosen)
    await first.click(box(1))
    for visitor in (first, second):
        await visitor.until("12", chosen)
        await visitor.shows("output", "[1,2]")
