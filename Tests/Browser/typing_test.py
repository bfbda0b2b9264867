# SPDX-License-Identifier: Apache-2.0
"""Typing over a bad network, alone and together: no character is lost, doubled or out of order."""

import asyncio
from itertools import zip_longest
import re

from playwright.async_api import expect

from harness import NumberPage, lost_network, screenshots
from look_test import desktop, low_contrast, phone

# 200 different characters without a key of their own: the keyboard sends them as text, one by one.
lower = "".join(chr(0x3400 + index) for index in range(200))
upper = "".join(chr(0x3800 + index) for index in range(200))


async def open_note(case, url: str, query: str = "room=test", **options):
    page = await case.open(f"{url}/note?{query}", **options)
    await expect(page.locator("html")).to_have_attribute("data-link", "live")
    return page


async def cut_now_and_then(proxy, seconds: float) -> None:
    """Three connections in ten go while somebody types: about one in every two seconds."""
    for _ in range(int(seconds / 2)):
        await asyncio.sleep(2)
        proxy.cut()


def in_order(text: str, typed: str) -> bool:
    return "".join(character for character in text if character in typed) == typed


async def test_alone_in_the_number_screen(case):
    """200 characters, 30 ms apart, 500 ms of latency, cut connections: all arrive, and the caret stays behind them."""
    case.allow(lost_network)
    server = await case.serve()
    proxy = await case.proxy(server, delay=0.5)
    page = NumberPage(await case.open(f"{proxy.url}/number?room=test"))
    await page.is_live()
    await page.retype("")

    await asyncio.gather(page.type_at_end(lower, interval=0.03), cut_now_and_then(proxy, 6))
    await expect(page.field).to_have_value(lower)
    assert await page.field.evaluate("field => field.selectionStart") == len(lower)

    watcher = await case.number(server)
    await watcher.shows(lower)
    await page.shows(lower)


async def write(page, field, text: str) -> None:
    await field.focus()
    await page.keyboard.press("End")
    await page.keyboard.type(text, delay=30)


async def both_are_whole(fields) -> None:
    """Waits until both fields have all that was typed, and finds it the same in both, once and in order."""
    for field in fields:
        await field.evaluate(
            "(field, all) => new Promise((done) => {"
            " const look = () => [...all].every((c) => field.value.includes(c)) ? done() : setTimeout(look, 50);"
            " look(); })", lower + upper)
    texts = [await field.input_value() for field in fields]
    assert texts[0] == texts[1]
    assert len(texts[0]) == 400 and in_order(texts[0], lower) and in_order(texts[0], upper), texts[0]


async def test_two_people_in_the_number_screen(case):
    """The same with a second typist: both texts are whole and in order, and both pages show the same, label and all."""
    case.allow(lost_network)
    server = await case.serve()
    proxy = await case.proxy(server, delay=0.5)
    pages = [NumberPage(await case.open(f"{address.url}/number?room=test")) for address in (proxy, server)]
    for page in pages:
        await page.is_live()
    await pages[1].retype("")
    await expect(pages[0].field).to_have_value("")

    await asyncio.gather(
        *(write(page.page, page.field, text) for page, text in zip(pages, (lower, upper))), cut_now_and_then(proxy, 6))

    await both_are_whole([page.field for page in pages])
    for page in pages:
        await page.shows(await pages[1].field.input_value())


async def test_alone_in_a_note(case):
    """One writer: the note has the text as it was typed, with the caret behind it, and so has who comes later."""
    case.allow(lost_network)
    server = await case.serve()
    proxy = await case.proxy(server, delay=0.5)
    page = await open_note(case, proxy.url)
    field = page.locator("textarea")

    await asyncio.gather(write(page, field, lower), cut_now_and_then(proxy, 6))

    await expect(field).to_have_value(lower)
    assert await field.evaluate("field => field.selectionStart") == len(lower)
    watcher = await open_note(case, server.url)
    await expect(watcher.locator("textarea")).to_have_value(lower)


async def test_two_people_in_a_note(case):
    """The same with a second typist: both texts are whole and in order, and both pages show the same."""
    case.allow(lost_network)
    server = await case.serve()
    proxy = await case.proxy(server, delay=0.5)
    pages = [await open_note(case, proxy.url), await open_note(case, server.url)]
    fields = [page.locator("textarea") for page in pages]

    await asyncio.gather(
        *(write(page, field, text) for page, field, text in zip(pages, fields, (lower, upper))),
        cut_now_and_then(proxy, 6))

    await both_are_whole(fields)


async def test_a_large_paste(case):
    """60 kB arrive whole; a text over the server's limit stays in the field with a message."""
    server = await case.serve()
    writer, reader = await open_note(case, server.url), await open_note(case, server.url)
    # In few lines: Chromium takes a minute to paste 4,000 of them, also where no page of ours is.
    text = ("結び 😀 knot " * 200 + "\n") * 20
    assert len(text.encode()) > 60_000

    await writer.locator("textarea").focus()
    await writer.keyboard.insert_text(text)
    await expect(reader.locator("textarea")).to_have_value(text)

    await writer.keyboard.insert_text("x" * 270_000)
    over = len(text.encode()) + 270_000 - 262_144
    await expect(writer.locator("[role=status]")).to_have_text(f"Not shared: {over:,} characters too long.")
    assert len(await writer.locator("textarea").input_value()) == len(text) + 270_000
    await expect(reader.locator("textarea")).to_have_value(text)


async def test_every_script(case):
    """Text from right to left, combining marks and joined emoji of two writers: both keep theirs, and no character breaks."""
    server = await case.serve()
    writers = [await open_note(case, server.url) for _ in range(2)]
    fields = [page.locator("textarea") for page in writers]
    texts = ["שלום e\u0301a\u0308 👩‍👧 नि 🇯🇵", "سلام ลิ้น 👍🏽 o\u0302 ✈️"]

    async def show(text: str) -> None:
        for field in fields:
            await expect(field).to_have_js_property("value", text)

    await fields[0].focus()
    await writers[0].keyboard.insert_text("|")
    await show("|")
    await fields[1].focus()
    await writers[1].keyboard.press("Home")
    for characters in zip_longest(*texts, fillvalue=""):
        for page, character in zip(writers, characters):
            if character:
                await page.keyboard.insert_text(character)
    # The first types behind the bar, the other in front of it.
    await show(f"{texts[1]}|{texts[0]}")

    # What the browser takes for one character goes by one key, or mark by mark; the other types beside it meanwhile.
    for _ in range(6):
        await writers[0].keyboard.press("Backspace")
        await writers[1].keyboard.insert_text("🏽")
    text = await fields[0].input_value()
    await expect(fields[0]).to_have_js_property("value", texts[1] + "🏽" * 6 + "|" + text.split("|")[1])
    text = await fields[0].input_value()
    await show(text)
    assert texts[0].startswith(text.split("|")[1])
    assert text.encode("utf-16-le", "surrogatepass").decode("utf-16-le") == text


async def test_line_ends(case):
    """Line ends of another system, from a client that sends whole values, stay as they are around text that is typed here."""
    server = await case.serve()
    page = await open_note(case, server.url)
    field = page.locator("textarea")
    await page.evaluate("""() => new Promise((done) => {
      window.stranger = new WebSocket(`ws://${location.host}/live/note?room=test`, "musubi.v1");
      stranger.onmessage = ({ data }) => {
        const frame = JSON.parse(data);
        if (frame.snapshot) done();
        for (const { path, value } of frame.patch ?? []) if (path === "/text.field") window.heard = value;
      };
    })""")

    async def hears(text: str) -> None:
        while await page.evaluate("window.heard") != text:
            await page.evaluate("new Promise((done) => setTimeout(done, 20))")

    await page.evaluate(r"""stranger.send(JSON.stringify({ input: 1, name: "text", value: "one\r\ntwo\r\n" }))""")
    await expect(field).to_have_value("one\ntwo\n")

    await field.evaluate("field => (field.focus(), field.setSelectionRange(4, 4))")
    await page.keyboard.type("x")
    await hears("one\r\nxtwo\r\n")
    await page.keyboard.press("Home")
    await page.keyboard.press("Backspace")
    await hears("onextwo\r\n")
    await expect(field).to_have_value("onextwo\n")
    await page.keyboard.press("Control+End")
    await page.keyboard.type("three")
    await hears("onextwo\r\nthree")


async def test_undo_alone(case):
    """Where nobody else edits, the browser's own undo and redo work, and travel as any other edit."""
    server = await case.serve()
    writer, reader = await open_note(case, server.url), await open_note(case, server.url)
    field, seen = writer.locator("textarea"), reader.locator("textarea")
    await field.focus()
    await writer.keyboard.type("one")
    await writer.keyboard.insert_text(" two")
    await expect(seen).to_have_value("one two")

    await writer.keyboard.press("Control+z")
    await expect(field).not_to_have_value("one two")
    await expect(seen).to_have_value(await field.input_value())
    await writer.keyboard.press("Control+Shift+z")

    await expect(field).to_have_value("one two")
    await expect(seen).to_have_value("one two")


async def test_who_is_present(case):
    """Everybody has a name, keeps it over a reload, and is gone some seconds after leaving."""
    server = await case.serve()
    one, other = await open_note(case, server.url), await open_note(case, server.url)
    people = one.locator("[data-bind-text=people]")

    await expect(people).to_have_text(re.compile(r"^2 people: \w+, \w+$"))
    names = await people.text_content()
    await other.reload()
    await expect(other.locator("[data-bind-text=people]")).to_have_text(names)
    await other.close()

    await expect(people).to_have_text(re.compile(r"^1 person: \w+$"))


async def test_a_slow_network_to_feel(case):
    """The slider of the note page delays both directions, and nothing is lost by it."""
    server = await case.serve()
    slow, other = await open_note(case, server.url, "room=test&latency=1"), await open_note(case, server.url)
    await slow.locator("#delay").fill("600")

    await slow.locator("textarea").focus()
    await slow.keyboard.type("slow")

    await expect(slow.locator("#delay-shown")).to_have_text("600 ms")
    await expect(other.locator("textarea")).to_have_value("slow")


async def test_the_note_looks_right(case):
    """Photographed at 390 and 1280 px, light and dark; readable, and nothing to scroll sideways."""
    server = await case.serve()
    screenshots.mkdir(parents=True, exist_ok=True)
    for size in (phone, desktop):
        for scheme in ("light", "dark"):
            page = await open_note(
                case, server.url, "room=look&latency=1", viewport=size, color_scheme=scheme, device_scale_factor=1)
            await page.locator("textarea").fill("Bread\nButter\nTea for Heron")
            await page.screenshot(path=screenshots / f"note-{size['width']}-{scheme}.png", full_page=True)
            assert await page.evaluate("document.documentElement.scrollWidth") <= size["width"]
            assert not (poor := await page.evaluate(low_contrast)), poor
