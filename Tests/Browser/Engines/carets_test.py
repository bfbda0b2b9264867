# SPDX-License-Identifier: Apache-2.0
"""Carets of others in two-way texts, in every engine: where they are, how they move, who sees them."""

from access_test import axe, broken_rules
from harness import lost_network
from webdriver import HOME

field = "#text"
boxes = "document.querySelectorAll('.musubi-carets')"
#: The text in front of each caret that is shown, and what is selected.
before = """[...document.querySelectorAll('.musubi-caret')].map((mark) => {
  let text = '';
  for (let node = mark.previousSibling; node; node = node.previousSibling)
    if (!node.classList?.contains('musubi-caret')) text = node.textContent + text;
  return text; })"""
names = "[...document.querySelectorAll('.musubi-caret-name')].map((name) => name.textContent)"
select = f"const field = document.querySelector('{field}'); field.focus(); field.setSelectionRange(arguments[0], arguments[1]);"


async def two(case, path: str = "/note?room=carets"):
    server = await case.serve()
    first, second = await case.visitors(*[server.url + path] * 2)
    await first.write(field, "Hello world")
    await second.shows(field, "Hello world")
    return first, second, server


async def test_where_the_other_is(case):
    """The other's caret and selection are seen at their place, under a name, and move with everybody's typing."""
    first, second, _ = await two(case)
    await second.until(["Hello world"], before)
    assert (await second.run(f"return {names}"))[0].startswith("Guest"), await second.run(f"return {names}")
    await first.until(0, f"{boxes}.length")
    # Another screen takes the field out of the page, and the way back puts it in again, though nobody moves meanwhile.
    await second.run(f"""window.away = document.querySelector('{field}'); window.gap = document.createComment('');
      away.replaceWith(gap)""")
    await second.until(0, f"{boxes}.length")
    await second.run("gap.replaceWith(away)")
    await second.until(["Hello world"], before)

    # What oneself types in front of it moves it at once, without a frame.
    await second.run(select, 0, 0)
    await second.press("Oh, ")
    await second.until(["Oh, Hello world"], before)
    await first.until(["Oh, "], before)

    await first.run(select, 4, 9)
    await second.until(["Oh, Hello"], before)
    await second.until("Hello", "document.querySelector('.musubi-carets span:not([class])')?.textContent")
    await first.run(f"document.querySelector('{field}').blur()")
    await second.until(0, f"{boxes}.length")


async def test_nothing_meets_it(case):
    """The field's place is the box's; no pointer, no focus and no rule of axe finds it, also narrow and in Japanese."""
    first, second, _ = await two(case)
    await first.press("\n日本語の長い文章" + "Donaudampfschifffahrt" * 4)
    await second.until(1, f"{boxes}.length")
    for width in (320, 1200):
        await second.fit(width, 800)
        await second.until(True, f"""(() => {{ const [a, b] = [document.querySelector('{field}'),
          document.querySelector('.musubi-carets')].map((one) => one.getBoundingClientRect());
          return Math.abs(a.left - b.left) < 4 && Math.abs(a.top - b.top) < 4 && b.right <= a.right && b.bottom <= a.bottom; }})()""")
        await second.photograph(f"carets-{width}")
        over = await second.run("return document.documentElement.scrollWidth - innerWidth")
        assert over <= 0, f"{over} px too wide"
    state = await second.run("""const box = document.querySelector('.musubi-carets');
      return [box.inert, box.getAttribute('aria-hidden'), getComputedStyle(box).pointerEvents];""")
    assert state == [True, "true", "none"], state
    broken = broken_rules(await second.run(f"{axe.axe_script}; return axe.run();"))
    assert not broken, "\n".join(broken)


async def test_a_killed_server(case):
    """Pages that come back see each other again."""
    first, second, server = await two(case)
    await second.until(["Hello world"], before)
    case.allow(lost_network)
    await server.kill()
    for visitor in (first, second):
        await visitor.is_away()
    await case.serve(port=server.port)
    for visitor in (first, second):
        await visitor.is_live()
    await second.until(["Hello world"], before)

    await second.run(select, 0, 0)
    await first.until([""], before)
    await second.open(server.url + "/number")
    await first.until(0, f"{boxes}.length")


async def test_a_closed_page(case):
    """A page that goes elsewhere takes its caret along."""
    first, second, server = await two(case)
    await second.run(select, 0, 0)
    await first.until([""], before)
    await second.open(server.url + "/number")
    await first.until(0, f"{boxes}.length")


async def test_the_switch(case):
    """Who wants no carets of others switches them off; the choice holds over a reload."""
    first, second, _ = await two(case)
    await second.until(1, f"{boxes}.length")
    await second.run("localStorage.setItem('musubi carets', 'off')")
    await second.reload()
    await second.shows(field, "Hello world")
    await first.press(HOME)
    await second.run(select, 3, 3)
    await first.until(["Hel"], before)
    await second.until(0, f"{boxes}.length")
    await second.run("""const box = Object.assign(document.createElement('input'), { type: 'checkbox' });
      box.dataset.carets = ''; document.body.append(box); box.click();""")
    await second.until([""], before)
    await second.until("on", "localStorage.getItem('musubi carets')")


async def test_in_rows(case):
    """In a row the caret is over the row's field, goes with the row when it moves, and ends with it; so in a list in a row."""
    server = await case.serve_test_screens()
    first, second = await case.visitors(*[server.url + "/rows?room=carets"] * 2)
    note = "#rows li[data-row='{}'] [data-bind-value=note]".format
    distance = f"""(() => {{ const [a, b] = [document.querySelector("{note(2)}"), document.querySelector('.musubi-carets')]
      .map((one) => one?.getBoundingClientRect().top ?? NaN); return Math.abs(a - b) < 8; }})()"""
    for visitor in (first, second):
        await visitor.counts("#rows li", 3)
    await first.write(note(2), "Hello")
    await second.shows(note(2), "Hello")
    await second.until(["Hello"], before)
    await second.until(True, distance)

    await second.run("document.querySelector(\"#rows li[data-row='3'] [data-on-click=up]\").click()")
    await second.until("1,3,2", "[...document.querySelectorAll('#rows li')].map((row) => row.dataset.row).join()")
    await second.until(["Hello"], before)
    await second.until(True, distance)

    await second.run("document.querySelector(\"#rows li[data-row='2'] [data-on-click=remove]\").click()")
    await second.counts("#rows li", 2)
    await second.until(0, f"{boxes}.length")

    task = "#days li li [data-bind-value=task]"
    text = await second.run(f"return document.querySelector('{task}').value")
    await first.write(task, "!")
    await second.until([text + "!"], before)
