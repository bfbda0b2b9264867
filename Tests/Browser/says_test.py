# SPDX-License-Identifier: Apache-2.0
"""A page's messages: of missing files and entries, of its needs, and how often it says so."""

import asyncio
import re

from playwright.async_api import expect


async def test_a_browser_without_websockets(case):
    """Every kind of page says what its browser does not have, in the page's language."""
    server = await case.serve()
    for path in ("/number", "/note?latency=1", "/contents"):
        for locale, sentence in (("en", "opens no WebSockets"), ("ja", "WebSocket を使えません")):
            page = await case.open("about:blank", locale=locale)
            await page.add_init_script("delete window.WebSocket")
            await page.goto(server.url + path)
            await expect(page.locator("[role=status]")).to_contain_text(sentence)


async def test_a_proxy_that_blocks_websockets(case):
    """Where the server answers and no WebSocket gets through, the page says so; once one does, it is live and silent."""
    case.allow(r"WebSocket connection to .* failed|status of 426")
    server = await case.serve()
    is_blocking = True

    async def accept(reader, writer):
        try:
            request = await reader.readuntil(b"\r\n\r\n")
            if is_blocking and re.search(rb"\r\nupgrade: *websocket", request, re.IGNORECASE):
                writer.write(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                return
            from_server, to_server = await asyncio.open_connection("127.0.0.1", server.port)
            # One request a connection: each is looked at.
            ending = b"" if b"pgrade:" in request else b"Connection: close\r\n"
            to_server.write(re.sub(rb"(?i)connection: *keep-alive\r\n", b"", request[:-2]) + ending + b"\r\n")

            async def pour(source, target):
                while part := await source.read(65_536):
                    target.write(part)
                target.close()

            await asyncio.gather(pour(reader, to_server), pour(from_server, writer))
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the page has gone
        finally:
            writer.close()

    proxy = await asyncio.start_server(accept, "127.0.0.1", 0)
    try:
        url = f"http://127.0.0.1:{proxy.sockets[0].getsockname()[1]}"
        page, japanese = await case.open(url + "/contents"), await case.open(url + "/number", locale="ja")
        await expect(page.locator("[role=status]")).to_contain_text("a proxy or firewall on the way blocks the WebSockets")
        await expect(japanese.locator("[role=status]")).to_contain_text("WebSocket を遮断しています")

        is_blocking = False

        for each in (page, japanese):
            await expect(each.locator("html")).to_have_attribute("data-link", "live")
            await expect(each.locator("[role=status]")).to_have_text("")
    finally:
        proxy.close()
        for each in case.pages:
            await each.context.close()


async def test_the_number_is_not_read_with_every_key(case):
    """Thirty keys change no live region; once the number rests, it is said once."""
    server = await case.serve()
    page = await case.open("about:blank")
    await page.clock.install()
    await page.goto(server.url + "/number?room=spoken")
    await expect(page.locator("html")).to_have_attribute("data-link", "live")
    await page.evaluate("""() => {
      window.said = [];
      const live = "output, [role=status], [role=alert], [role=log], [aria-live]:not([aria-live=off])";
      const isLive = (node) => (node.nodeType === 1 ? node : node.parentElement)?.closest(live);
      new MutationObserver((records) => said.push(...records.filter(({ target }) => isLive(target)).map(({ target }) => target.textContent)))
        .observe(document.body, { subtree: true, childList: true, characterData: true });
    }""")
    await page.clock.pause_at(await page.evaluate("Date.now() + 1000"))

    await page.locator("#number").focus()
    await page.keyboard.press("Control+a")
    await page.keyboard.type("123456789012345678901234567890")
    await expect(page.locator(".display")).to_have_text("123456789012345678901234567890")
    assert await page.evaluate("said") == []
    await page.clock.run_for(1_000)

    await expect(page.locator("[data-bind-spoken]")).to_have_text("123456789012345678901234567890")
    assert await page.evaluate("said") == ["123456789012345678901234567890"]


async def test_the_form_says_what_is_missing(case):
    """Above the button that waits there are the missing fields; both change with the form."""
    page = await case.live(await case.serve(), "/form")
    needed, button = page.locator("#needed li:visible"), page.locator("form .button")
    assert await button.get_attribute("aria-describedby") == "needed"

    await expect(needed).to_have_text(["your name", "a day that is not over", "your consent to the house rules"], use_inner_text=True)
    await page.locator("#name").fill("Ann")
    await page.locator("#people").fill("9")
    await expect(needed).to_have_text(
        ["how many people come, from 1 to 8", "a day that is not over", "your consent to the house rules"], use_inner_text=True)
    await page.locator("#people").fill("2")
    await page.locator("#day").fill("2099-01-01")
    await page.locator(".check input").check()

    await expect(page.locator("#needed")).to_be_hidden()
    await expect(button).to_be_enabled()


async def test_nothing_found(case):
    """A word that no article contains is answered; the invitation to type is there only while nothing is typed."""
    page = await case.live(await case.serve(), "/search")
    nothing, invitation = page.locator("[data-bind-shown=nothingFound]"), page.locator("[data-bind-shown=isIdle]")
    await expect(invitation).to_be_visible()

    await page.locator("#word").fill("xyzzy")
    await expect(nothing).to_be_visible()
    await expect(invitation).to_be_hidden()
    await page.locator("#word").fill("tokyo")
    await expect(page.locator(".row").first).to_be_visible()
    await expect(nothing).to_be_hidden()
    await page.locator("#word").fill("")

    await expect(invitation).to_be_visible()


async def test_an_icon_for_those_who_ask_the_old_way(case):
    """/favicon.ico is a picture."""
    case.allow("status of 404")  # the page for addresses that lead nowhere
    page = await case.open((await case.serve()).url + "/no-such-page")

    size = await page.evaluate("""async () => {
      const picture = new Image();
      picture.src = "/favicon.ico";
      await picture.decode();
      return picture.naturalWidth;
    }""")

    assert size >= 16, size


async def test_without_javascript(case):
    """A page without JavaScript says that it needs it, in both languages, and shows the rest in one."""
    server = await case.serve()

    for path in ("/number", "/note", "/contents", "/contents/1", "/segments", "/greeting", "/search", "/form"):
        page = await case.open(server.url + path, java_script_enabled=False)
        await expect(page.locator("noscript p")).to_contain_text("needs JavaScript")
        await expect(page.locator("noscript p")).to_contain_text("JavaScript が必要です")
        await expect(page.locator("noscript p")).to_be_visible()
        await expect(page.locator("main [lang=ja]:visible")).to_have_count(0)
