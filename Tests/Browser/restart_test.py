# SPDX-License-Identifier: Apache-2.0
"""What a person sees when the server is killed and started again, or another version of it."""

import re

from playwright.async_api import expect

from harness import eventually, has_not_gone, lost_network


async def is_live(page):
    await expect(page.locator("html")).to_have_attribute("data-link", "live")


async def test_stored_screens(case):
    """Every screen of the gallery with a stored state is as it was, and what was done meanwhile takes effect once."""
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
    await expect(number.status).to_have_text(re.compile("waiting"))
    await case.serve(port=server.port)

    for page in (number.page, note, segments, search):
        await is_live(page)
    await number.shows("427")
    await expect(note.locator("[data-bind-value=text]")).to_have_value("What was written")
    await expect(segments.locator("[data-bind-text=label]")).to_have_text(label)
    await expect(search.locator("[data-bind-value=searchWord]")).to_have_value("Kyoto")
    late = await case.live(server, "/note?room=kept")
    await expect(late.locator("[data-bind-value=text]")).to_have_value("What was written")


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
    await expect(page.status).to_have_text(re.compile("waiting"))
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
    """A page of a screen that has changed says so and loads itself anew, once."""
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
