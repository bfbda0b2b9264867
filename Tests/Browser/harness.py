# SPDX-License-Identifier: Apache-2.0
"""The tools of a browser test: servers, visitors with a browser of their own, and an eye on their consoles."""

import asyncio
import collections
import contextlib
import json
import pathlib
import re
import shutil
import sqlite3
import tempfile
import urllib.parse

from playwright.async_api import Browser, Page, expect

from processes import Process, file_server, gallery, gallery_server, root, test_accounts_server, test_screens_server
from proxy import Proxy

screenshots = root / "Tests/Browser/screenshots"
reports = root / ".musubi/browser"

# What Chromium itself says when a WebSocket or a request finds no server: the tests that take the server or the
# network away must bear it, all others must not.
# A page that was refused asks in plain HTTP for the reason: 503 from a server that ends, and 426 if there is none by then.
lost_network = r"WebSocket connection to .* failed|net::ERR_|status of (426|503)"

# A wait ends when its condition holds; this is for one that never does, on the slowest machine that is shared by others.
time_limit = 60_000
expect.set_options(timeout=time_limit)


# Every page of the gallery; the first entry is there if the test has made one.
everywhere = (
    "/", "/number", "/number-alone", "/contents", "/contents/1", "/segments", "/greeting", "/search", "/form", "/board", "/studio", "/play", "/log-in.html",
    "/note", "/note?latency=1", "/pane", "/source?screen=note", "/no-such-page")


async def shows_everything(page: Page) -> None:
    """Waits until a page has its first state; those without a screen have all from the beginning."""
    if await page.locator("[data-cloak]").count():
        await expect(page.locator("html")).to_have_attribute("data-link", "live")
    await expect(page.locator("[data-cloak]")).to_have_count(0)


# Tells a page's messages as soon as they appear: some are gone before anybody can look.
tell = """() => {
  let last = "";
  const look = () => {
    const said = `${document.documentElement.dataset.link} ${document.querySelector("[role=status]")?.textContent}`;
    if (said !== last) musubiSays((last = said));
  };
  new MutationObserver(look).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
}"""


async def eventually(condition) -> None:
    """Waits until the condition holds; it is about things that tell nobody when they change."""
    async with asyncio.timeout(time_limit / 1000):
        while not condition():
            await asyncio.sleep(0.02)


async def has_not_gone(page: Page) -> None:
    """Waits until a page that wanted to reload itself, a second after it says so, would have; by its own clock."""
    await page.evaluate("new Promise((done) => setTimeout(done, 1500))")


async def admin_url(server: Process) -> str:
    """The address of the admin port of a server that was started with `--admin`."""
    def found() -> list[str]:
        return [line.removeprefix("admin ") for line in server.output if line.startswith("admin ")]

    await eventually(found)
    return found()[0]


class NumberPage:
    """A page of the number screen, by the names that the page and the ViewModel share."""

    def __init__(self, page: Page):
        self.page = page
        self.html = page.locator("html")
        self.label = page.locator("[data-bind-text=label]")
        self.field = page.locator("[data-bind-value=number]")
        self.button = page.locator("[data-on-click=roll]")
        self.status = page.locator("[role=status]")

    async def shows(self, text: str, field: str | None = None) -> None:
        """Waits until the label shows the text, and the field the same unless it is said to differ."""
        await expect(self.label).to_have_text(text)
        await expect(self.field).to_have_value(text if field is None else field)

    async def is_live(self) -> None:
        await expect(self.html).to_have_attribute("data-link", "live")

    async def is_away(self) -> None:
        await expect(self.html).not_to_have_attribute("data-link", "live")

    async def type_at_end(self, text: str, interval: float = 0) -> None:
        """Presses the keys one by one, behind the field's text; `interval` in seconds."""
        await self.field.focus()
        await self.page.keyboard.press("End")
        await self.page.keyboard.type(text, delay=1000 * interval)

    async def retype(self, text: str) -> None:
        """Replaces the whole text as a person does: select all, type."""
        await self.field.focus()
        await self.page.keyboard.press("Control+a")
        await self.page.keyboard.press("Backspace")
        await self.page.keyboard.type(text)


class Case:
    """The world of one test. It ends everything that it started, and finds out what went wrong unseen."""

    def __init__(self, name: str, browser: Browser):
        self.name = name
        self.problems = []  # found by nobody's assertion: console errors, servers that do not end
        self.pages = []
        self._heard = {}  # by page: the last frames, and what did not load
        self.browser = browser
        self._allowed = []
        self._said = []
        self._closing = []
        self._processes = []
        self._data = None

    def allow(self, pattern: str) -> None:
        """Tolerates console errors that match; the reason belongs beside the call."""
        self._allowed.append(re.compile(pattern))

    async def serve(self, *options: str, port: int = 0) -> Process:
        """Starts the gallery; all servers of a test share one folder for their data, as after a restart."""
        self._data = self._data or self.folder()
        return await self._start(gallery_server("--data", str(self._data), *options, port=port))

    async def serve_elsewhere(self, folder: pathlib.Path) -> Process:
        """Starts the gallery in another folder than the repository's, without a folder for its data."""
        process = gallery_server("--public", str(root / "Public"))
        process.folder = folder
        return await self._start(process)

    async def serve_without_memory(self, port: int = 0) -> Process:
        """Starts the gallery without a folder for its data: when it ends, it has forgotten everything."""
        return await self._start(gallery_server(port=port))

    async def serve_test_screens(self, *options: str, language: str = "en") -> Process:
        """Starts the screens of Tests/Screens; their pages name a language."""
        public = self.folder()
        shutil.copy(root / "Public/icon.svg", public)
        shutil.copytree(root / "Tests/Screens/Public", public, dirs_exist_ok=True)
        for page in public.glob("*.html"):
            page.write_text(page.read_text().replace('lang="en"', f'lang="{language}"'))
        return await self._start(test_screens_server(public, *options))

    async def serve_accounts(self, *options: str) -> Process:
        """Starts the screen of Tests/Accounts, with Ann's account."""
        public = self.folder()
        for file in ("icon.svg", "favicon.ico"):
            shutil.copy(root / "Public" / file, public)
        shutil.copytree(root / "Tests/Accounts/Public", public, dirs_exist_ok=True)
        return await self._start(test_accounts_server(self.folder() / "accounts.sqlite", public, *options))

    async def serve_files(self, folder: pathlib.Path) -> Process:
        return await self._start(file_server(folder))

    async def written_pages(self) -> pathlib.Path:
        """A folder with the gallery's pages, put together, and the client's files, as another file server has them."""
        folder = self.folder() / "site"
        command = [gallery, "pages", str(folder), "--public", str(root / "Public")]
        process = await asyncio.create_subprocess_exec(
            *command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT)
        said, _ = await process.communicate()
        assert process.returncode == 0, said.decode()
        return folder

    async def proxy(self, server: Process, delay: float = 0.0) -> Proxy:
        proxy = await Proxy(server.port, delay).start()
        self._closing.append(proxy.close)
        return proxy

    def folder(self) -> pathlib.Path:
        """An empty folder that goes when the test ends."""
        folder = tempfile.TemporaryDirectory(prefix="musubi-")

        async def remove():
            folder.cleanup()

        self._closing.append(remove)
        return pathlib.Path(folder.name)

    async def open(self, url: str, **options) -> Page:
        """Opens an address in a browser profile of its own: another person, or another device."""
        context = await self.browser.new_context(**{"locale": "en", **options})
        context.set_default_timeout(time_limit)
        page = await context.new_page()
        self.watch(page)
        page.frames_received, page.frames_sent = [], []

        def listen(socket) -> None:
            socket.on("framereceived", lambda text: page.frames_received.append(json.loads(text)))
            socket.on("framesent", lambda text: page.frames_sent.append(json.loads(text)))

        page.on("websocket", listen)
        await page.goto(url)
        return page

    async def live(self, server, path: str, **options) -> Page:
        """Opens a screen and waits until it is live."""
        page = await self.open(server.url + path, **options)
        await expect(page.locator("html")).to_have_attribute("data-link", "live")
        return page

    async def serve_contents(self, count: int, *options: str) -> Process:
        """Starts the gallery with so many entries, the newest first: `Entry 5`, `Entry 4`, …"""
        await (await self.serve()).stop()
        self.change_contents(
            "INSERT INTO content (title, text, author, time) VALUES (?, ?, 'Ann', ?)",
            *((f"Entry {number}", f"Text {number}", 1_790_000_000_000 + number) for number in range(1, count + 1)))
        return await self.serve(*options)

    def change_contents(self, statement: str, *rows: tuple) -> None:
        """Changes the database behind the gallery's back; a page that opens makes all see it."""
        with contextlib.closing(sqlite3.connect(self._data / "contents.sqlite")) as database, database:
            database.executemany(statement, rows)

    async def copy_tab(self, page: Page) -> Page:
        """Duplicates a tab, as its menu does: the copy begins with what the tab has in `sessionStorage` now, and is not
        loaded yet."""
        async with page.expect_popup() as popup:
            await page.evaluate("() => void open('about:blank')")
        copy = await popup.value
        self.watch(copy)
        return copy

    async def number(self, server, path: str = "/number?room=test", **options) -> NumberPage:
        """Opens the number screen and waits until it is live."""
        page = NumberPage(await self.open(server.url + path, **options))
        await page.is_live()
        return page

    async def listen(self, page: Page) -> list[str]:
        """What the page says from now on, also when it is reloaded: the state of its link, and its status line."""
        said = []
        await page.expose_function("musubiSays", lambda words: said.append(words))
        await page.add_init_script(f"({tell})()")
        await page.evaluate(tell)
        return said

    async def photograph(self, page: Page, name: str) -> None:
        """Pictures for people, of the pages of a test."""
        screenshots.mkdir(parents=True, exist_ok=True)
        await page.screenshot(path=screenshots / f"{name}.png", full_page=True)

    def watch(self, page: Page) -> None:
        """Collects what the page complains about; violations of the Content-Security-Policy are console errors."""
        self.pages.append(page)
        heard = self._heard[page] = collections.deque(maxlen=8)
        page.on("websocket", lambda socket: (
            heard.append(f"connects {socket.url}"),
            socket.on("framesent", lambda frame: heard.append(f"> {frame!s:.300}")),
            socket.on("framereceived", lambda frame: heard.append(f"< {frame!s:.300}")),
            socket.on("close", lambda _: heard.append("closed"))))
        page.on("requestfailed", lambda request: heard.append(f"failed {request.url} {request.failure}"))
        page.on("request", lambda request: urllib.parse.urlsplit(request.url).hostname not in (None, "127.0.0.1") and
                self._said.append(f"asked a foreign host: {request.url}"))
        page.on("pageerror", lambda error: self._said.append(f"uncaught: {error}"))
        page.on("crash", lambda _: self._said.append("the page crashed"))
        page.on("console", lambda message: message.type in ("error", "warning") and self._said.append(
            f"{message.type}: {message.text} ({message.location.get('url', '')})"))

    async def close(self) -> None:
        for page in self.pages:
            await page.context.close()
        for process in self._processes:
            try:
                if (status := await process.stop()) not in (0, -9, -15):
                    self.problems.append(f"exit status {status}: {' '.join(process.command)}")
                if status == -15 and "serve" in process.command:
                    self.problems.append("gallery died of SIGTERM instead of ending by itself with status 0")
            except AssertionError as error:
                self.problems.append(str(error))
        for close in reversed(self._closing):
            await close()
        for text in self._said:
            if not any(pattern.search(text) for pattern in self._allowed):
                self.problems.append(f"console {text}")

    async def report(self) -> str:
        """Photographs every page, for the person who looks into a failure; returns the last messages."""
        reports.mkdir(parents=True, exist_ok=True)
        lines = []
        for number, page in enumerate(self.pages):
            path = reports / f"{self.name}-{number}.png"
            await page.screenshot(path=path)
            link = await page.evaluate("document.documentElement.dataset.link")
            lines.append(f"page {number}: {page.url} is {link}, photographed as {path.relative_to(root)}")
            lines += [f"| {line}" for line in self._heard.get(page, [])]
        for process in self._processes:
            lines += [f"| {line}" for line in process.output[-15:]]
        return "\n".join(lines)

    async def _start(self, process: Process) -> Process:
        self._processes.append(process)
        return await process.start()
