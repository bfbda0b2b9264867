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


async def test_in_a_box(case):
    """Nothing is painted of a field that a box around it hides, and a line longer than its field makes no page wider."""
    server = await case.serve_test_screens()
    first, second = await case.visitors(*[server.url + "/rows?room=boxed"] * 2)
    note, task = "#rows li[data-row='2'] [data-bind-value=note]", "#days li li [data-bind-value=task]"
    for visitor in (first, second):
        await visitor.counts("#rows li", 3)
    await second.run("""Object.assign(document.querySelector('#rows').style, { height: '150px', overflow: 'auto' });
      document.querySelector("#rows li[data-row='3']").style.marginBottom = '500px';""")
    # The whole height of the caret's box, and how much of it is painted.
    painted = """(() => { const box = document.querySelector('.musubi-carets');
      const [top, , bottom = top] = box.style.clipPath.slice(6, -1).split(' ').map((side) => Math.max(0, parseFloat(side)));
      return Math.max(0, box.clientHeight - top - bottom) / box.clientHeight; })()"""

    await first.write(note, "Hello")
    await second.until(["Hello"], before)
    await second.run(f"document.querySelector(\"{note}\").scrollIntoView({{ block: 'nearest' }})")
    await second.until(1, painted)
    await second.run("document.querySelector('#rows').scrollTop = 9_999")
    await second.until(0, painted)
    await second.run(f"""const [list, note] = [document.querySelector('#rows'), document.querySelector("{note}")];
      list.scrollTop += note.getBoundingClientRect().top - list.getBoundingClientRect().top + note.clientHeight / 2;""")
    await second.until(True, f"0.3 < {painted} && {painted} < 0.7")

    await second.run("for (const output of document.querySelectorAll('output')) output.remove()")
    text = await second.run(f"return document.querySelector('{task}').value")
    await first.write(task, "Donaudampfschifffahrt" * 20)
    await second.until([text + "Donaudampfschifffahrt" * 20], before)
    assert await second.run("return document.documentElement.scrollWidth <= innerWidth"), "the page scrolls sideways"


async def test_who_was_there_before(case):
    """Who has typed alone is seen by somebody who comes later, though the text has forgotten the keys before that."""
    server = await case.serve()
    first, second = await case.visitors(server.url + "/note?room=alone", server.url + "/number?room=alone")
    await first.click(field)
    for word in ["one ", "two ", "three ", "four ", "five ", "six ", "seven ", "eight ", "nine ", "ten"]:
        await first.press(word)
        await first.until(0, "document.querySelectorAll('[data-pending]').length")
    await second.browser.open(server.url + "/note?room=alone")
    await second.until(["one two three four five six seven eight nine ten"], before)


async def test_who_left_meanwhile(case):
    """After a lost connection nobody is shown who has gone meanwhile; who comes back is shown again."""
    case.allow(lost_network)
    server = await case.serve()
    proxy = await case.proxy(server)
    first, second = await case.visitors(server.url + "/note?room=gone", proxy.url + "/note?room=gone")
    await first.write(field, "Hello world")
    await second.until(["Hello world"], before)

    proxy.is_refusing = True
    proxy.cut()
    await second.until(0, f"{boxes}.length")
    await first.run(f"document.querySelector('{field}').blur()")
    proxy.is_refusing = False
    await second.is_live()
    assert await second.run(f"return {boxes}.length") == 0
    await first.run(select, 2, 2)
    await second.until(["He"], before)


async def test_into_a_row_that_is_new(case):
    """Who goes on into a row whose text nobody has edited is in the row before no longer."""
    server = await case.serve_test_screens()
    first, second = await case.visitors(*[server.url + "/rows?room=next"] * 2)
    note = "#rows li[data-row='{}'] [data-bind-value=note]".format
    for visitor in (first, second):
        await visitor.counts("#rows li", 3)
    await first.write(note(1), "Hello")
    await second.until(["Hello"], before)
    await first.run(f"document.querySelector(\"{note(2)}\").focus()")
    await second.until(0, f"{boxes}.length")
