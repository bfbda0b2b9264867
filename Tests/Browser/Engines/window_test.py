# SPDX-License-Identifier: Apache-2.0
"""A list of 100,000 rows, in every engine: what a page has of it, jumps, rows that come above, and a return."""

import shutil
import sqlite3

from access_test import axe, broken_rules
from harness import lost_network
from processes import Process, root

ENTER, PAGE_DOWN, END, HOME = "\ue007", "\ue00f", "\ue010", "\ue011"
box = "document.querySelector('.entries')"
rows = "[...document.querySelectorAll('.entries li[data-row]')]"
# The first row that somebody sees, and where it is.
seen = f"""(() => {{ const top = {box}.getBoundingClientRect().top;
    const row = {rows}.find((row) => row.getBoundingClientRect().bottom > top + 1);
    return row && [row.firstElementChild.textContent, Math.round(row.getBoundingClientRect().top - top)]; }})()"""
is_full = f"""(() => {{ const all = {rows}; const area = {box}.getBoundingClientRect();
    return all.length > 0 && all[0].getBoundingClientRect().top <= area.top + 1
        && all.at(-1).getBoundingClientRect().bottom >= area.bottom - 1; }})()"""
middle = f"{box}.scrollTop = {box}.scrollHeight / 2"


async def entries(case, port: int = 0, public=root / "Tests/Guides/Examples/Public", data=None):
    case.allow(r"favicon\.ico")  # the pages shown have no icon, for brevity
    command = [str(root / ".build/debug/GuideExamples"), "serve", "--port", str(port), "--public", str(public),
               "--data", str(data or case.folder())]
    return await case._start(Process(command, r"listening http://[^ ]+:(\d+)"))


def is_at(place: list) -> str:
    """Whether the page shows the row there; engines round pixels in their own ways."""
    return f"(({seen}) ?? ['', 0]).map((one, index) => index ? Math.abs(one - {place[1]}) <= 2 : one === {place[0]!r}).join() === 'true,true'"


async def in_the_middle(visitor) -> str:
    await visitor.until(True, is_full)
    await visitor.run(middle)
    await visitor.until(True, f"{is_full} && Math.abs(Number({seen}[0].slice(6)) - 50000) < 15000")
    return (await visitor.run(f"return {seen}"))[0]


async def test_a_jump_and_a_row_above(case):
    """A page has few rows, wherever it is; a row that comes above those in view moves nothing, and taps reach their row."""
    server = await entries(case)
    reader, writer = await case.visitors(server.url + "/entries", server.url + "/entries")
    await in_the_middle(reader)
    await writer.until(["Entry 1", 0], seen)
    assert await reader.run(f"return {rows}.length") < 120
    before = await reader.run(f"return {seen}")

    await writer.run("document.querySelector('[data-on-click=add]').click()")
    await reader.until("100001", "document.querySelector('[data-bind-text]').textContent")
    await reader.until(True, is_at(before))
    await reader.run(f"{rows}[5].querySelector('button').click()")
    await reader.counts(".entries .done", 1)
    await reader.until(True, f"{rows}[0].getAttribute('aria-setsize') === '100001'")
    await reader.until(True, f"{rows}[0].ariaPosInSet > 30000")
    broken = broken_rules(await reader.run(f"{axe.axe_script}; return axe.run();"))
    assert not broken, broken
    await reader.photograph("window")

    await reader.run(f"{box}.scrollTop = {box}.scrollHeight")
    await reader.until(True, f"{is_full} && {rows}.at(-1).firstElementChild.textContent === 'Entry 100000'")


async def test_a_page_that_scrolls_row_by_row(case):
    """No row is missed or doubled on the way."""
    server = await entries(case)
    reader, = await case.visitors(server.url + "/entries")
    await reader.until(True, is_full)
    for _ in range(30):
        await reader.run(f"{box}.scrollTop += 300")
        await reader.until(True, is_full)
        numbers = await reader.run(f"return {rows}.map((row) => Number(row.firstElementChild.textContent.slice(6)))")
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers))), numbers
    assert numbers[0] > 50, numbers


async def test_a_page_that_returns(case):
    """After a lost connection, a reload and a restart of the server it shows the same rows."""
    case.allow(lost_network)
    server = await entries(case)
    proxy = await case.proxy(server)
    reader, = await case.visitors(proxy.url + "/entries")
    await in_the_middle(reader)
    place = await reader.run(f"return {seen}")

    await reader.run("""
        window.wasAway = false;
        new MutationObserver(() => window.wasAway = true).observe(document.documentElement, { attributeFilter: ["data-link"] });""")
    proxy.cut()
    await reader.until(True, "window.wasAway && document.documentElement.dataset.link === 'live'")
    await reader.until(True, is_at(place))
    # Each return could be a pixel off, or find its style sheets later than its scripts.
    for _ in range(5):
        await reader.run("window.isOld = true; location.reload()")
        await reader.until(False, "'isOld' in window")
        await reader.until(True, is_at(place))
    await server.kill()
    await reader.until("offline", "document.documentElement.dataset.link")
    await entries(case, server.port)
    await reader.until("live", "document.documentElement.dataset.link")
    await reader.until(True, is_at(place))
    await reader.run(f"{box}.scrollTop += 3000")
    await reader.until(True, f"{is_full} && {seen}[0] !== {place[0]!r}")


async def test_a_jump_takes_two_round_trips(case):
    """A jump to the middle is full after two questions at most, and one more keeps rows at hand beyond the edge."""
    server = await entries(case)
    reader, = await case.visitors(server.url + "/entries")
    await reader.until(True, is_full)
    await reader.run("""const { send } = WebSocket.prototype;
        window.asked = 0;
        WebSocket.prototype.send = function (data) {
            if (String(data).includes('"name":"entries"')) window.asked += 1;
            return send.call(this, data);
        };
        // Whether it is full is looked at in each frame that is shown.
        window.watch = () => {
            const all = document.querySelectorAll(".entries li[data-row]");
            const area = document.querySelector(".entries").getBoundingClientRect();
            const isFull = all.length && Number(all[0].firstElementChild.textContent.slice(6)) > 30000
                && all[0].getBoundingClientRect().top <= area.top + 1
                && all[all.length - 1].getBoundingClientRect().bottom >= area.bottom - 1;
            if (isFull) window.full = window.asked;
            else requestAnimationFrame(window.watch);
        };
        window.watch();""")

    await reader.run(middle)

    await reader.until(True, "window.full >= 1")
    assert await reader.run("return window.full") <= 2


async def test_back(case):
    """Who comes back by the browser's own button finds the rows that were in view, where they were."""
    case.allow(lost_network)
    server = await entries(case)
    reader = (await case.visitors(server.url + "/entries"))[0]
    await in_the_middle(reader)
    place = await reader.run(f"return {seen}")
    await reader.open(server.url + "/letter?room=back")

    await reader.back()

    await reader.is_live()
    await reader.until(True, is_at(place))


async def test_a_screen_on_top(case):
    """Behind another screen's page the list stands where it stood, and has asked for nothing meanwhile."""
    case.allow(lost_network)
    server = await entries(case)
    proxy = await case.proxy(server)
    reader, = await case.visitors(proxy.url + "/entries")
    await in_the_middle(reader)
    place = await reader.run(f"return {seen}")

    # As a page does that opens a screen: one `<main>` takes the place of the other.
    await reader.run("""const { send } = WebSocket.prototype;
        [window.asked, window.wasAway, window.under] = [0, false, document.querySelector("main")];
        WebSocket.prototype.send = function (data) {
            if (String(data).includes('"name":"entries"')) window.asked += 1;
            return send.call(this, data);
        };
        new MutationObserver(() => window.wasAway = true).observe(document.documentElement, { attributeFilter: ["data-link"] });
        under.replaceWith(document.createElement("main"));
        dispatchEvent(new Event("resize"));""")
    proxy.cut()
    await reader.until(True, "window.wasAway && document.documentElement.dataset.link === 'live'")
    assert await reader.run("return window.asked") == 0
    await reader.run("document.querySelector('main').replaceWith(window.under)")

    await reader.until(True, is_at(place))
    await reader.until(True, f"window.asked > 0 && {is_full}")
    await reader.until(True, is_at(place))
    await reader.run(f"{box}.scrollTop += 3000")
    await reader.until(True, f"{is_full} && {seen}[0] !== {place[0]!r}")


async def test_a_list_that_begins_hidden(case):
    """It asks for rows once it is shown, and for as many as fill it."""
    public = case.folder() / "Public"
    shutil.copytree(root / "Tests/Guides/Examples/Public", public)
    css = (public / "entries.css").read_text()
    (public / "entries.css").write_text(css + ".entries:not(.is-open) { display: none; }")
    server = await entries(case, public=public)
    reader, = await case.visitors(server.url + "/entries")
    await reader.until("100000", "document.querySelector('[data-bind-text]').textContent")
    assert await reader.run(f"return {rows}.length") == 0

    await reader.run(f"{box}.classList.add('is-open')")

    await reader.until(True, f"{is_full} && {rows}.length > 10")
    await reader.until(["Entry 1", 0], seen)


async def test_the_keyboard(case):
    """The box scrolls by keys, as any box does."""
    server = await entries(case)
    reader, = await case.visitors(server.url + "/entries")
    await reader.until(True, is_full)
    await reader.run(f"{box}.focus()")
    await reader.press(PAGE_DOWN)
    await reader.until(True, f"{box}.scrollTop > 100 && {is_full}")


async def test_the_first_and_the_last_row(case):
    """End and Home lead to the last row and the first one, from the box and from a button in it, at rest and on the way."""
    server = await entries(case)
    reader, = await case.visitors(server.url + "/entries")
    await reader.until(True, is_full)
    last = f"{is_full} && {rows}.at(-1).firstElementChild.textContent === %r && {box}.scrollTop + {box}.clientHeight >= {box}.scrollHeight - 1"
    await reader.run(f"{box}.focus()")
    await reader.press(END)
    await reader.until(True, last % "Entry 100000")
    await reader.press(HOME)
    await reader.until(["Entry 1", 0], seen)
    await reader.until(0, f"{box}.scrollTop")
    await reader.run(middle)
    await reader.press(END)
    await reader.until(True, last % "Entry 100000")
    await reader.run(f"{rows}.at(-1).querySelector('button').focus()")
    await reader.press(HOME)
    await reader.until(["Entry 1", 0], seen)


async def test_the_focus_of_a_row_that_is_scrolled_away(case):
    """The box has it, so that its keys go on, and no other row's button, which nobody has chosen."""
    server = await entries(case)
    reader, = await case.visitors(server.url + "/entries")
    await reader.until(True, is_full)

    await reader.run(f"{rows}[3].querySelector('button').focus()")
    await reader.press(END)
    await reader.until("Entry 100000", f"{rows}.at(-1).firstElementChild.textContent")
    await reader.until(True, f"document.activeElement === {box}")
    await reader.press(HOME)
    await reader.until(["Entry 1", 0], seen)

    await reader.run(f"{rows}[3].querySelector('button').focus()")
    for _ in range(20):
        await reader.run(f"{box}.scrollTop += 300")
        await reader.until(True, is_full)
    await reader.until(False, f"{rows}.some((row) => row.firstElementChild.textContent === 'Entry 4')")
    await reader.until(True, f"document.activeElement === {box}")


async def test_the_focus_of_the_last_row_that_is_deleted(case):
    """The row before has it, though the room for rows that are not here stands behind the last one."""
    data = case.folder()
    await (await entries(case, data=data)).stop()
    with sqlite3.connect(data / "ledger.sqlite") as database:
        database.executemany("INSERT INTO payment (text) VALUES (?)", ((f"payment {number}",) for number in range(1, 6)))
    database.close()
    server = await entries(case, data=data)
    reader, = await case.visitors(server.url + "/ledger")
    await reader.until(5, f"{rows}.length")

    await reader.run(f"{rows}.at(-1).querySelector('button').focus()")
    await reader.press(ENTER)

    await reader.until(4, f"{rows}.length")
    await reader.until(True, f"{rows}.at(-1).contains(document.activeElement)")


async def test_the_page_scrolls(case):
    """A list without a box of its own: the page scrolls it."""
    public = case.folder() / "Public"
    shutil.copytree(root / "Tests/Guides/Examples/Public", public)
    (public / "entries.css").write_text(".entries ul { margin: 0; }")
    server = await entries(case, public=public)
    reader, = await case.visitors(server.url + "/entries")
    covers = f"""(() => {{ const all = {rows}; return all.length > 0 && all.length < 200 && all[0].getBoundingClientRect().top <= %s
        && all.at(-1).getBoundingClientRect().bottom >= innerHeight; }})()"""
    await reader.until(True, covers % "innerHeight")
    await reader.run("scrollTo(0, document.documentElement.scrollHeight / 2)")
    await reader.until(True, covers % "0")
    first = await reader.run(f"return Number({rows}[0].firstElementChild.textContent.slice(6))")
    assert 40_000 < first < 60_000, first
    await reader.press(END)
    await reader.until(True, f"{rows}.at(-1).firstElementChild.textContent === 'Entry 100000' && {rows}.at(-1).getBoundingClientRect().bottom <= innerHeight")
    await reader.press(HOME)
    await reader.until(True, f"scrollY === 0 && {rows}[0].firstElementChild.textContent === 'Entry 1'")


async def test_rows_in_a_database(case):
    """A page in the middle of 20,000 rows of a database has those; one that goes is gone, and nothing moves for another one."""
    data = case.folder()
    await (await entries(case, data=data)).stop()
    with sqlite3.connect(data / "ledger.sqlite") as database:
        database.executemany("INSERT INTO payment (text) VALUES (?)", ((f"payment {number}",) for number in range(1, 20_001)))
    database.close()
    server = await entries(case, data=data)
    one, other = await case.visitors(server.url + "/ledger", server.url + "/ledger")
    for visitor in (one, other):
        await visitor.until("20000", "document.querySelector('[data-bind-text$=count]').textContent")
        await visitor.until(True, is_full)
    await other.run(middle)
    await other.until(True, f"{is_full} && Math.abs(Number({seen}[0].slice(8)) - 10000) < 3000")
    place = await other.run(f"return {seen}")

    await one.run("document.querySelectorAll('.entries li[data-row] button')[2].click()")

    await one.until("payment 4", f"{rows}[2].firstElementChild.textContent")
    for visitor in (one, other):
        await visitor.until("19999", "document.querySelector('[data-bind-text$=count]').textContent")
    await other.until(True, is_at(place))


async def test_a_selection_of_more_than_is_shown(case):
    """What is selected stays selected while its rows are not shown; a table counts its head's rows, and says which each one is."""
    server = await case.serve_test_screens()
    visitor, other = await case.visitors(server.url + "/stock", server.url + "/stock")
    row = """[...document.querySelectorAll('tbody tr[data-row]')].find((row) => row.cells[1].textContent === arguments[0])"""
    box = f"{row}?.querySelector('input')"
    chosen = "document.querySelector('output').textContent"
    await visitor.until(True, f"{box}?.checked", "Good 7")
    await visitor.run(f"{box}.click()", "Good 3")
    await visitor.until("3 7", chosen)

    await visitor.run("scrollTo(0, document.body.scrollHeight / 2)")
    await visitor.until(True, f"!{row} && [...document.querySelectorAll('tbody tr[data-row]')].length > 10", "Good 7")
    await visitor.until(True, "[...document.querySelectorAll('tbody tr[data-row]')].some((row) => row.getBoundingClientRect().top > 0)")
    middle = await visitor.run("return [...document.querySelectorAll('tbody tr[data-row]')].find((row) => row.getBoundingClientRect().top > 0).cells[1].textContent")
    await visitor.run(f"{box}.click()", middle)
    number = middle.split()[1]
    await visitor.until(f"3 7 {number}", chosen)
    await other.until(f"3 7 {number}", chosen)
    await visitor.run("scrollTo(0, 0)")
    await visitor.until(True, f"{box}?.checked", "Good 3")
    await visitor.run(f"{box}.click()", "Good 7")
    await visitor.until(f"{number} 3", chosen)

    await visitor.until("5001", "document.querySelector('table').getAttribute('aria-rowcount')")
    await visitor.until("1", "document.querySelector('thead tr').getAttribute('aria-rowindex')")
    await visitor.until("4", f"{row}.getAttribute('aria-rowindex')", "Good 3")
    # What describes a box is in its own row.
    await visitor.until("Good 3", f"document.getElementById({box}.getAttribute('aria-describedby')).textContent", "Good 3")
    broken = broken_rules(await visitor.run(f"{axe.axe_script}; return axe.run();"))
    assert not broken, broken
