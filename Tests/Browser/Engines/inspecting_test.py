# SPDX-License-Identifier: Apache-2.0
"""The inspector, in every engine: a room's outputs as they change, and back over its turns by keyboard."""

from access_test import axe, broken_rules
from harness import admin_url

LEFT, END = "\ue012", "\ue010"
shown = """[...document.querySelectorAll('.tree li')]
  .find((line) => line.querySelector('.name').textContent === 'text')?.querySelector('code').textContent"""
# The page in the frame is of the same server.
framed = "document.querySelector('iframe')?.contentDocument?.getElementById('text')?.value"
mark = """[...document.querySelectorAll('.tree li')]
  .find((line) => line.querySelector('.name').textContent === 'text')?.dataset.tone ?? ''"""


async def test_a_room_and_its_past(case):
    """A typed text stands in the tree, marked; the slider goes back and forth by keys; a narrow window has it all, and axe finds nothing."""
    server = await case.serve("--admin", "127.0.0.1:0", "--inspect")
    writer, reader = await case.visitors(server.url + "/note?room=inspected", await admin_url(server) + "/inspector?at=1")
    await writer.write("#text", "Tea")
    await reader.until('"Tea"', shown)
    await reader.until(True, f"['odd', 'even'].includes({mark})")
    await reader.until("Tea", framed)
    await reader.until(True, "document.querySelector('.events').textContent.includes('types into text')")

    # A click would put the slider elsewhere.
    await reader.run("document.querySelector('#turn').focus()")
    await reader.until("true", "document.querySelector('[data-on-click=live]').getAttribute('aria-pressed')")
    for _ in range(8):
        await reader.press(LEFT)
    await reader.until(True, f"(({shown}) ?? '').length < 5")
    await reader.until(True, f"({framed}).length < 3")
    await reader.until("false", "document.querySelector('[data-on-click=live]').getAttribute('aria-pressed')")
    await reader.press(END)
    await reader.until('"Tea"', shown)
    await reader.until("true", "document.querySelector('[data-on-click=live]').getAttribute('aria-pressed')")

    await reader.fit(480, 844)
    await reader.photograph("inspector-480")
    over = await reader.run("return document.documentElement.scrollWidth - innerWidth")
    assert over <= 0, f"{over} px too wide"
    broken = broken_rules(await reader.run(f"{axe.axe_script}; return axe.run();"))
    assert not broken, "\n".join(broken)
