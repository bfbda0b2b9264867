# SPDX-License-Identifier: Apache-2.0
"""Lines that are only added, in every engine: what a page keeps, a gap after a long absence, and where people look."""

from access_test import axe, broken_rules
from harness import lost_network
from processes import Process, root

lines = "[...document.querySelectorAll('.lines li')].map((line) => line.textContent.trim())"
box = "document.querySelector('.lines')"
is_at_end = f"{box}.scrollHeight - {box}.scrollTop - {box}.clientHeight < 8"


async def chat(case, data, port: int = 0):
    """The guide's chat, whose server keeps 20 to 25 lines."""
    case.allow(r"favicon\.ico")  # the pages shown have no icon, for brevity
    command = [str(root / ".build/debug/GuideExamples"), "serve", "--port", str(port), "--public",
               str(root / "Tests/Guides/Examples/Public"), "--data", str(data)]
    return await case._start(Process(command, r"listening http://[^ ]+:(\d+)"))


async def say(visitor, *texts: str) -> None:
    for text in texts:
        before = await visitor.run(f"return {lines}.length")
        await visitor.run("""const field = document.querySelector('[data-bind-value=draft]');
            field.value = arguments[0]; field.dispatchEvent(new InputEvent('input', { bubbles: true }));
            field.form.requestSubmit();""", text)
        await visitor.until("", "document.querySelector('[data-bind-value=draft]').value")
        await visitor.until(True, f"{lines}.some((line) => line.endsWith({text!r}))")
        assert await visitor.run(f"return {lines}.length") >= before, "a line has gone"


def numbered(first: int, last: int) -> list[str]:
    return [f"Somebody line {number}" for number in range(first, last + 1)]


async def test_a_page_keeps_its_lines(case):
    """The server lets go of old lines, and the page that has shown them keeps them; another one gets the newest only."""
    server = await chat(case, case.folder())
    visitor, = await case.visitors(server.url + "/chat")
    await visitor.until(True, f"{box} !== null")
    await say(visitor, *(f"line {number}" for number in range(1, 31)))

    await visitor.until(numbered(1, 30), lines)
    await visitor.counts(".musubi-gap", 0)
    await visitor.until(True, is_at_end)
    # Whoever looks at older lines goes on looking at them.
    await visitor.run(f"{box}.scrollTop = 40")
    place = "Math.round(document.querySelectorAll('.lines li')[4].getBoundingClientRect().top)"
    top = await visitor.run(f"return {place}")
    await say(visitor, "line 31", "line 32", "line 33")
    await visitor.until(top, place)
    await visitor.run(f"{box}.scrollTop = {box}.scrollHeight")
    await say(visitor, "line 34")
    await visitor.until(True, is_at_end)

    other, = await case.visitors(server.url + "/chat")
    await other.until("Somebody line 34", f"{lines}.at(-1)")
    shown = await other.run(f"return {lines}.length")
    assert 20 <= shown <= 25, shown
    await other.until(True, is_at_end)
    await say(visitor, "line 35")
    await other.until("Somebody line 35", f"{lines}.at(-1)")
    await other.until(True, is_at_end)
    await other.reload()
    await other.is_live()
    await other.until("Somebody line 35", f"{lines}.at(-1)")
    await other.until(True, is_at_end)
    await other.run("const [sheet] = document.styleSheets; sheet.insertRule('.lines { scroll-behavior: smooth; }', sheet.cssRules.length)")
    await say(visitor, "line 36", "line 37")
    await other.until("Somebody line 37", f"{lines}.at(-1)")
    await other.until(True, is_at_end)
    # Nor do they lose the end in a box that is hidden for a while, or gets another size.
    await other.run(f"{box}.hidden = true")
    await say(visitor, "line 38", "line 39", "line 40")
    await other.until("Somebody line 40", f"{lines}.at(-1)")
    await other.run(f"{box}.hidden = false")
    await other.until(True, is_at_end)
    await other.run(f"{box}.style.height = '5rem'")
    await other.until(True, is_at_end)
    broken = broken_rules(await visitor.run(f"{axe.axe_script}; return axe.run();"))
    assert not broken, broken
    await visitor.photograph("chat")


async def test_a_page_that_returns(case):
    """After a short absence nothing is doubled and nothing is missing; after a long one a mark says that lines are."""
    case.allow(lost_network)
    server = await chat(case, case.folder())
    proxy = await case.proxy(server)
    away, writer = await case.visitors(proxy.url + "/chat", server.url + "/chat")
    await say(writer, *(f"line {number}" for number in range(1, 11)))
    await away.until(numbered(1, 10), lines)

    await leave(away, proxy)
    await say(writer, "line 11", "line 12")
    proxy.is_refusing = False
    await away.until(numbered(1, 12), lines)
    await away.counts(".musubi-gap", 0)

    await leave(away, proxy)
    await say(writer, *(f"line {number}" for number in range(13, 61)))
    proxy.is_refusing = False
    await away.until("Somebody line 60", f"{lines}.at(-1)")
    shown = await away.run(f"return {lines}")
    newest = shown[13:]
    assert shown[:13] == [*numbered(1, 12), "Some lines are missing here."], shown
    assert newest == numbered(61 - len(newest), 60) and 20 <= len(newest) <= 25, shown
    await away.photograph("chat-gap")
    # It goes on behind them, and the mark stays where it is.
    await say(writer, "line 61")
    await away.until("Somebody line 61", f"{lines}.at(-1)")
    assert (await away.run(f"return {lines}"))[:14] == shown[:14]


async def test_a_killed_server(case):
    """The stored lines are there again, and pages that have them show each once."""
    case.allow(lost_network)
    data = case.folder()
    server = await chat(case, data)
    visitor, = await case.visitors(server.url + "/chat")
    await say(visitor, *(f"line {number}" for number in range(1, 29)))

    await server.kill()
    await visitor.until("offline", "document.documentElement.dataset.link")
    await chat(case, data, server.port)
    await visitor.until("live", "document.documentElement.dataset.link")
    await say(visitor, "line 29")

    await visitor.until(numbered(1, 29), lines)


async def leave(visitor, proxy) -> None:
    proxy.is_refusing = True
    proxy.cut()
    await visitor.until("offline", "document.documentElement.dataset.link")
