# SPDX-License-Identifier: Apache-2.0
"""WebDriver, as the W3C specifies it, over the two transports that browsers offer: HTTP (ChromeDriver, WebKitWebDriver)
and Marionette, Firefox's own, which needs no program in between."""

import asyncio
import contextlib
import http.client
import json

# The member under which WebDriver hands out an element.
element_key = "element-6066-11e4-a52e-4f735466cecf"

# Keys that are no characters.
ENTER, TAB, BACKSPACE, ESCAPE = "\ue006", "\ue004", "\ue003", "\ue00c"
SHIFT, CONTROL = "\ue008", "\ue009"
END, HOME, DOWN = "\ue010", "\ue011", "\ue015"
LEFT, UP, RIGHT = "\ue012", "\ue013", "\ue014"


class DriverError(Exception):
    """A driver's answer instead of a value: a code of the specification, and a sentence."""

    def __init__(self, code: str, message: str):
        super().__init__(f"{code}: {message}")
        self.code = code


class HTTPTransport:
    """One session of a driver that speaks HTTP on loopback."""

    def __init__(self, port: int):
        self._port = port
        self._prefix = ""

    async def begin(self, capabilities: dict) -> dict:
        value = await self.send("POST", "/session", {"capabilities": {"alwaysMatch": capabilities}})
        self._prefix = f"/session/{value['sessionId']}"
        return value["capabilities"]

    async def end(self) -> None:
        await self.send("DELETE", "")

    async def send(self, method: str, path: str, body: dict | None = None):
        return await asyncio.to_thread(self._send, method, self._prefix + path, body)

    def _send(self, method, path, body):
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=60)
        try:
            payload = None if method != "POST" else json.dumps(body or {})
            connection.request(method, path, payload, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            value = json.load(answer)["value"]
        finally:
            connection.close()
        if answer.status != 200:
            raise DriverError(value["error"], value["message"])
        return value


class Marionette:
    """One session of Firefox: `LENGTH:JSON` over TCP, commands as `[0, id, name, parameters]`."""

    # Marionette's names of the commands of WebDriver that are used here.
    _names = {
        ("POST", "/url"): "WebDriver:Navigate",
        ("POST", "/back"): "WebDriver:Back",
        ("POST", "/forward"): "WebDriver:Forward",
        ("POST", "/refresh"): "WebDriver:Refresh",
        ("POST", "/element"): "WebDriver:FindElement",
        ("POST", "/actions"): "WebDriver:PerformActions",
        ("POST", "/execute/sync"): "WebDriver:ExecuteScript",
        ("POST", "/window/rect"): "WebDriver:SetWindowRect",
        ("GET", "/window"): "WebDriver:GetWindowHandle",
        ("POST", "/window"): "WebDriver:SwitchToWindow",
        ("POST", "/window/new"): "WebDriver:NewWindow",
        ("DELETE", "/window"): "WebDriver:CloseWindow",
        ("GET", "/screenshot"): "WebDriver:TakeScreenshot",
    }

    def __init__(self, port: int):
        self._port = port
        self._count = 0

    async def begin(self, capabilities: dict) -> dict:
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port, limit=1 << 26)
        await self._receive()
        return (await self.command("WebDriver:NewSession", capabilities={"alwaysMatch": capabilities}))["capabilities"]

    async def end(self) -> None:
        await self.command("Marionette:Quit", flags=["eForceQuit"])
        self._writer.close()

    async def send(self, method: str, path: str, body: dict | None = None):
        if path.startswith("/element/"):
            name, parameters = "WebDriver:ElementClick", {"id": path.split("/")[2]}
        else:
            name, parameters = self._names[method, path], {"full": False} if path == "/screenshot" else body or {}
        answer = await self.command(name, **parameters)
        return answer.get("value", answer) if isinstance(answer, dict) else answer

    async def in_chrome(self, script: str, *arguments):
        """Runs a script with the rights of the browser itself."""
        await self.command("Marionette:SetContext", value="chrome")
        try:
            return (await self.command("WebDriver:ExecuteScript", script=script, args=list(arguments)))["value"]
        finally:
            await self.command("Marionette:SetContext", value="content")

    async def command(self, name: str, **parameters):
        self._count += 1
        payload = json.dumps([0, self._count, name, parameters]).encode()
        self._writer.write(b"%d:%b" % (len(payload), payload))
        _, _, error, value = await self._receive()
        if error:
            raise DriverError(error["error"], error["message"])
        return value

    async def _receive(self):
        length = await self._reader.readuntil(b":")
        return json.loads(await self._reader.readexactly(int(length[:-1])))


class Driver:
    """A browser with one window, through either transport."""

    def __init__(self, transport: HTTPTransport | Marionette | None):
        self.transport = transport

    async def open(self, url: str) -> None:
        await self.transport.send("POST", "/url", {"url": url})

    @contextlib.asynccontextmanager
    async def new_tab(self):
        """Another tab of the browser, which is in front meanwhile, and closed in the end."""
        first = await self.transport.send("GET", "/window")
        made = await self.transport.send("POST", "/window/new", {"type": "tab"})
        await self.transport.send("POST", "/window", {"handle": made["handle"]})
        try:
            yield
        finally:
            await self.transport.send("DELETE", "/window")
            await self.transport.send("POST", "/window", {"handle": first})

    async def back(self) -> None:
        await self.transport.send("POST", "/back")

    async def forward(self) -> None:
        await self.transport.send("POST", "/forward")

    async def reload(self) -> None:
        await self.transport.send("POST", "/refresh")

    async def run(self, script: str, *arguments):
        """Runs the body of a function in the page; its result must be JSON."""
        return await self.transport.send("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    async def click(self, selector: str) -> None:
        """Clicks as a person does, on the first element that the selector finds, once it is laid out.

        A page may change between the two steps, so that the element is looked for again. WebKit's driver scrolls by the size
        that the window had before its last change; what it believes to be in sight then is brought there by a script.
        """
        async with asyncio.timeout(60):
            while True:
                found = await self.transport.send("POST", "/element", {"using": "css selector", "value": selector})
                try:
                    return await self.transport.send("POST", f"/element/{found[element_key]}/click")
                except DriverError as error:
                    if error.code not in ("element not interactable", "stale element reference"):
                        raise
                await self.run("document.querySelector(arguments[0])?.scrollIntoView({ block: 'center' })", selector)
                await asyncio.sleep(0.02)

    async def press(self, keys: str, *, holding: str = "") -> None:
        """Presses keys one after the other, wherever the focus is, while others are held."""
        actions = [{"type": "keyDown", "value": key} for key in holding]
        actions += [{"type": type, "value": key} for key in keys for type in ("keyDown", "keyUp")]
        actions += [{"type": "keyUp", "value": key} for key in reversed(holding)]
        await self.transport.send("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    async def pointer(self, *steps: tuple, kind: str = "mouse", holding: str = "") -> None:
        """Moves a pointer and presses it, while keys are held: ("move", x, y) to a place in the window, "down", "up", and
        ("wait", milliseconds)."""
        actions = []
        for step in steps:
            name, *values = (step,) if isinstance(step, str) else step
            if name == "move":
                actions.append({"type": "pointerMove", "duration": 0, "origin": "viewport", "x": round(values[0]), "y": round(values[1])})
            elif name == "wait":
                actions.append({"type": "pause", "duration": values[0]})
            else:
                actions.append({"type": "pointerDown" if name == "down" else "pointerUp", "button": 0})
        source = {"type": "pointer", "id": kind, "parameters": {"pointerType": kind}, "actions": actions}
        for type in ("keyDown", None, "keyUp"):
            keys = {"type": "key", "id": "keys", "actions": [{"type": type, "value": key} for key in holding]}
            if holding or not type:
                await self.transport.send("POST", "/actions", {"actions": [keys if type else source]})

    async def resize(self, width: int, height: int) -> None:
        await self.transport.send("POST", "/window/rect", {"width": width, "height": height})

    async def screenshot(self) -> str:
        """A picture of what the window shows: PNG in base64."""
        return await self.transport.send("GET", "/screenshot")
