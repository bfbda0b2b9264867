# SPDX-License-Identifier: Apache-2.0
"""Files of a page: chosen, dropped and pasted; progress, pause, lost connections, a reload, a killed server, and refusals."""

import asyncio
import hashlib
import re
import struct
import zlib

from playwright.async_api import expect

from harness import eventually, lost_network
import processes
from visitor_test import open_as

# What a browser says of an upload that is refused, cut off, or has gone.
lost_upload = r"status of (404|409|410|413|415|423|408|503)|net::ERR_"


def contents(count: int) -> bytes:
    """Bytes that differ everywhere."""
    return hashlib.shake_128(b"tea").digest(count)


def picture() -> bytes:
    """A small PNG."""
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + bytes([40, 90, 60] * 8) for _ in range(8))
    head = struct.pack(">IIBBBBB", 8, 8, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def told(name: str, kind: str, data: bytes) -> str:
    """What the screen tells of a file."""
    return f"{name} {kind} {len(data)} {hashlib.sha256(data).hexdigest()[:8]}"


def file(name: str, data: bytes, kind: str = "application/octet-stream") -> dict:
    return {"name": name, "mimeType": kind, "buffer": data}


def large(case, name: str, data: bytes):
    """A file on the disk; bytes that pass through the driver take it seconds."""
    path = case.folder() / name
    path.write_bytes(data)
    return path


async def hand_over(page, selector: str, event: str, *names: str) -> None:
    """Drops files on an element, or pastes them into it."""
    await page.evaluate("""([selector, event, names]) => {
      const data = new DataTransfer();
      for (const name of names) data.items.add(new File([`text of ${name}`], name, { type: "text/plain" }));
      const options = { bubbles: true, cancelable: true };
      const made = event === "paste" ? new ClipboardEvent(event, { ...options, clipboardData: data })
        : new DragEvent(event, { ...options, dataTransfer: data });
      document.querySelector(selector).dispatchEvent(made);
    }""", [selector, event, list(names)])


def entry(page, name: str):
    return page.locator(".musubi-files > li", has_text=name)


async def test_several_files(case):
    """Files are chosen, dropped and pasted; everybody sees them, in order, and each is told once."""
    server = await case.serve_test_screens("--dev")
    page = await case.live(server, "/files")
    other = await case.live(server, "/files")
    said = await case.listen(page)
    data = contents(3_000_000)
    await page.set_input_files("#file", [file("one.bin", data), file("two.txt", b"two")])
    seen = [told("one.bin", "application/octet-stream", data), told("two.txt", "text/plain", b"two")]
    for each in (page, other):
        await expect(each.locator("#files > li")).to_have_text(seen)
    await expect(page.locator(".musubi-files")).to_have_count(0)
    for name in ("one.bin", "two.txt"):
        await eventually(lambda: sum(words.endswith(f"{name}: Sent.") for words in said) == 1)

    await hand_over(page, "#zone", "dragover", "three.txt")
    await expect(page.locator("#zone")).to_have_attribute("data-drop", "")
    await hand_over(page, "#zone", "drop", "three.txt", "four.txt")
    await hand_over(page, "#zone", "paste", "five.txt")
    await expect(page.locator("#zone")).not_to_have_attribute("data-drop", "")
    seen += [told(name, "text/plain", f"text of {name}".encode()) for name in ("three.txt", "four.txt", "five.txt")]
    await expect(other.locator("#files > li")).to_have_text(seen)
    # The same file again is one more.
    await page.set_input_files("#file", [file("two.txt", b"two")])
    await expect(other.locator("#files > li")).to_have_count(6)
    await expect(page.locator("#musubi-inspector")).to_have_count(0)


async def test_text_with_a_picture_of_it(case):
    """Where somebody writes, text is pasted, and no picture of it is sent; a picture alone is, from there and from elsewhere."""
    server = await case.serve_test_screens()
    page = await case.live(server, "/files")
    paste = """([selector, text, name]) => {
      const data = new DataTransfer();
      if (text) data.items.add(text, "text/plain");
      data.items.add(new File([`text of ${name}`], name, { type: "text/plain" }));
      const event = new ClipboardEvent("paste", { bubbles: true, cancelable: true, clipboardData: data });
      document.querySelector(selector).dispatchEvent(event);
      return event.defaultPrevented;
    }"""
    # Once this one is there, the page hears what is pasted.
    await page.set_input_files("#file", [file("zero.txt", b"text of zero.txt")])
    await expect(page.locator("#files > li")).to_have_text([told("zero.txt", "text/plain", b"text of zero.txt")])

    assert not await page.evaluate(paste, ["#note", "a\tb", "one.txt"])
    assert await page.evaluate(paste, ["#note", "", "two.txt"])
    assert await page.evaluate(paste, ["#zone", "a\tb", "three.txt"])

    seen = [told(f"{name}.txt", "text/plain", f"text of {name}.txt".encode()) for name in ("zero", "two", "three")]
    await expect(page.locator("#files > li")).to_have_text(seen)


async def test_rows(case):
    """A file goes to the row that it was chosen in; one whose row goes is forgotten."""
    case.allow(lost_upload)
    server = await case.serve_test_screens()
    page = await case.live(server, "/files")
    await page.set_input_files("[data-row='2'] input", file("cover.txt", b"cover"))
    await expect(page.locator("[data-row='2'] b")).to_have_text("cover.txt")
    await expect(page.locator("[data-row='1'] b")).to_have_text("")
    await page.set_input_files("[data-row='1'] input", file("large.txt", b"c" * 65_537))
    await expect(page.locator("[data-row='1'] .musubi-files")).to_contain_text("too large. At most 64 KB")
    await page.click("[data-row='1'] [data-on-click=remove]")
    await expect(page.locator(".musubi-files")).to_have_count(0)


async def test_refusals(case):
    """What is too large, empty or of another type is refused with a sentence; by the page, and by the server where that knows."""
    case.allow(lost_upload)
    server = await case.serve_test_screens(language="ja")
    page = await case.live(server, "/files")
    said = await case.listen(page)
    await page.set_input_files("#picture", file("big.png", b"x" * 65_537, "image/png"))
    await expect(entry(page, "big.png")).to_contain_text("ファイルが大きすぎます。64 KBまでです。")
    await page.set_input_files("#picture", file("empty.png", b"", "image/png"))
    await expect(entry(page, "empty.png")).to_contain_text("このファイルは空です。")
    await page.set_input_files("#picture", file("paper.pdf", b"%PDF-1.7", "application/pdf"))
    await expect(entry(page, "paper.pdf")).to_contain_text("この種類のファイルは送信できません。")
    # It says that it is a picture, and its first bytes say something else.
    await page.set_input_files("#picture", file("text.png", b"text" * 200, "image/png"))
    await expect(entry(page, "text.png")).to_contain_text("この種類のファイルは送信できません。")
    await eventually(lambda: any("text.png: この種類" in words for words in said))
    await case.photograph(page, "files-refused-ja")

    await entry(page, "text.png").locator("button:visible", has_text="閉じる").click()
    await expect(entry(page, "text.png")).to_have_count(0)
    for _ in range(await page.locator(".musubi-files > li").count()):
        await page.locator(".musubi-files > li button:visible", has_text="閉じる").first.click()
    await expect(page.locator("#picture")).to_be_focused()
    await page.set_input_files("#picture", file("tea.png", picture(), "image/png"))
    await expect(page.locator("#files > li")).to_have_text([told("tea.png", "image/png", picture())])


async def test_rights(case):
    """A control that not everybody may use takes files of those alone who may."""
    server = await case.serve_test_screens()
    keeper = await open_as(case, server, "ann", "/files", rights="keeper")
    bob = await open_as(case, server, "bob", "/files")
    await expect(bob.locator("#secret")).to_be_disabled()
    await expect(keeper.locator("#secret")).to_be_enabled()
    await keeper.set_input_files("#secret", file("key.txt", b"key"))
    await expect(bob.locator("#files > li")).to_have_text([told("key.txt", "text/plain", b"key")])


async def test_keys(case):
    """With the keyboard alone: pause, continue and cancel; the focus stays, and each button says which file it is about."""
    case.allow(lost_upload)
    case.allow(lost_network)
    server = await case.serve_test_screens()
    proxy = await case.proxy(server)
    page = await case.live(proxy, "/files")
    await expect(page.locator("#rows b")).to_have_count(2)
    proxy.hold("up")
    data = contents(20_000_000)
    await page.set_input_files("#file", large(case, "big.bin", data))
    row = entry(page, "big.bin")
    await expect(row).to_have_attribute("data-upload", "sending")
    await expect(row.locator("progress")).to_have_accessible_name("big.bin")
    pause, go_on = row.get_by_role("button", name="Pause big.bin"), row.get_by_role("button", name="Continue big.bin")
    await pause.focus()
    await page.keyboard.press("Enter")
    await expect(row).to_have_attribute("data-upload", "paused")
    await expect(row.locator("output")).to_contain_text("Paused")
    await expect(go_on).to_be_focused()
    proxy.release()
    await case.photograph(page, "files-paused")
    await page.keyboard.press("Enter")
    await expect(page.locator("#files > li")).to_have_text([told("big.bin", "application/octet-stream", data)])
    await expect(page.locator("#file")).to_be_focused()

    proxy.hold("up")
    await page.set_input_files("#file", large(case, "other.bin", data))
    await expect(entry(page, "other.bin")).to_have_attribute("data-upload", "sending")
    cancel = entry(page, "other.bin").get_by_role("button", name="Cancel other.bin")
    await cancel.focus()
    await page.keyboard.press("Space")
    await expect(page.locator(".musubi-files")).to_have_count(0)
    await expect(page.locator("#file")).to_be_focused()
    proxy.release()
    await expect(page.locator("#files > li")).to_have_count(1)


async def test_lost_connections(case):
    """An upload goes on where it was cut off, again and again, and arrives whole."""
    case.allow(lost_upload)
    case.allow(lost_network)
    server = await case.serve_test_screens()
    proxy = await case.proxy(server, 0.1)
    page = await case.live(proxy, "/files")
    sent = []
    page.on("request", lambda request: sent.append((request.method, request.headers.get("upload-offset"))))
    data = contents(20_000_000)
    await page.set_input_files("#file", large(case, "big.bin", data))
    for place in range(3):
        await eventually(lambda: [method for method, _ in sent].count("PATCH") > place)
        # Within a part, or between two: then the browser itself sends the next one again.
        proxy.cut()
    await expect(page.locator("#files > li")).to_have_text([told("big.bin", "application/octet-stream", data)])
    await expect(page.locator("html")).to_have_attribute("data-link", "live")


async def test_a_reload(case):
    """A reload takes the file from the page: it asks for it again, and goes on with the bytes that are there."""
    case.allow(lost_upload)
    case.allow(lost_network)
    server = await case.serve_test_screens()
    proxy = await case.proxy(server, 0.1)
    page = await case.live(proxy, "/files")
    data = contents(12_000_000)
    sent = []
    page.on("request", lambda request: sent.append((request.method, request.headers.get("upload-offset"))))
    path = large(case, "big.bin", data)
    await page.set_input_files("#file", path)
    await eventually(lambda: ("PATCH", "4194304") in sent)
    proxy.hold("up")
    proxy.cut()
    await expect(entry(page, "big.bin")).to_have_attribute("data-upload", re.compile("offline|sending"))
    proxy.release()
    await page.get_by_role("button", name="Pause big.bin").click()
    await page.reload()
    row = entry(page, "big.bin")
    await expect(row).to_contain_text("Choose this file again to go on.")
    await case.photograph(page, "files-choose")
    assert await row.locator("progress").evaluate("bar => bar.value") > 0.3
    # Another file of the name is another one.
    sent.clear()
    await page.set_input_files("#file", file("big.bin", b"other"))
    await expect(page.locator("#files > li")).to_have_text([told("big.bin", "text/plain", b"other")])
    await expect(row).to_contain_text("Choose this file again")
    sent.clear()
    await page.set_input_files("#file", path)
    await expect(page.locator("#files > li").last).to_have_text(told("big.bin", "application/octet-stream", data))
    offsets = [int(offset) for method, offset in sent if method == "PATCH"]
    assert min(offsets) >= 4_194_304 and "POST" not in [method for method, _ in sent], sent
    await page.reload()
    await expect(page.locator("#rows b")).to_have_count(2)
    await expect(page.locator(".musubi-files")).to_have_count(0)


async def test_a_copied_tab(case):
    """A copy of a tab shows what is on its way there; when the row goes, the tab that sends it ends it, and not the copy."""
    case.allow(lost_upload)
    server = await case.serve_test_screens()
    page = await case.live(server, "/files")
    may_go = asyncio.Event()

    async def hold(route):
        if route.request.method == "PATCH":
            await may_go.wait()
        await route.continue_()

    await page.route(re.compile("/musubi/uploads/"), hold)
    async with page.expect_request(lambda request: request.method == "PATCH"):
        await page.set_input_files("[data-row='1'] input", file("cover.bin", contents(60_000)))

    copy = await case.copy_tab(page)
    asked = {page: [], copy: []}
    for tab, methods in asked.items():
        tab.on("request", lambda request, methods=methods: methods.append(request.method))
    await copy.goto(server.url + "/files")
    await expect(entry(copy, "cover.bin")).to_contain_text("Choose this file again to go on.")
    await copy.click("[data-row='1'] [data-on-click=remove]")
    await expect(copy.locator(".musubi-files")).to_have_count(0)
    await eventually(lambda: "DELETE" in asked[page])
    assert "HEAD" in asked[copy] and "DELETE" not in asked[copy], asked
    may_go.set()


async def test_a_killed_server(case):
    """The server is killed within a file; the page goes on with the next one, and the file arrives whole."""
    case.allow(lost_upload)
    case.allow(lost_network)
    folder = case.folder() / "uploads"
    server = await case.serve_test_screens("--upload-folder", str(folder))
    proxy = await case.proxy(server, 0.1)
    page = await case.live(proxy, "/files")
    data = contents(20_000_000)
    sent = []
    page.on("request", lambda request: sent.append(request.method))
    await page.set_input_files("#file", large(case, "big.bin", data))
    await eventually(lambda: sent.count("PATCH") >= 2)
    await server.kill()
    proxy.cut()
    public = server.command[server.command.index("--public") + 1]
    again = await case._start(processes.test_screens_server(public, "--upload-folder", str(folder)))
    proxy.target = again.port
    await expect(page.locator("#files > li")).to_have_text([told("big.bin", "application/octet-stream", data)])
    assert sent.count("POST") == 1, sent


async def test_an_address_that_has_ended(case):
    """Another process does not know the address that the page was told; the page connects again, and has a new one."""
    case.allow(lost_upload)
    case.allow(lost_network)
    server = await case.serve_test_screens()
    page = await case.live(server, "/files")
    asked = []

    async def forget(route):
        asked.append(route.request.url)
        await (route.fulfill(status=404, body="Nothing is sent to this address now.") if len(asked) == 1 else route.fallback())

    await page.route("**/musubi/uploads/*", forget)
    await page.set_input_files("#file", file("tea.txt", b"tea"))
    await expect(page.locator("#files > li")).to_have_text([told("tea.txt", "text/plain", b"tea")])
    assert asked[0] != asked[1]


async def test_other_pages(case):
    """A page without files does not load what sends them."""
    server = await case.serve_test_screens()
    page = await case.live(server, "/controls")
    await asyncio.sleep(0)
    names = await page.evaluate("performance.getEntriesByType('resource').map(({ name }) => name)")
    assert names and not any("upload" in name for name in names), names
