# SPDX-License-Identifier: Apache-2.0
"""Text fields in the rows of lists, in every engine."""

from webdriver import CONTROL


def field(row: int, name: str = "title") -> str:
    return f"#rows li[data-row='{row}'] [data-bind-value={name}]"


async def two(case):
    """Two visitors of one room with three rows."""
    server = await case.serve_test_screens()
    visitors = await case.visitors(*[server.url + "/rows?room=r"] * 2)
    for visitor in visitors:
        await visitor.counts("#rows li", 3)
    return visitors


async def test_typing_alone(case):
    """What one person types quickly into a row arrives whole, and is the row's text for everybody."""
    first, second = await two(case)
    text = " A quick brown fox jumps over"

    await first.write(field(2), text)

    await second.shows(field(2), "Two" + text)
    await second.shows("#rows li[data-row='2'] output", "Two" + text)
    await first.shows(field(2), "Two" + text)
    await first.shows(field(1), "One")


async def test_typing_together(case):
    """Two people in one row both keep every character, also while the row moves and others come and go."""
    first, second = await two(case)
    await first.write(field(2), " ann")
    await second.shows(field(2), "Two ann")

    await second.focus(field(2))
    await second.press(" bob")
    await first.click("#rows li[data-row='2'] [data-on-click=up]")
    # A driver clicks where the button was when it looked.
    await first.until(0, "[...document.querySelectorAll('#rows li')].findIndex((row) => row.dataset.row === '2')")
    await first.click("[data-on-click=add]")
    await first.counts("#rows li", 4)
    await second.press(" bert")
    await first.click("#rows li[data-row='1'] [data-on-click=remove]")

    for visitor in (first, second):
        await visitor.counts("#rows li", 3)
        await visitor.shows(field(2), "Two ann bob bert")
        await visitor.until(0, "[...document.querySelectorAll('#rows li')].findIndex((row) => row.dataset.row === '2')")
    await second.until("title", "document.activeElement.dataset.bindValue")


async def test_undo_of_ones_own(case):
    """Undo in a row takes back what one has typed oneself, word by word, and leaves what somebody else has; redo brings it again."""
    visitors = first, second = await two(case)
    await first.write(field(1), " ann!")
    await second.shows(field(1), "One ann!")
    await second.write(field(1), "?")
    await first.shows(field(1), "One ann!?")

    for key, text in (("z", "One ?"), ("z", "One?"), ("z", "One?"), ("y", "One ?"), ("y", "One ann!?")):
        await first.press(key, holding=CONTROL)
        for visitor in visitors:
            await visitor.shows(field(1), text)
            await visitor.shows("#rows li[data-row='1'] output", text)
    await second.press("z", holding=CONTROL)
    for visitor in visitors:
        await visitor.shows(field(1), "One ann!")
        await visitor.shows(field(2), "Two")


async def test_labels(case):
    """A label in a row leads to the field of its row, also in a row of a row, and what names an element names that of its row."""
    visitor, _ = await two(case)
    focused = "document.activeElement.id + ' ' + document.activeElement.closest('[data-row]').dataset.row"
    await visitor.click("#rows li[data-row='2'] label")
    await visitor.until("note_2 2", focused)
    await visitor.click("#days li[data-row='tue/wed'] li label")
    await visitor.until("task_tue_2f_wed_3 3", focused)
    names = "document.activeElement.getAttribute('aria-labelledby').split(' ').map((id) => document.getElementById(id).textContent).join()"
    await visitor.until("tue/wed,Task", names)

    await visitor.click("#rows li[data-row='2'] [data-on-click=up]")
    await visitor.click("[data-on-click=add]")
    await visitor.counts("#rows li", 4)
    await visitor.click("#rows li[data-row='4'] label")
    await visitor.until("note_4 4", focused)

    ids = "[...document.querySelectorAll('[id]')].map(({ id }) => id)"
    await visitor.until(True, f"new Set({ids}).size === {ids}.length")


async def test_rows_in_rows(case):
    """A text in a row of a row belongs to both ids, also to one with a slash."""
    first, second = await two(case)
    inner = "#days [data-row='tue/wed'] [data-row='3'] [data-bind-value=task]"

    await first.write(inner, " early")

    await second.shows(inner, "Reap early")
    await second.write(inner, "!")
    await first.shows(inner, "Reap early!")


async def test_what_is_aimed_at_stays(case):
    """A row under the pointer stays there when it moves in the list, and so does what the pointer goes to next; scrolling moves all alike."""
    first, second = await two(case)
    row, top = "#rows li[data-row='2']", "Math.round(document.querySelector(arguments[0]).getBoundingClientRect().top)"
    before = await first.run(f"return {top}", row)

    await first.click(f"{row} [data-on-click=up]")
    await first.until("2", "document.querySelector('#rows li').dataset.row")
    assert abs(await first.run(f"return {top}", row) - before) < 2
    await first.click("[data-on-click=add]")
    await first.counts("#rows li", 4)
    await second.counts("#rows li", 4)

    await first.run("document.body.style.minHeight = '5000px'")
    for way in (20, 400):
        before = await first.run(f"return {top}", row)
        await first.run("scrollBy({ top: arguments[0], behavior: 'instant' })", way)
        await first.until(before - way, top, row)
        # Two frames later the page has seen that it was scrolled.
        await first.run("return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))")
        assert abs(await first.run(f"return {top}", row) - before + way) < 2
    assert await first.run("return document.querySelector('#rows').style.paddingTop") == ""


async def test_a_row_that_goes(case):
    """A row that is deleted takes its field along; the next row's text is untouched, and takes typing."""
    first, second = await two(case)
    await first.write(field(2), "x")
    await second.shows(field(2), "Twox")

    await second.click("#rows li[data-row='2'] [data-on-click=remove]")
    await first.counts("#rows li", 2)
    await first.write(field(3), "y")

    await second.shows(field(3), "Threey")
    await first.counts(".musubi-left", 0)


async def test_a_reload(case):
    """After a reload a row shows its typed text, and takes more."""
    first, second = await two(case)
    await first.write(field(1), " ann")
    await second.shows(field(1), "One ann")

    await second.reload()
    await second.is_live()
    await second.shows(field(1), "One ann")
    await second.write(field(1), "?")

    await first.shows(field(1), "One ann?")
