# SPDX-License-Identifier: Apache-2.0
"""The processes that a browser test starts: the gallery, and a file server that is not ours."""

import asyncio
import os
import pathlib
import re
import signal
import sys

root = pathlib.Path(__file__).resolve().parents[2]
gallery = os.environ.get("MUSUBI_GALLERY", str(root / ".build/release/gallery"))
test_screens = str(pathlib.Path(gallery).with_name("musubi-test-screens"))
test_accounts = str(pathlib.Path(gallery).with_name("musubi-test-accounts"))

listening = r"listening https?://[^ ]+:(\d+)"


class Process:
    """A program that says on standard output when it is ready, and at which address."""

    def __init__(self, command: list[str], ready: str):
        self.command = command
        self.folder = root  # where it runs
        self.output = []  # every line of both streams, for the report of a failure
        self._ready = re.compile(ready)
        self._process = None

    async def start(self, time_limit: float = 60.0) -> "Process":
        try:
            self._process = await asyncio.create_subprocess_exec(
                *self.command, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT, cwd=self.folder)
        except FileNotFoundError:
            raise AssertionError(f"{self.command[0]} is missing; build it: deploy/test --only release") from None
        found = asyncio.get_running_loop().create_future()
        self._reading = asyncio.ensure_future(self._read(found))
        try:
            self.port = int(await asyncio.wait_for(found, time_limit))
        except asyncio.TimeoutError:
            await self.kill()
            raise AssertionError(f"{self.command[0]} was not ready within {time_limit:g} s") from None
        self.url = f"http{'s' if '--tls-key' in self.command else ''}://127.0.0.1:{self.port}"
        return self

    async def _read(self, found: asyncio.Future) -> None:
        async for line in self._process.stdout:
            text = line.decode(errors="replace").rstrip()
            self.output.append(text)
            if not found.done() and (match := self._ready.search(text)):
                found.set_result(match[1])
        status = await self._process.wait()
        if not found.done():
            found.set_exception(AssertionError(f"{self.command[0]} ended with status {status} before it was ready"))

    async def ended(self, time_limit: float = 60.0) -> int:
        """Waits until it has ended by itself; its exit status."""
        return await asyncio.wait_for(self._process.wait(), time_limit)

    async def kill(self) -> None:
        """Ends it as a power failure would: SIGKILL, nothing is flushed, nothing is said."""
        if self._process.returncode is None:
            self._process.kill()
        await self._process.wait()

    async def stop(self, time_limit: float = 60.0) -> int:
        """Asks it to end. Returns its exit status, 0 if it never began; it must not take longer than `time_limit` seconds."""
        if self._process is None:
            return 0
        if self._process.returncode is None:
            self._process.send_signal(signal.SIGTERM)
        try:
            return await asyncio.wait_for(self._process.wait(), time_limit)
        except asyncio.TimeoutError:
            await self.kill()
            raise AssertionError(f"did not end within {time_limit:g} s of SIGTERM: {self.command}") from None


def gallery_server(*options: str, port: int = 0) -> Process:
    """The gallery on a free port, or on the port that an earlier one had."""
    command = [gallery, "serve", "--host", "127.0.0.1", "--port", str(port), *options]
    return Process(command, listening)


def test_screens_server(public: pathlib.Path, *options: str) -> Process:
    """The screens that only tests need, with the pages of a folder, on a free port."""
    return Process([test_screens, "--host", "127.0.0.1", "--port", "0", "--public", str(public), *options], listening)


def test_accounts_server(file: pathlib.Path, public: pathlib.Path, *options: str) -> Process:
    """A screen for those who log in; `--links`, if it is there, comes first."""
    links, rest = [o for o in options if o == "--links"], [o for o in options if o != "--links"]
    return Process(
        [test_accounts, str(file), *links, "--host", "127.0.0.1", "--port", "0", "--public", str(public), *rest], listening)


def file_server(folder: pathlib.Path) -> Process:
    """Python's own file server: it knows nothing of Musubi."""
    command = [sys.executable, "-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", str(folder)]
    return Process(command, r"Serving HTTP on \S+ port (\d+)")
