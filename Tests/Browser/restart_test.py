# SPDX-License-Identifier: Apache-2.0
"""A person's view when the server is killed and started again, or another version of it."""

import re

from playwright.async_api import expect

from harness import eventually, has_not_gone, lost_network


async def is_live(page):
    await expect(page.locator("html")).to_have_attribute("data-link", "live")


async def test_stored_screens(case):
    """Every screen of the gallery with a stored state is as it was, and inputs in the meantime take effect once."""
    case.allow(lost_network)
    server = await case.serve()
    number = await case.number(server)
    note = await case.live(server, "/note?room=kept")
    segments = await case.live(server, "/segments")
    search = await case.live(server, "/search")
    await number.retype("42")
    await number.shows("42")
    await note.locator("[data-bind-value=text]").fill("What was written")
    await expect(note.locator("[role=status]")).to_have_text("")
    await segments.locator("[value='1']").check()
    await expect(segments.locator("[data-bind-text=label]")).to_have_text(re.compile("second|2", re.I))
    label = await segments.locator("[data-bind-text=label]").inner_text()
    await search.locator("[data-bind-value=searchWord]").fill("Kyoto")
    await expect(search.locator("[data-key], li, article").first).to_be_visible()

    await server.kill()
    await number.is_away()
    await number.type_at_end("7")
    await expect(number.status).to_have_text(re.compile("1 change has not reached the server yet."))
    await case.serve(port=server.port)

    for page in (number.page, note, segments, search):
        await is_live(page)
    await number.shows("427")
    await expect(note.locator("[data-bind-value=text]")).to_have_value("What was written")
    await expect(segments.locator("[data-bind-text=label]")).to_have_text(label)
    await expect(search.locator("[data-bind-value=searchWord]")).to_have_value("Kyoto")
    late = await case.live(server, "/note?room=kept")
    await expect(late.locator("[data-bind-value=text]")).to_have_value("What was written")


async def test_server_without_memory(case):
    """A form that is half filled in, a choice and a text are handed to a server that has forgotten them."""
    case.allow(lost_network)
    server = await case.serve_without_memory()
    form = await case.live(server, "/form")
    note = await case.live(server, "/note?room=forgotten")
    segments = await case.live(server, "/segments")
    await form.locator("#name").fill("Hana")
    await form.locator("#people").fill("3")
    await form.locator("#day").fill("2099-05-01")
    await form.locator("[name=part][value='1']").check(force=True)
    await form.locator("#course").select_option(index=1)
    course = await form.locator("#course").input_value()
    await form.locator("[name=level][value=returning]").check()
    await form.locator("#remarks").fill("Two lines\nof text")
    await form.locator("[data-bind-checked=accepts]").check()
    await segments.locator("[value='1']").check()
    await note.locator("[data-bind-value=text]").fill("What was written")
    for page in (form, note, segments):
        await expect(page.locator("[role=status]")).to_have_text("")
        await expect(page.locator("[data-pending]")).to_have_count(0)

    await server.kill()
    await expect(note.locator("html")).not_to_have_attribute("data-link", "live")
    await note.locator("[data-bind-value=text]").press("End")
    await note.locator("[data-bind-value=text]").type("!")
    await case.serve_without_memory(port=server.port)

    for page in (form, note, segments):
        await is_live(page)
        await expect(page.locator("[role=status]")).to_have_text("")
    await expect(form.locator("#name")).to_have_value("Hana")
    await expect(form.locator("#people")).to_have_value("3")
    await expect(form.locator("#day")).to_have_value("2099-05-01")
    await expect(form.locator("[name=part][value='1']")).to_be_checked()
    await expect(form.locator("#course")).to_have_value(course)
    await expect(form.locator("[name=level][value=returning]")).to_be_checked()
    await expect(form.locator("#remarks")).to_have_value("Two lines\nof text")
    await expect(form.locator("[data-bind-checked=accepts]")).to_be_checked()
    await expect(form.locator(".button").first).to_be_enabled()
    await expect(segments.locator("[value='1']")).to_be_checked()
    late = await case.live(server, "/note?room=forgotten")
    await expect(late.locator("[data-bind-value=text]")).to_have_value("What was written!")


async def test_text_that_gives_way(case):
    """A page that comes back late, when somebody has begun the text again, says so and offers its own for copying."""
    case.allow(lost_network)
    server = await case.serve_without_memory()
    proxy = await case.proxy(server)
    away = await case.live(proxy, "/note?room=anew")
    text = away.locator("[data-bind-value=text]")
    await text.fill("Mine")
    await expect(away.locator("[data-pending]")).to_have_count(0)
    await expect(away.locator("[role=status]")).to_have_text("")
    proxy.is_refusing = True
    proxy.cut()
    await server.kill()
    server = await case.serve_without_memory(port=server.port)
    other = await case.live(server, "/note?room=anew")
    await other.locator("[data-bind-value=text]").fill("Theirs")
    await expect(other.locator("[data-pending]")).to_have_count(0)

    proxy.is_refusing = False
    await is_live(away)

    await expect(text).to_have_value("Theirs")
    await expect(away.locator(".musubi-left textarea")).to_have_value("Mine")
    await expect(away.locator(".musubi-left p")).to_have_text(re.compile("begun this text again"))
    await expect(other.locator("[data-bind-value=text]")).to_have_value("Theirs")


async def test_stack_of_screens(case):
    """The screen that was navigated to is there again, and the way back works."""
    case.allow(lost_network)
    server = await case.serve()
    page = await case.live(server, "/segments")
    await page.locator("[value='1']").check()
    await page.locator("[data-on-click=next]").click()
    text = page.locator("[data-bind-text=text]")
    await expect(text).to_have_text(re.compile("second"))

    await server.kill()
    await case.serve(port=server.port)
    await is_live(page)

    await expect(text).to_have_text(re.compile("second"))
    await page.go_back()
    await expect(page.locator("[value='1']")).to_be_checked()


async def test_reload_with_waiting_changes(case):
    """What waits survives a reload of the page while the server is away, and a duplicated tab does not send it."""
    case.allow(lost_network)
    server = await case.serve()
    proxy = await case.proxy(server)
    page, witness = await case.number(proxy), await case.number(server)
    await page.retype("1")
    await witness.shows("1")

    proxy.is_refusing = True
    proxy.cut()
    await page.is_away()
    await page.type_at_end("23")
    await expect(page.status).to_have_text(re.compile("1 change has not reached the server yet."))
    proxy.is_refusing = False
    # The page goes and comes: files are there again, and the session is resumed.
    await page.page.reload()
    await page.is_live()
    await page.shows("123")
    await witness.shows("123")
    copy = await page.page.context.new_page()
    case.watch(copy)
    await copy.goto(page.page.url)
    await expect(copy.locator("html")).to_have_attribute("data-link", "live")
    await witness.shows("123")


async def test_another_version(case):
    """A page of a screen that has changed says so and reloads itself, once."""
    case.allow(lost_network)
    server = await case.serve()
    proxy = await case.proxy(server)
    page = await case.open("about:blank")
    loads, version = [], [""]

    def through(socket):
        far = socket.connect_to_server()
        far.on_message(lambda text: socket.send(
            re.sub(r'"schema":"\w{8}', f'"schema":"{version[0]:0>8}', text) if version[0] else text))

    await page.route_web_socket(re.compile("/live/"), through)
    page.on("load", lambda _: loads.append(1))
    said = await case.listen(page)
    await page.goto(f"{proxy.url}/number?room=changed")
    await is_live(page)
    assert len(loads) == 1

    version[0] = "b"
    proxy.cut()
    await eventually(lambda: any(words.startswith("outdated ") and "changed" in words for words in said))
    await eventually(lambda: len(loads) == 2)
    await is_live(page)

    # Two servers of different versions that take turns do not have it load for ever.
    version[0] = "c"
    proxy.cut()
    await eventually(lambda: len(loads) == 3)
    await is_live(page)
    version[0] = "b"
    proxy.cut()
    await expect(page.locator("html")).to_have_attribute("data-link", "outdated")
    versions = await page.evaluate("JSON.parse(sessionStorage.getItem('musubi versions'))")
    assert [known[-1] for known in versions] == ["b", "c"], versions
    await has_not_gone(page)
    assert len(loads) == 3, f"{len(loads)} loads"
