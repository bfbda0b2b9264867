# SPDX-License-Identifier: Apache-2.0
"""An old page and a new server: the page says so, keeps typed text, and reloads itself once, never in a loop."""

import asyncio
import os
import re

from playwright.async_api import expect

from harness import eventually, has_not_gone, lost_network

changed = "This page has changed"


async def old_page(case):
    """A note from a file server, with waiting text: its server is away, and a newer one will come."""
    case.allow(lost_network)
    case.allow(r"status of 40[04]")  # how the page finds out why it is refused
    folder = await case.written_pages()
    files = await case.serve_files(folder)
    server = await case.serve("--allow-origin", files.url)
    proxy = await case.proxy(server)
    file = folder / "note.html"
    text = file.read_text()
    file.write_text(re.sub("<body", f'<body data-server="ws://127.0.0.1:{proxy.port}" data-screen="note"', text, count=1))
    page = await case.live(files, "/note.html?room=old")
    page.loads = 0
    page.on("load", lambda _: setattr(page, "loads", page.loads + 1))
    page.said = await case.listen(page)
    field = page.locator("textarea")
    await field.fill("known ")
    await expect(page.locator("[role=status]")).to_have_text("")
    proxy.is_refusing = True
    proxy.cut()
    await expect(page.locator("html")).not_to_have_attribute("data-link", "live")
    await field.press("Control+End")
    await page.keyboard.type("waiting")
    return page, field, file, files, server, proxy


def publish(file, text: str) -> None:
    """Writes a newer version. The file server tells versions by whole seconds, and two tests' steps may share one."""
    file.write_text(text)
    os.utime(file, (file.stat().st_atime, file.stat().st_mtime + 10))


async def go_on(proxy, server) -> None:
    """The page finds this server from now on."""
    proxy.target = server.port
    proxy.is_refusing = False
    proxy.cut()


async def has_tried(proxy, times: int = 3) -> None:
    """Waits until the page has asked so often more; up to ten seconds may lie between two requests."""
    for _ in range(times):
        before = proxy.connections
        await eventually(lambda: proxy.connections > before)


async def has_said(page, sentence: str) -> None:
    """Waits until the page has told so, though it does not say it any more."""
    await eventually(lambda: any(sentence in words for words in page.said))


async def test_a_renamed_screen(case):
    """The screen has another name, and so has its page's new version: it is loaded, and typed text goes into it."""
    page, field, file, files, _, proxy = await old_page(case)
    newer = await case.serve_test_screens("--allow-origin", files.url)
    publish(file, file.read_text().replace('data-screen="note"', 'data-screen="capitals"'))

    await go_on(proxy, newer)

    await has_said(page, changed)
    await eventually(lambda: page.loads == 1)
    await expect(page.locator("html")).to_have_attribute("data-link", "live")
    await expect(field).to_have_value("KNOWN WAITING")
    _, seen = await capitals(case, newer)
    await expect(seen).to_have_value("KNOWN WAITING")
    assert page.loads == 1, page.loads


async def capitals(case, server):
    page = await case.live(server, "/capitals?room=old")
    return page, page.locator("textarea")


async def test_a_screen_that_is_gone(case):
    """No newer page is there: it was loaded once, keeps typed text, says why it waits, and works if the screen returns."""
    page, field, _, files, server, proxy = await old_page(case)
    newer = await case.serve_test_screens("--allow-origin", files.url)

    await go_on(proxy, newer)

    await has_said(page, changed)
    await eventually(lambda: page.loads == 1)
    await expect(page.locator("[role=status]")).to_contain_text("This page is not available at the moment. Trying again.")
    await has_tried(proxy)
    assert page.loads == 1, page.loads
    await go_on(proxy, server)
    await expect(page.locator("html")).to_have_attribute("data-link", "live")
    await expect(field).to_have_value("known waiting")
    witness = await case.live(server, "/note?room=old")
    await expect(witness.locator("textarea")).to_have_value("known waiting")
    assert page.loads == 1, page.loads


async def test_a_page_that_is_gone(case):
    """Where there is no page to load either, the page stays as it is, with its typed text, and says why it waits."""
    page, field, file, files, server, proxy = await old_page(case)
    newer = await case.serve_test_screens("--allow-origin", files.url)
    file.unlink()

    await go_on(proxy, newer)

    await expect(page.locator("[role=status]")).to_contain_text("This page is not available at the moment. Trying again.")
    await expect(field).to_have_value("known waiting")
    for width in (1280, 390):
        await page.set_viewport_size({"width": width, "height": 900})
        await case.photograph(page, f"screen-gone-{width}")
    await has_tried(proxy)
    await go_on(proxy, server)
    await expect(page.locator("html")).to_have_attribute("data-link", "live")
    await expect(field).to_have_value("known waiting")
    assert page.loads == 0, page.loads


async def test_a_second_file_of_a_newer_client(case):
    """A page from before an update gets the second file from after it: it reloads itself once, and keeps what was typed."""
    server = await case.serve()
    page = await case.live(server, "/number?room=update")
    loads = []
    page.on("load", lambda _: loads.append(page.url))

    async def answer_of_a_newer_server(route):
        if loads:
            return await route.continue_()
        response = await route.fetch()
        text = await response.text()
        newer = re.sub(r'"[0-9a-f]{6}"', '"ffffff"', text)
        assert newer != text
        await route.fulfill(response=response, body=newer)

    await page.route("**/musubi-more.js*", answer_of_a_newer_server)
    field = page.locator("[data-bind-value=number]")
    await field.fill("12")
    other = await case.live(server, "/number?room=update")
    await other.locator("[data-bind-value=number]").press("End")
    await other.keyboard.type("3")
    await eventually(lambda: len(loads) == 1)

    await expect(field).to_have_value("123")
    await field.press("End")
    await page.keyboard.type("4")
    await expect(other.locator("[data-bind-value=number]")).to_have_value("1234")
    assert len(loads) == 1, loads


class NextProtocol:
    """A server of a later protocol: it no longer knows the subprotocol of this page."""

    async def start(self) -> "NextProtocol":
        self._server = await asyncio.start_server(self._answer, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def close(self) -> None:
        self._server.close()

    async def _answer(self, reader, writer) -> None:
        request = (await reader.readuntil(b"\r\n\r\n")).lower()
        status, body = ("426 Upgrade Required", '{"code":"upgrade-required","message":"v2","protocol":2}')
        if b"sec-websocket-protocol: musubi.v1" in request:
            status, body = ("400 Bad Request", '{"code":"bad-request","message":"This server speaks musubi.v2."}')
        writer.write(f"HTTP/1.1 {status}\r\nAccess-Control-Allow-Origin: *\r\nContent-Type: application/json\r\n"
                     f"Connection: close\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode())
        writer.close()


async def test_a_later_protocol(case):
    """A server that has given the page's protocol up: the page reloads itself once, and keeps typed text."""
    page, field, _, _, server, proxy = await old_page(case)
    newer = await NextProtocol().start()

    await go_on(proxy, newer)

    await has_said(page, changed)
    await eventually(lambda: page.loads == 1)
    await has_tried(proxy)
    assert page.loads == 1, page.loads
    await go_on(proxy, server)
    await expect(page.locator("html")).to_have_attribute("data-link", "live")
    await expect(field).to_have_value("known waiting")
    assert page.loads == 1, page.loads
    await newer.close()


async def test_a_later_version_of_the_wire(case):
    """A server that says it speaks a later version, to each new session: the page reloads itself once."""
    case.allow(lost_network)
    server = await case.serve()
    page = await case.open("about:blank")
    loads = []

    def through(socket):
        far = socket.connect_to_server()
        far.on_message(lambda text: socket.send(text.replace('"protocol":1', '"protocol":2')))

    await page.route_web_socket(re.compile("/live/"), through)
    page.said = await case.listen(page)
    page.on("load", lambda _: loads.append(1))
    await page.goto(f"{server.url}/number?room=later")
    await has_said(page, changed)
    await eventually(lambda: len(loads) == 2)
    await expect(page.locator("html")).to_have_attribute("data-link", "live")

    await page.evaluate("sessionStorage.removeItem('musubi /number?room=later')")
    await page.goto(f"{server.url}/number?room=another")
    await expect(page.locator("html")).to_have_attribute("data-link", "outdated")
    await page.locator("[data-bind-value=number]").fill("42")
    await expect(page.locator("[data-bind-text=label]")).to_have_text("42")
    await has_not_gone(page)
    assert len(loads) == 3, f"{len(loads)} loads"
