# SPDX-License-Identifier: Apache-2.0
"""The three browser engines, each with its driver: how they are started, and what only one of them can do."""

import asyncio
import contextlib
import http.client
import os
import pathlib
import re
import signal
import socket
import tempfile

from webdriver import Driver, DriverError, HTTPTransport, Marionette

# A browser that starts on a machine with other work.
time_limit = 60


class Unable(Exception):
    """A driver cannot do this, with the reason; the test is skipped."""


class Program:
    """A process in a group of its own, with a home and a display of its own, and its output."""

    def __init__(self, *command: str, home: str, **environment: str):
        self.command = command
        self.output = []
        self._environment = {**os.environ, "HOME": home, "XDG_RUNTIME_DIR": home, "NO_AT_BRIDGE": "1", **environment}

    async def start(self, ready: str = "") -> str | None:
        """Waits, if asked to, for a line that matches, and returns its first group."""
        try:
            self._process = await asyncio.create_subprocess_exec(
                *self.command, env=self._environment, start_new_session=True, stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT)
        except FileNotFoundError:
            raise AssertionError(f"{self.command[0]} is missing; deploy/test installs it") from None
        said = asyncio.get_running_loop().create_future()
        self._reading = asyncio.ensure_future(self._read(re.compile(ready), said))
        return await asyncio.wait_for(said, time_limit) if ready else None

    async def _read(self, ready: re.Pattern, said: asyncio.Future) -> None:
        async for line in self._process.stdout:
            self.output = [*self.output[-20:], line.decode(errors="replace").rstrip()]
            if not said.done() and (match := ready.search(self.output[-1])):
                said.set_result(match[1] if match.groups() else None)
        if not said.done():
            said.set_exception(AssertionError("\n".join([f"{self.command[0]} ended at once", *self.output])))

    async def stop(self) -> None:
        """Ends the process and its children."""
        for how in (signal.SIGTERM, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, how)
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._process.wait(), 5)
        await self._reading


class Engine(Driver):
    """One browser, one person: a profile that nobody else has."""

    def __init__(self):
        super().__init__(transport=None)

    async def start(self) -> "Engine":
        self._closing = contextlib.AsyncExitStack()
        self.home = self._closing.enter_context(tempfile.TemporaryDirectory(prefix="musubi-", ignore_cleanup_errors=True))
        try:
            await self.launch()
            self._closing.push_async_callback(self.transport.end)
            await self.resize(1280, 900)
        except BaseException:
            await self._closing.aclose()
            raise
        return self

    async def launch(self) -> None:
        """Starts the programs, and opens a session."""
        raise NotImplementedError

    async def run_program(self, *command: str, ready: str = "", **environment: str) -> str | None:
        program = Program(*command, home=self.home, **environment)
        self._closing.push_async_callback(program.stop)
        return await program.start(ready)

    async def close(self) -> None:
        # A browser that has gone already needs no farewell.
        with contextlib.suppress(OSError, EOFError, http.client.HTTPException, DriverError):
            await self._closing.aclose()

    async def compose(self, text: str, is_final: bool = False) -> None:
        """Sets what an input method has composed so far, or ends the composition with a text."""
        raise Unable("its driver speaks for no input method")

    async def fit(self, width: int, height: int) -> None:
        """Gives the page a window of its own of this size, also one that is narrower than the browser's may be."""
        await self.resize(width, height)
        # The window and the page in it may tell their sizes one after the other: no frame is this wide, or less than nothing.
        async with asyncio.timeout(10):
            while True:
                outer, inner, above, below = await self.run("return [outerWidth, innerWidth, outerHeight, innerHeight]")
                if 0 <= outer - inner <= 100 and 0 <= above - below <= 200:
                    break
                await asyncio.sleep(0.02)
        await self.resize(width + outer - inner, height + above - below)
        for _ in range(50):
            inner = await self.run("return innerWidth")
            if inner == width:
                return
            await asyncio.sleep(0.02)
        raise Unable(f"its window is {inner} px wide at least")

    async def force_colours(self, is_forced: bool) -> None:
        """Has the browser show pages in the visitor's own colours."""
        raise Unable("it knows no forced colours")

    async def prefer(self, scheme: str) -> None:
        """Has the browser want pages in `light` or `dark` colours."""
        raise NotImplementedError

    async def set_offline(self, is_offline: bool) -> None:
        """Tells the page that the network is away, as the browser does; the driver cannot take it away."""
        await self.run("""
          Object.defineProperty(navigator, "onLine", { configurable: true, value: !arguments[0] });
          dispatchEvent(new Event(arguments[0] ? "offline" : "online"));""", is_offline)


class Chromium(Engine):
    # A mouse, in which it believes by itself only with a display.
    _mouse = "--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4"

    # Where a finger is, and whether it is down.
    _finger: dict = {}
    _is_down = False

    async def launch(self) -> None:
        port = await self.run_program("chromedriver", "--port=0", ready=r"started successfully on port (\d+)")
        self.transport = HTTPTransport(int(port))
        # Without a sandbox of its own because CI runs as root; it opens nothing but loopback.
        await self.transport.begin({"goog:chromeOptions": {
            "binary": os.environ.get("MUSUBI_CHROMIUM", "/usr/bin/chromium"),
            "args": ["--headless=new", "--no-sandbox", "--lang=en", f"--user-data-dir={self.home}/profile", self._mouse]}})

    async def _command(self, command: str, **parameters) -> None:
        await self.transport.send("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    async def pointer(self, *steps: tuple, kind: str = "mouse", holding: str = "") -> None:
        """Its driver forgets a finger that is down when the next command comes; the browser does not."""
        if kind != "touch":
            return await super().pointer(*steps, kind=kind, holding=holding)
        for step in steps:
            name, *values = (step,) if isinstance(step, str) else step
            if name == "move":
                self._finger = dict(zip("xy", values))
            if name == "wait":
                await asyncio.sleep(values[0] / 1000)
            elif name == "up":
                self._is_down = False
                await self._command("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
            elif name == "down" or self._is_down:
                type = "touchMove" if self._is_down else "touchStart"
                self._is_down = True
                await self._command("Input.dispatchTouchEvent", type=type, touchPoints=[self._finger])

    async def compose(self, text: str, is_final: bool = False) -> None:
        if is_final:
            await self._command("Input.insertText", text=text)
        else:
            await self._command("Input.imeSetComposition", text=text, selectionStart=len(text), selectionEnd=len(text))

    async def fit(self, width: int, height: int) -> None:
        await self._command(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    async def force_colours(self, is_forced: bool) -> None:
        value = "active" if is_forced else "none"
        await self._command("Emulation.setEmulatedMedia", features=[{"name": "forced-colors", "value": value}])

    async def prefer(self, scheme: str) -> None:
        await self._command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    async def set_offline(self, is_offline: bool) -> None:
        await self.transport.send("POST", "/chromium/network_conditions", {"network_conditions": {
            "offline": is_offline, "latency": 0, "download_throughput": -1, "upload_throughput": -1}})


class Firefox(Engine):
    # It chooses its port by itself, asks nobody on the network for anything, keeps no page alive by a warning, and has a
    # mouse, in which it believes by itself only with a display.
    _preferences = """
        user_pref("marionette.port", 0);
        user_pref("intl.accept_languages", "en");
        user_pref("app.normandy.enabled", false);
        user_pref("browser.safebrowsing.update.enabled", false);
        user_pref("datareporting.policy.dataSubmissionEnabled", false);
        user_pref("network.captive-portal-service.enabled", false);
        user_pref("network.connectivity-service.enabled", false);
        user_pref("services.settings.server", "data:,none");
        user_pref("ui.primaryPointerCapabilities", 6);
        user_pref("ui.allPointerCapabilities", 6);
    """

    async def launch(self) -> None:
        profile = pathlib.Path(self.home, "profile")
        profile.mkdir()
        (profile / "user.js").write_text(self._preferences)
        port = await self.run_program("firefox-esr", "--headless", "--no-remote", "--profile", str(profile), "--marionette",
                                      "--remote-allow-system-access", ready=r"Marionette.*Listening on port (\d+)")
        self.transport = Marionette(int(port))
        await self.transport.begin({})

    async def open(self, url: str) -> None:
        """Opens an address, and waits for its page: Marionette takes the end of a frame's load for that of the page."""
        await self.run("document.documentElement.wasHere = true")
        await super().open(url)
        for _ in range(1500):
            with contextlib.suppress(DriverError):  # between two pages there is none
                if await self.run("return !document.documentElement.wasHere && document.readyState === 'complete'"):
                    return
            await asyncio.sleep(0.02)
        raise AssertionError(f"{url} does not open")

    async def compose(self, text: str, is_final: bool = False) -> None:
        await self.transport.in_chrome("""
          const [text, isFinal] = arguments;
          window.processor ??= Cc["@mozilla.org/text-input-processor;1"].createInstance(Ci.nsITextInputProcessor);
          if (!processor.hasComposition && !processor.beginInputTransactionForTests(window)) throw Error("no transaction");
          if (isFinal) return void processor.commitCompositionWith(text);
          processor.setPendingCompositionString(text);
          processor.appendClauseToPendingComposition(text.length, processor.ATTR_RAW_CLAUSE);
          processor.setCaretInPendingComposition(text.length);
          processor.flushPendingComposition();""", text, is_final)

    async def fit(self, width: int, height: int) -> None:
        await self.transport.in_chrome("""
          const { style } = gBrowser.selectedBrowser;
          [style.width, style.height] = arguments;
          style.minWidth = style.minHeight = "0";
          style.flex = "none";""", f"{width}px", f"{height}px")

    async def force_colours(self, is_forced: bool) -> None:
        await self.transport.in_chrome(
            "Services.prefs.setIntPref('browser.display.document_color_use', arguments[0]);", 2 if is_forced else 0)

    async def prefer(self, scheme: str) -> None:
        await self.transport.in_chrome(
            "Services.prefs.setIntPref('layout.css.prefers-color-scheme.content-override', arguments[0]);", 0 if scheme == "dark" else 1)

    async def set_offline(self, is_offline: bool) -> None:
        await self.transport.in_chrome("Services.io.offline = arguments[0];", is_offline)


class WebKit(Engine):
    # It asks the desktop's theme for the colours, when it starts.
    theme = "Adwaita"

    async def launch(self) -> None:
        # A display for each: on one of two windows the browser believes that it is in the background.
        display = await self.run_program("Xvfb", "-displayfd", "1", "-screen", "0", "1600x1200x24", "-nolisten", "tcp",
                                         ready=r"^(\d+)$")
        # The driver says nothing about a port that it has chosen.
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        await self.run_program("WebKitWebDriver", f"--port={port}", DISPLAY=f":{display}", LANG="en_US.UTF-8",
                               GTK_THEME=self.theme)
        self.transport = HTTPTransport(port)
        async with asyncio.timeout(time_limit):
            while not await self._is_listening():
                await asyncio.sleep(0.05)
        await self.transport.begin({})

    async def _is_listening(self) -> bool:
        try:
            return (await self.transport.send("GET", "/status"))["ready"]
        except OSError:
            return False

    # Its driver takes a finger for a mouse, so that a script makes the events of one. The browser knows no such pointer, which
    # cannot be captured; it scrolls nothing by it.
    _finger = """
      const capture = Element.prototype.setPointerCapture;
      Element.prototype.setPointerCapture = function (pointer) { if (pointer !== 2) capture.call(this, pointer); };
      const finger = (window.finger ??= { x: 0, y: 0, isDown: false });
      const tell = (type) => (document.elementFromPoint(finger.x, finger.y) ?? document.documentElement).dispatchEvent(
        new PointerEvent(type, { bubbles: true, cancelable: true, composed: true, pointerId: 2, pointerType: "touch",
          isPrimary: true, clientX: finger.x, clientY: finger.y, button: type === "pointermove" ? -1 : 0,
          buttons: type === "pointerup" ? 0 : 1 }));
      const act = async ([name, ...values]) => {
        if (name === "wait") return new Promise((done) => setTimeout(done, values[0]));
        if (name === "move") [finger.x, finger.y] = values;
        else finger.isDown = name === "down";
        // A finger that touches nothing is nowhere.
        if (name !== "move" || finger.isDown) tell(`pointer${name}`);
        await new Promise((done) => requestAnimationFrame(done));
      };
      return (async () => {
        for (const step of arguments) await act(step);
        Element.prototype.setPointerCapture = capture;
      })();"""

    async def pointer(self, *steps: tuple, kind: str = "mouse", holding: str = "") -> None:
        if kind == "touch":
            await self.run(self._finger, *([step] if isinstance(step, str) else list(step) for step in steps))
        else:
            await super().pointer(*steps, kind=kind, holding=holding)


engines = {"chromium": Chromium, "firefox": Firefox, "webkit": WebKit}
