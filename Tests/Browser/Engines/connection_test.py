# SPDX-License-Identifier: Apache-2.0
"""The dot that is a button, in every engine: its panel by pointer and keyboard, in both languages, with and without a network."""

import contextlib

from access_test import axe, broken_rules
from engines import Unable
from harness import lost_network
from looks_test import fits
from webdriver import ENTER, ESCAPE

dot, panel = "[data-connection]", ".musubi-connection"
is_open = f"document.querySelector('{panel}')?.matches(':popover-open') ?? false"
lines = f"[...document.querySelectorAll('{panel} dd')].map((line) => line.textContent)"
names = f"[...document.querySelectorAll('{panel} dt')].map((line) => line.textContent)"
# A panel beside its button, whole in the window.
is_inside = f"""((box, button) => box.left >= 0 && box.top >= button.bottom && box.right <= innerWidth && box.bottom <= innerHeight
    && box.width > 200)(document.querySelector('{panel}').getBoundingClientRect(), document.querySelector('{dot}').getBoundingClientRect())"""


async def open_panel(visitor) -> None:
    """Waits for the panel's file, and presses the dot."""
    await visitor.until(True, f"document.querySelector('{panel}') !== null")
    await visitor.click(dot)
    await visitor.until(True, is_open)


async def test_the_panel(case):
    """A press opens it in the window, with a round trip; the focus is in it, Escape closes it and returns the focus."""
    server = await case.serve_contents(1)
    [visitor] = await case.visitors(server.url + "/number")
    for path in ("/number", "/note", "/contents", "/segments", "/search", "/form"):
        await visitor.open(server.url + path)
        await open_panel(visitor)
        await visitor.until(["Round trip", "Last synchronisation", "Waiting to be sent"], names)
        await visitor.until(True, f"/^[0-9,]+ ms$/.test({lines}[0])")
        await visitor.until("now", f"{lines}[1]")
        await visitor.until("Nothing", f"{lines}[2]")
        assert await visitor.run(f"return {is_inside}"), path
        await visitor.until(True, f"document.activeElement === document.querySelector('{panel}')")
        assert not (await visitor.run(f"return [...document.querySelector('{panel}').querySelectorAll('[aria-live], [role=status]')].length"))
        await visitor.press(ESCAPE)
        await visitor.until(False, is_open)
        await visitor.until(True, f"document.activeElement === document.querySelector('{dot}')")


async def test_the_keyboard_and_a_press_elsewhere(case):
    """Enter opens and closes it at the dot; a press elsewhere closes it, too."""
    server = await case.serve()
    [visitor] = await case.visitors(server.url + "/number")
    await visitor.until(True, f"document.querySelector('{panel}') !== null")
    await visitor.run(f"document.querySelector('{dot}').focus()")

    await visitor.press(ENTER)
    await visitor.until(True, is_open)
    await visitor.press(ESCAPE)
    await visitor.until(False, is_open)
    await visitor.press(ENTER)
    await visitor.until(True, is_open)
    await visitor.click("[data-bind-value=number]")
    await visitor.until(False, is_open)


async def test_without_a_network(case):
    """It tells what waits while the server is away, and that nothing does when it is back."""
    case.allow(lost_network)
    server = await case.serve()
    [visitor] = await case.visitors(server.url + "/number")
    await visitor.write("[data-bind-value=number]", "1")
    await open_panel(visitor)
    await visitor.until(True, f"{lines}[0].endsWith(' ms')")
    await visitor.press(ESCAPE)

    await server.kill()
    await visitor.is_away()
    await visitor.write("[data-bind-value=number]", "2")
    await open_panel(visitor)
    await visitor.until("No answer", f"{lines}[0]")
    await visitor.until("1 change", f"{lines}[2]")
    await visitor.until(True, f"/seconds? ago/.test({lines}[1])")
    await case.serve(port=server.port)

    await visitor.is_live()
    await visitor.until("Nothing", f"{lines}[2]")
    await visitor.until(True, f"{lines}[0].endsWith(' ms')")
    await visitor.until("now", f"{lines}[1]")


async def test_in_japanese_on_a_phone(case):
    """In Japanese it holds no English but the unit; it fits a phone, in both colour schemes, and axe finds nothing."""
    server = await case.serve()
    visitor = case.visitor()
    await visitor.open(server.url + "/number")
    await visitor.click("[data-speak=ja]")
    with contextlib.suppress(Unable):  # WebKit's window has a least width
        await visitor.fit(390, 844)
    await visitor.open(server.url + "/number")
    await open_panel(visitor)

    await visitor.until(["往復時間", "最後の同期", "送信待ち"], names)
    await visitor.until(True, f"/^[0-9,]+ミリ秒$/.test({lines}[0])")
    await visitor.until(["今", "なし"], f"{lines}.slice(1)")
    await visitor.until("接続", f"document.querySelector('{panel}').ariaLabel")
    assert await visitor.run(f"return {is_inside}")
    await fits(visitor, "the panel on a phone")
    broken = broken_rules(await visitor.run(f"{axe.axe_script}; return axe.run();"))
    assert not broken, "\n".join(broken)
    await visitor.photograph("connection-390-ja")
    await visitor.press(ESCAPE)
    await visitor.click("[data-speak=en]")
