# SPDX-License-Identifier: Apache-2.0
"""The front page in every engine: two windows with one note, a slow network, a cut, and the sources of the screens."""

import asyncio
import contextlib
import signal
import urllib.error
import urllib.request

from access_test import axe, broken_rules
from engines import Unable
from harness import lost_network
from looks_test import fits

ARROW_RIGHT = "\ue014"
text_of = "(document.querySelectorAll('iframe')[{}].contentDocument?.querySelector('textarea')?.value)"
link_of = "(document.querySelectorAll('iframe')[{}].contentDocument?.documentElement?.dataset.link)"
# Types into a pane as a keyboard would: the engines' drivers differ in how they reach into a frame.
write = """const area = document.querySelectorAll('iframe')[arguments[0]].contentDocument.querySelector('textarea');
    area.focus(); area.setRangeText(arguments[1], area.value.length, area.value.length, 'end');
    area.dispatchEvent(new area.ownerDocument.defaultView.InputEvent('input', { bubbles: true }));"""


async def open_front(case, query: str = "", *options: str):
    """The front page with both panes live."""
    server = await case.serve(*options)
    visitor = case.visitor()
    await visitor.browser.open(server.url + "/" + query)
    for pane in (0, 1):
        await visitor.until("live", link_of.format(pane))
    await visitor.until("same is-yes", "document.querySelector('#same').className")
    return server, visitor


async def test_both_windows(case):
    """What is written in one window is in the other; after a slow network and a cut both hold everything."""
    case.allow(lost_network)
    server, visitor = await open_front(case, "?room=front-test")
    await visitor.run(write, 0, "left ")
    await visitor.until("left ", text_of.format(1))

    await visitor.run("""const slider = document.querySelector('#delay');
        slider.value = 500; slider.dispatchEvent(new Event('input', { bubbles: true }));""")
    await visitor.until("500 ms", "document.querySelector('#delay-shown').textContent")
    await visitor.run(write, 0, "slow ")
    await visitor.until("same is-no", "document.querySelector('#same').className")
    await visitor.until("left slow ", text_of.format(1))
    await visitor.until("same is-yes", "document.querySelector('#same').className")

    await visitor.click("#cut")
    await visitor.until("true", "document.querySelector('#cut').ariaPressed")
    await visitor.until("offline", link_of.format(1))
    await visitor.run(write, 0, "one ")
    await visitor.run(write, 1, "two ")
    await visitor.until("same is-cut", "document.querySelector('#same').className")
    await visitor.until("left slow one ", text_of.format(0))
    await visitor.until("left slow two ", text_of.format(1))
    await visitor.photograph("front-cut")
    await visitor.click("#cut")

    await visitor.until("live", link_of.format(1))
    await visitor.until("same is-yes", "document.querySelector('#same').className")
    both = await visitor.run(f"return [{text_of.format(0)}, {text_of.format(1)}]")
    assert both[0] == both[1] and sorted(both[0].split()) == ["left", "one", "slow", "two"], both
    await visitor.until(server.url + "/note?room=front-test", "document.querySelector('#second').href")
    await visitor.until("front-test", "document.querySelector('#room').textContent")
    people = "document.querySelectorAll('iframe')[{}].contentDocument.querySelectorAll('.pane-people li').length"
    for pane in (0, 1):
        await visitor.until(2, people.format(pane))
    await visitor.click(".code summary")
    await visitor.until(True, "document.querySelector('#code').naturalWidth > 0")


async def test_the_wire(case):
    """The frames of both windows stand in a list, as they go, without the token that is the right to the session."""
    _, visitor = await open_front(case, "?room=wire-test")
    await visitor.click(".frames summary")
    await visitor.run(write, 1, "seen")

    lines = "[...document.querySelectorAll('#frames li')].map((line) => line.textContent)"
    await visitor.until(True, f"""{lines}.some((line) => /^2 sends.*"edits":.*seen/.test(line))""")
    await visitor.until(True, f"""{lines}.some((line) => /^1 receives.*"edits":.*seen/.test(line))""")
    await visitor.until(True, f"""{lines}.some((line) => line.includes('"token":"…"'))""")
    assert not await visitor.run(f"""return {lines}.some((line) => /"token":"[^…]/.test(line))""")
    for number in range(60):
        await visitor.run(write, number % 2, "x")
    await visitor.until("same is-yes", "document.querySelector('#same').className")
    await visitor.until(True, "document.querySelectorAll('#frames li').length === 100")
    await visitor.photograph("front-wire")


async def test_a_kill(case):
    """The button ends the server without a word; what was written before and meanwhile is in both windows afterwards."""
    case.allow(lost_network)
    server, visitor = await open_front(case, "?room=killed", "--demo")
    await visitor.until(False, "document.querySelector('#kill').hidden")
    await visitor.run(write, 0, "before ")
    await visitor.until("before ", text_of.format(1))

    # A server that has only just started stays: one that dies at once counts as broken.
    await asyncio.sleep(3)
    await visitor.click("#kill")
    assert await server.ended() == -signal.SIGKILL
    await visitor.until("same is-killed", "document.querySelector('#same').className")
    await visitor.run(write, 1, "meanwhile ")
    await visitor.photograph("front-killed")
    await case.serve("--demo", port=server.port)

    await visitor.until("same is-yes", "document.querySelector('#same').className")
    for pane in (0, 1):
        await visitor.until("before meanwhile ", text_of.format(pane))
    await visitor.until(False, "document.querySelector('#kill').disabled")


async def test_no_kill(case):
    """Without the option there is no button, and no route."""
    server, visitor = await open_front(case)
    await visitor.until(True, "document.querySelector('#kill').hidden")
    try:
        urllib.request.urlopen(urllib.request.Request(server.url + "/demo/kill", method="POST"), timeout=30)
        raise AssertionError("It was taken.")
    except urllib.error.HTTPError as error:
        assert error.code == 405, error
    await visitor.run(write, 0, "lives")
    await visitor.until("lives", text_of.format(1))


async def test_rooms_of_their_own(case):
    """Each tab has a note that nobody else sees, and keeps it over a reload."""
    _, visitor = await open_front(case)
    room = await visitor.run("return document.querySelector('#second').href")
    await visitor.run(write, 1, "mine")
    await visitor.until("mine", text_of.format(0))

    await visitor.reload()
    await visitor.until("mine", text_of.format(0))
    await visitor.until("mine", text_of.format(1))
    await visitor.until(room, "document.querySelector('#second').href")


async def test_how_it_looks(case):
    """It fits a phone in both languages, the switch reaches the panes, axe finds nothing, and nothing jumps."""
    _, visitor = await open_front(case)
    for width in (1280, 390):
        with contextlib.suppress(Unable):  # WebKit's window has a least width
            await visitor.fit(width, 844)
        for language in ("en", "ja"):
            await visitor.click(f"[data-speak={language}]")
            for pane in (0, 1):
                await visitor.until(language, f"document.querySelectorAll('iframe')[{pane}].contentDocument.documentElement.lang")
            await fits(visitor, f"the front page, {width} px, {language}")
            broken = broken_rules(await visitor.run(f"{axe.axe_script}; return axe.run();"))
            assert not broken, f"{width} px, {language}: " + "\n".join(broken)
            await visitor.photograph(f"front-{width}-{language}")
    await visitor.click("[data-speak=en]")


async def test_the_frames_policy(case):
    """Every page may be in a frame of this server, and of no other."""
    server = await case.serve()
    for path in ("/pane", "/note", "/", "/source?screen=note"):
        with urllib.request.urlopen(server.url + path) as answer:
            assert "frame-ancestors 'self';" in answer.headers["content-security-policy"], f"{path}: {answer.headers}"
            assert answer.headers["x-frame-options"] == "SAMEORIGIN", f"{path}: {answer.headers}"


async def test_sources(case):
    """Each screen's link shows four files, which the arrow keys change; they are the checkout's, and no others are sent."""
    server = await case.serve()
    visitor = case.visitor()
    await visitor.browser.open(server.url + "/")
    links = await visitor.run("return [...new Set([...document.querySelectorAll('a[href^=\"/source\"]')].map((a) => a.href))]")
    assert len(links) == 13, links
    for link in links:
        await visitor.browser.open(link)
        # The screen says where it is: before that nothing is shown that takes the focus.
        await visitor.until(False, "document.querySelector('.beside').hidden")
        seen = []
        for _ in range(4):
            await visitor.until(True, "document.querySelector('#code').textContent.length > 100")
            await visitor.run("document.querySelector('[aria-selected=true]').focus()")
            seen.append(await visitor.run("return document.querySelector('#path').textContent"))
            await visitor.press(ARROW_RIGHT)
        assert len(set(seen)) == 4 and sum(path.endswith(".html") for path in seen) == 1, seen
    await fits(visitor, "a source")
    await visitor.photograph("source")
    broken = broken_rules(await visitor.run(f"{axe.axe_script}; return axe.run();"))
    assert not broken, "\n".join(broken)
    await visitor.browser.open(server.url + "/source?screen=..%2Fnote")
    await visitor.until(False, "document.querySelector('#unknown').hidden")


async def test_a_screen_beside_its_source(case):
    """The screen is live beside its source, in a room that nobody else has: its frames, who is there, its link and its picture."""
    server = await case.serve()
    visitor = case.visitor()
    second = "document.querySelector('#second').href"
    await visitor.open(server.url + "/source?screen=number")
    await visitor.until(True, f"{second}.startsWith('{server.url}/number?room=try-')")
    link = await visitor.run(f"return {second}")
    await visitor.reload()
    await visitor.until(link, second)

    visitor, other = await case.visitors(server.url + "/source?screen=number&in=beside", server.url + "/number?room=beside")
    inside = "document.querySelector('iframe').contentDocument"
    await visitor.until("live", f"{inside}?.documentElement?.dataset.link")
    await visitor.until("2", "document.querySelector('#here').textContent")
    await visitor.run(f"""const field = {inside}.querySelector('input');
        field.focus(); field.setRangeText('7', 0, field.value.length, 'end');
        field.dispatchEvent(new field.ownerDocument.defaultView.InputEvent('input', {{ bubbles: true }}));""")
    await other.until("7", "document.querySelector('input').value")
    await visitor.click(".frames summary")
    lines = "[...document.querySelectorAll('#frames li')].map((line) => line.textContent)"
    await visitor.until(True, f"""{lines}.some((line) => /^sends.*"edits":/.test(line))""")
    await visitor.until(True, f"""{lines}.some((line) => /^receives.*"ack":/.test(line))""")
    await visitor.click(".code summary")
    await visitor.until(True, "document.querySelector('.code img').naturalWidth > 0")

    # The clipboard itself is the browser's, and asks a person.
    await visitor.run("navigator.clipboard.writeText = async (text) => { window.copied = text; };")
    await visitor.click("#copy")
    await visitor.until(server.url + "/number?room=beside", "window.copied")
    await visitor.until("Copied", "document.querySelector('#copy [lang=en]').textContent")

    # A screen for each visitor has no room, and one that is not there is told.
    await visitor.open(server.url + "/source?screen=search")
    await visitor.until("live", f"{inside}?.documentElement?.dataset.link")
    await visitor.until(server.url + "/search", second)
    await visitor.until(0, "document.querySelector('#here').getClientRects().length")
    await visitor.open(server.url + "/source?screen=none")
    await visitor.until(False, "document.querySelector('#unknown').hidden")
    await visitor.until(True, "document.querySelector('.beside').hidden")


async def test_the_front_pages_link(case):
    """The button copies the note's link, and says so."""
    server, visitor = await open_front(case, "?room=copied")
    await visitor.run("navigator.clipboard.writeText = async (text) => { window.copied = text; };")
    await visitor.click("#copy")
    await visitor.until(server.url + "/note?room=copied", "window.copied")
    await visitor.until("The link is copied.", "document.querySelector('#copied [lang=en]').textContent")


async def test_a_server_without_sources(case):
    """Away from a checkout the page says that there are none, and how to show them."""
    server = await case.serve_elsewhere(case.folder())
    visitor = case.visitor()
    await visitor.browser.open(server.url + "/source?screen=note")
    await visitor.until(False, "document.querySelector('#missing').hidden")
    await visitor.until(True, "document.querySelector('[role=tablist]').hidden")
