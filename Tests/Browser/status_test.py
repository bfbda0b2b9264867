# SPDX-License-Identifier: Apache-2.0
"""The status screen of the admin port: live, readable at a phone's width, and quiet."""

import asyncio
import re

from playwright.async_api import Page, expect

from access_test import judge
from harness import admin_url, eventually, lost_network
from look_test import desktop, english, low_contrast, phone, readings, smallest, sticks_out

admin = ("--admin", "127.0.0.1:0")
verdict, figures = "[data-bind-text='verdict.text']", ".figure"
inputs, connections = "[data-bind-text='server.inputs']", "[data-bind-text='server.connections']"
rooms = "table.rooms tbody tr"
# As long as a room's name may be.
long_name = "Donaudampfschifffahrt" * 3


async def status(case, server, **options) -> Page:
    """Opens the status screen of a server, and waits until it shows the first report."""
    page = await case.open(await admin_url(server), **options)
    await expect(page.locator("html")).to_have_attribute("data-link", "live")
    await expect(page.locator("[data-cloak]")).to_have_count(0)
    await expect(page.locator("table.loops tbody tr").first).to_be_visible()
    return page


async def use(case, server, *names: str) -> asyncio.Task:
    """Types into rooms of these names until the task that it returns is cancelled."""
    pages = [await case.number(server, f"/number?room={name}") for name in names]

    async def type_on():
        while True:
            for page in pages:
                await page.type_at_end("1")
            await asyncio.sleep(0.05)

    return asyncio.create_task(type_on())


async def test_live_values(case):
    """While somebody uses a screen, its room and its rates appear without a reload, and go when it is quiet again."""
    server = await case.serve(*admin)
    page = await status(case, server)
    await page.evaluate("() => { window.isSame = true; }")
    await expect(page.locator(connections)).to_have_text("0")
    await expect(page.locator("[data-bind-hidden=rooms]")).to_be_visible()

    typing = await use(case, server, "busy")
    try:
        await expect(page.locator(connections)).to_have_text("1")
        await expect(page.locator(inputs)).not_to_have_text(re.compile("^[0–]$"))
        await expect(page.locator(rooms)).to_have_count(1)
        await expect(page.locator(f"{rooms} th")).to_have_text("number busy")
        await expect(page.locator("[data-bind-hidden=rooms]")).to_be_hidden()
        await expect(page.locator("table.screens tbody th")).to_have_text(["number"])
    finally:
        typing.cancel()

    await expect(page.locator(inputs)).to_have_text("0")
    await expect(page.locator("[data-bind-hidden=rooms]")).to_be_visible()
    assert await page.evaluate("window.isSame"), "the page was loaded again"


async def test_names_that_visitors_choose(case):
    """A room's name is text, whatever is written in it, and keeps its direction of writing to itself."""
    server = await case.serve(*admin)
    page = await status(case, server)
    typing = await use(case, server, "%3Cimg src=x onerror=alert(1)%3E", "%D7%A9%D7%9C%D7%95%D7%9D")
    try:
        names = page.locator(f"{rooms} bdi[data-bind-text=name]")
        await expect(names).to_have_count(2)
        assert sorted(await names.all_text_contents()) == ["<img src=x onerror=alert(1)>", "שלום"]
        assert await page.locator("main img").count() == 0
    finally:
        typing.cancel()


async def connect(server, *headers: str) -> asyncio.StreamWriter:
    """Asks for a WebSocket as a program does that writes what headers it likes; the connection stays open."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    lines = (
        "GET /live/number?room=crowd HTTP/1.1", f"Host: 127.0.0.1:{server.port}", "Connection: Upgrade", "Upgrade: websocket",
        "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==", "Sec-WebSocket-Protocol: musubi.v1", *headers)
    writer.write("\r\n".join([*lines, "", ""]).encode())
    await reader.readuntil(b"\r\n\r\n")
    return writer


async def test_peers_and_refusals(case):
    """A visitor with nearly as much as there may be is marked by a word; who gets no more is told of."""
    server = await case.serve(*admin, "--trust-proxy", "127.0.0.1/32", "--max-connections-per-peer", "1")
    page = await status(case, server)
    small = await status(case, server, viewport=smallest)
    refused, peers = page.locator("table.refusals tbody tr"), page.locator("table.peers tbody tr")
    writers = []
    try:
        for _ in range(7):
            writers.append(await connect(server, "X-Forwarded-For: 203.0.113.7"))
        await expect(peers).to_have_count(1)
        await expect(peers.locator("th")).to_have_text("a:203.0.113.7 connections")
        await expect(peers.locator(".mark")).to_be_visible()
        await expect(peers.locator("td").nth(2)).to_contain_text("87%")
        await expect(page.locator(verdict)).to_contain_text("1 value is near its limit.")
        await expect(page).to_have_title("⚠ Server status")

        for _ in range(2):
            writers.append(await connect(server, "X-Forwarded-For: 203.0.113.7"))
        await expect(peers.locator("td").nth(2)).to_contain_text("100%")
        await expect(refused.first.locator("td").first).to_have_text("a:203.0.113.7")
        await expect(page.locator(".reasons li").first).to_be_visible()
        await expect(small.locator("table.refusals tbody tr").first).to_be_visible()
        for each, size in ((page, "1280"), (small, "320")):
            await case.photograph(each, f"status-crowd-{size}")
            assert not (out := await each.evaluate(sticks_out)), f"{size}: {out}"
            await judge(each, f"a crowd, {size}")
    finally:
        for writer in writers:
            writer.close()
    await expect(peers).to_have_count(0)


async def test_a_server_that_stops(case):
    """When the server ends, the screen says so, and then that it is not live any more."""
    case.allow(lost_network)
    server = await case.serve(*admin)
    page = await status(case, server)
    await case.number(server)
    said = []
    await page.expose_function("says", lambda text: said.append(text))
    await page.evaluate("""selector => {
      const element = document.querySelector(selector);
      new MutationObserver(() => says(element.textContent)).observe(element, { childList: true });
    }""", verdict)

    await server.stop()

    await expect(page.locator("html")).not_to_have_attribute("data-link", "live")
    await expect(page.locator("[role=status]")).to_have_text(re.compile(r"\w"))
    await eventually(lambda: any("stopping" in text for text in said))
    await case.photograph(page, "status-stopped")


async def test_quiet_for_screen_readers(case):
    """No value that changes each second is in a live region: only the status line, and the verdict once it rests."""
    page = await status(case, await case.serve(*admin))

    live = await page.evaluate("""() =>
      [...document.querySelectorAll("[aria-live], [role=status], [role=alert], [role=log], [role=timer], output")]
        .flatMap((region) => [region, ...region.querySelectorAll("*")])
        .map((each) => each.getAttribute("role") ?? each.getAttribute("data-bind-spoken") ?? each.outerHTML)""")

    assert sorted(live) == ["status", "verdict.text"], live


async def test_columns_that_stay(case):
    """Columns and figures stay where they are while values become longer and shorter."""
    server = await case.serve(*admin)
    place = """() => [...document.querySelectorAll(".figure, .loops thead th, .rooms thead th, .budgets > li")].map((element) => {
      const { left, right } = (element.matches("th") ? element : element.parentElement).getBoundingClientRect();
      return [Math.round(left), Math.round(right)];
    })"""
    typing = await use(case, server, "busy")
    try:
        for size in (desktop, phone):
            page = await status(case, server, viewport=size)
            await expect(page.locator(rooms)).to_have_count(1)
            await expect(page.locator(inputs)).not_to_have_text("–")
            before = await page.evaluate(place)
            await page.evaluate("""() => {
              for (const each of document.querySelectorAll(".loops td > span, .rooms td > span")) each.textContent = "1,023 MiB";
              for (const each of document.querySelectorAll(".figure")) each.textContent = "1,234,567";
            }""")
            assert await page.evaluate(place) == before
    finally:
        typing.cancel()


async def test_motion(case):
    """Nothing moves on the status screen, also for those who have not asked for less motion."""
    page = await status(case, await case.serve(*admin))

    moving = await page.evaluate("""() => [...document.querySelectorAll("*")].filter((element) => {
      const { animationName, transitionDuration } = getComputedStyle(element);
      return animationName !== "none" || parseFloat(transitionDuration) > 0;
    }).length""")

    assert moving == 0


async def look(case, scheme: str, locale: str) -> None:
    """Photographs the screen in all widths, empty and full of long names, and measures what a picture does not show."""
    server = await case.serve(*admin)
    sizes = {"1280": desktop, "390": phone, "320": smallest}
    pages = {name: await status(case, server, viewport=size, color_scheme=scheme, locale=locale) for name, size in sizes.items()}

    async def check(state: str) -> None:
        for name, page in pages.items():
            where = f"status-{state}-{name}-{scheme}-{locale}"
            await case.photograph(page, where)
            assert not (out := await page.evaluate(sticks_out)), f"{where}: {out}"
            assert await page.evaluate("document.documentElement.scrollWidth") <= sizes[name]["width"], where
            assert not (poor := await page.evaluate(low_contrast)), f"{where}: {poor}"
            await judge(page, where)

    await check("empty")
    typing = await use(case, server, "lobby", "%E6%9D%B1%E4%BA%AC%E3%81%AE%E9%83%A8%E5%B1%8B", long_name)
    try:
        for page in pages.values():
            await expect(page.locator(rooms)).to_have_count(3)
        await check("full")
    finally:
        typing.cancel()


async def test_light(case):
    """In light colours, in English: nothing sticks out, enough contrast, nothing for axe to find."""
    await look(case, "light", "en")


async def test_dark(case):
    """In dark colours, in Japanese: the same."""
    await look(case, "dark", "ja")


async def test_japanese(case):
    """Who speaks Japanese finds no word of English but names, units, and the log's own words."""
    server = await case.serve(*admin)
    page = await status(case, server, locale="ja")
    await expect(page.locator("html")).to_have_attribute("lang", "ja")
    typing = await use(case, server, "busy")
    try:
        await expect(page.locator(rooms)).to_have_count(1)
        await page.evaluate("() => { for (const name of document.querySelectorAll('bdi')) name.textContent = ''; }")
        units = re.compile(r"^(KiB|MiB|GiB|TiB|[\d,.]+ (B|KiB|MiB|GiB|TiB)|[≤><]? ?[\d,.]+ (ms|µs))$")
        found = [text for text in english(await page.evaluate(readings)) if not units.match(text)]
        assert not found, found
    finally:
        typing.cancel()


async def test_without_the_application_s_style(case):
    """The page asks for nothing but its own style sheet and the client's two files."""
    server = await case.serve(*admin)
    asked = []
    page = await case.open("about:blank")
    page.on("request", lambda request: asked.append(request.url))
    url = await admin_url(server)

    await page.goto(url)
    await expect(page.locator("html")).to_have_attribute("data-link", "live")

    files = {each.removeprefix(url) for each in asked if each.startswith("http")}
    assert files == {"/", "/musubi-status.css", "/musubi.js", "/musubi-more.js"}, files


async def test_with_a_token(case):
    """Elsewhere than on loopback the browser asks for a password, which is the token; then the screen is live, too."""
    token = case.folder() / "token"
    token.write_text("0123456789abcdef0123456789abcdef\n")
    token.chmod(0o600)
    server = await case.serve("--admin", "0.0.0.0:0", "--admin-token", str(token))
    url = (await admin_url(server)).replace("0.0.0.0", "127.0.0.1")
    case.allow("status of 401")  # the answer by which a browser learns that it has to ask

    page = await case.open(url, http_credentials={"username": "operator", "password": token.read_text().strip()})
    await expect(page.locator("html")).to_have_attribute("data-link", "live")
    await expect(page.locator("table.loops tbody tr").first).to_be_visible()

    stranger = await case.open(url, http_credentials={"username": "operator", "password": "guessed"})
    await expect(stranger.locator("main")).to_have_count(0)
