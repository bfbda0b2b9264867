# SPDX-License-Identifier: Apache-2.0
"""Lists, dialogs, forms, the history, and a bad network in every engine."""

import shutil

from processes import root
from webdriver import ENTER, ESCAPE

number, label, status = "[data-bind-value=number]", "[data-bind-text=label]", "[role=status]"
rows, dialog, delete = ".rows .row", "dialog[open]", ".row [data-on-click=delete]"


async def test_list(case):
    """What one visitor posts, the other sees at once; what the other has half typed stays."""
    server = await case.serve_contents(2)
    first, second = await case.visitors(*[server.url + "/contents"] * 2)
    await second.write("#title", "half typed")

    await first.write("#text", "A text")
    await first.write("#title", "New")
    await first.press(ENTER)

    for visitor in (first, second):
        await visitor.counts(rows, 3)
        await visitor.shows(f"{rows} h2", "New")
    await first.shows("#title", "")
    await second.shows("#title", "half typed")


async def test_dialog(case):
    """Delete asks first: Escape keeps the entry and returns the focus, the answer removes it for everybody."""
    server = await case.serve_contents(2)
    first, second = await case.visitors(*[server.url + "/contents"] * 2)
    await first.counts(rows, 2)

    await first.click(delete)
    await first.counts(dialog, 1)
    await first.until(True, "document.querySelector('dialog').contains(document.activeElement)")
    await first.press(ESCAPE)
    await first.counts(dialog, 0)
    await first.until("delete", "document.activeElement.dataset.onClick")
    await first.click(delete)
    await first.counts(dialog, 1)
    await second.counts(rows, 2)
    await first.click(f"{dialog} [data-on-click=confirmDelete]")

    for visitor in (first, second):
        await visitor.counts(rows, 1)
        await visitor.counts(dialog, 0)


async def test_screens_and_history(case):
    """An entry opens under its own address; Back, Forward and a reload lead to the screens that they say."""
    server = await case.serve_contents(3)
    [visitor] = await case.visitors(server.url + "/contents")
    await visitor.counts(rows, 3)

    await visitor.click(f"{rows} h2 :is(a, button)")
    await visitor.shows("h1", "Entry 3")
    await visitor.until("/contents/3", "location.pathname")
    await visitor.click("[data-on-click=older]")
    await visitor.shows("h1", "Entry 2")
    await visitor.run("history.back()")
    await visitor.shows("h1", "Entry 3")
    await visitor.reload()
    await visitor.is_live()
    await visitor.shows("h1", "Entry 3")
    await visitor.run("history.forward()")
    await visitor.shows("h1", "Entry 2")
    await visitor.run("history.go(-2)")

    await visitor.until("/contents", "location.pathname")
    await visitor.counts(rows, 3)
    await visitor.is_live()


async def test_the_place_of_a_page_that_is_loaded_again(case):
    """A page is where the browser would have it, also if it has had a screen above it."""
    public = case.folder() / "Public"
    shutil.copytree(root / "Public", public)
    page = public / "segments.html"
    page.write_text(page.read_text().replace("</main>", "<p>Far below</p>" * 200 + "</main>"))
    server = await case.serve("--public", str(public))
    plain, visitor = await case.visitors(*[server.url + "/segments?segment=1"] * 2)
    await plain.shows(label, "second segment selected")
    await plain.run("scrollTo(0, 1000)")
    await plain.reload()
    await plain.is_live()
    place = await plain.run("return Math.round(scrollY)")
    # Firefox, driven by a program, begins at the top of every page.
    assert place == (0 if "Firefox" in await plain.run("return navigator.userAgent") else 1000)

    await visitor.shows(label, "second segment selected")
    await visitor.click("[data-on-click=next]")
    await visitor.until("/greeting", "location.pathname")
    await visitor.run("history.back()")
    await visitor.until("/segments", "location.pathname")
    await visitor.until("manual", "history.scrollRestoration")
    await visitor.run("scrollTo(0, 1000)")
    await visitor.reload()

    await visitor.is_live()
    await visitor.until(place, "Math.round(scrollY)")


async def test_address(case):
    """A choice stands in the address; Back, Forward, a reload and a link choose again."""
    server = await case.serve()
    first, second = "first segment selected", "second segment selected"
    [visitor] = await case.visitors(server.url + "/segments?segment=1")
    await visitor.shows(label, second)
    await visitor.click("[value='0']")
    await visitor.until("?segment=0", "location.search")
    await visitor.shows(label, first)

    await visitor.run("history.back()")
    await visitor.shows(label, second)
    await visitor.until("?segment=1", "location.search")
    await visitor.reload()
    await visitor.is_live()
    await visitor.shows(label, second)
    await visitor.run("history.forward()")

    await visitor.shows(label, first)
    await visitor.until("?segment=0", "location.search")


async def test_form(case):
    """Text, number, radio, list and box reach the server, a reload shows them again, and Enter sends the form once."""
    server = await case.serve()
    [visitor] = await case.visitors(server.url + "/form")
    await visitor.write("#name", "Ann")
    await visitor.click("[data-bind-value=part][value='1']")
    await visitor.click("[data-bind-value=level][value=returning]")
    await visitor.click("[data-bind-checked=accepts]")
    # Drivers differ in how they choose from lists and type dates; the events are those of a person.
    for control, value in (("#course", "glazing"), ("#day", "2999-12-31")):
        await visitor.run("""
          const control = document.querySelector(arguments[0]);
          control.value = arguments[1];
          for (const type of ["input", "change"]) control.dispatchEvent(new Event(type, { bubbles: true }));""",
            control, value)
    await visitor.until(False, "document.querySelector('form .button').disabled")

    await visitor.reload()
    await visitor.is_live()
    for control, value in (("#name", "Ann"), ("#course", "glazing"), ("#day", "2999-12-31")):
        await visitor.shows(control, value)
    for control in ("[data-bind-value=part][value='1']", "[data-bind-value=level][value=returning]",
                    "[data-bind-checked=accepts]"):
        await visitor.until(True, "document.querySelector(arguments[0]).checked", control)
    await visitor.focus("#name")
    await visitor.press(ENTER)

    await visitor.until(True, "document.querySelector('.receipt').checkVisibility()")
    await visitor.shows("#name", "")
    await visitor.until(False, "document.querySelector('[data-bind-checked=accepts]').checked")


async def test_back_to_what_was_typed(case):
    """Fields of one's own, left by a link, show their text when the browser comes back, and the next keys are added."""
    server = await case.serve()
    [visitor] = await case.visitors(server.url + "/search")
    await visitor.write("#word", "tok")
    await visitor.until("tok", "document.querySelector('#word').value")
    await visitor.until(False, "document.querySelector('#word').hasAttribute('data-pending')")

    await visitor.click(".brand")
    await visitor.until("/", "location.pathname")
    await visitor.back()
    await visitor.is_live()
    await visitor.shows("#word", "tok")
    await visitor.write("#word", "yo")

    await visitor.shows("#word", "tokyo")
    await visitor.until(True, "document.querySelector('[data-row]')?.innerText.includes('Tokyo')")


async def test_a_reset(case):
    """A form's reset changes nothing of what the server has; what an extension fills in and says so counts as typed."""
    server = await case.serve()
    [visitor] = await case.visitors(server.url + "/form")
    await visitor.write("#remarks", "a remark")
    await visitor.click("[data-bind-value=level][value=returning]")
    await visitor.click("[data-bind-checked=accepts]")
    await visitor.run("""
      const name = document.querySelector("#name");
      name.value = "Ann";
      name.dispatchEvent(new Event("input", { bubbles: true }));""")

    # Behind the reset the page has a task of its own.
    await visitor.run("document.querySelector('form').reset(); setTimeout(() => document.body.dataset.later = 'yes', 1);")
    await visitor.until("yes", "document.body.dataset.later")
    for where in ("behind the reset", "after a reload"):
        await visitor.shows("#name", "Ann")
        await visitor.shows("#remarks", "a remark")
        for control in ("[data-bind-value=level][value=returning]", "[data-bind-checked=accepts]"):
            assert await visitor.run("return document.querySelector(arguments[0]).checked", control), f"{control} {where}"
        await visitor.reload()
        await visitor.is_live()


async def test_a_lost_connection(case):
    """Typing during a lost connection arrives once when it is back, and the page says meanwhile that it waits."""
    server = await case.serve()
    proxy = await case.proxy(server)
    first, second = await case.visitors(proxy.url + "/number?room=test", server.url + "/number?room=test")
    await first.write(number, "7")
    await second.shows(label, "07")

    proxy.is_refusing = True
    proxy.cut()
    await first.is_away()
    await first.press("89")
    await first.until(True, f"document.querySelector('{status}').textContent.trim() !== ''")
    await second.click("[data-on-click=roll]")
    await second.until(True, f"document.querySelector('{number}').value !== '07'")
    drawn = await second.run(f"return document.querySelector('{number}').value")
    proxy.is_refusing = False

    await first.is_live()
    for visitor in (first, second):
        await visitor.until(len(drawn) + 2, "document.querySelector(arguments[0]).value.length", number)
    text = await first.run(f"return document.querySelector('{number}').value")
    assert sorted(text) == sorted(drawn + "89"), f"{text!r} of {drawn!r} and '89'"
    await second.shows(number, text)


async def test_a_browser_that_is_offline(case):
    """A browser that says that the network is away makes the page ask at once, before its heartbeat would."""
    server = await case.serve()
    proxy = await case.proxy(server)
    # The second came first: by its heartbeat it would be the first to find out.
    url = proxy.url + "/number?room=test"
    second, first = await case.visitors(url, url)
    await first.focus(number)
    proxy.freeze()
    proxy.is_refusing = True

    await first.set_offline(True)
    await first.is_away()
    assert await second.run("return document.documentElement.dataset.link") == "live", "the heartbeat found out"
    await first.press("7")
    proxy.is_refusing = False
    await first.set_offline(False)

    await first.is_live()
    await first.shows(label, "07")
