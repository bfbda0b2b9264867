# SPDX-License-Identifier: Apache-2.0
"""The servers that a test starts, ends and kills: as a supervisor does, with sockets handed over if it wants."""

import asyncio
import os
import pathlib
import signal
import socket
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parents[2]
power_loss = root / ".build/release/power-loss.so"
program = os.environ.get("MUSUBI_BREAKABLE", str(root / ".build/release/musubi-breakable"))
is_long = bool(os.environ.get("MUSUBI_LONG"))

# Supervises the server, as `deploy/run --restart` does.
supervising = 'set -euo pipefail; source deploy/lib.sh; supervise "$@"'

# Becomes the server with the sockets as descriptors from 3 on, as systemd does; LISTEN_PID is known only then.
handing_over = """
import fcntl, os, sys
sockets = [fcntl.fcntl(int(number), fcntl.F_DUPFD_CLOEXEC, 100) for number in sys.argv[1].split(",")]
for place, number in enumerate(sockets, 3):
    os.dup2(number, place)
names = {"LISTEN_FDNAMES": sys.argv[2]} if sys.argv[2] else {}
os.environ.update(names, LISTEN_FDS=str(len(sockets)), LISTEN_PID=str(os.getpid()))
os.execv(sys.argv[3], sys.argv[3:])
"""


class Server:
    """One process, and others after it on the same port and data."""

    def __init__(self, *options, listener=None, data=None, forgets=False, is_supervised=False,
                 program=program, prefix=(), named=None):
        # What is handed over: one socket without a name, or those of names, of which the last is the pages'.
        self.named = named or ({"": listener} if listener else {})
        listener = listener or (list(named.values())[-1] if named else None)
        self.options, self.listener, self.is_supervised = options, listener, is_supervised
        self.prefix = prefix  # a command that becomes the server, with bounds of its own
        self.command = [program, "serve"]
        self.port = listener.getsockname()[1] if listener else self.free_port() if is_supervised else 0
        self.folder = None if data else tempfile.TemporaryDirectory(prefix="musubi-processes-")
        self.data = data or self.folder.name
        # The synced bytes of a disk that forgets.
        self.disk = tempfile.TemporaryDirectory(prefix="musubi-processes-disk-") if forgets else None
        self.process = None
        self.output = []

    @staticmethod
    def listening(backlog=4096, address="127.0.0.1"):
        """A socket that a service manager would keep open."""
        listener = socket.socket()
        listener.bind((address, 0))
        listener.listen(backlog)
        return listener

    @staticmethod
    def free_port():
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            return free.getsockname()[1]

    async def start(self):
        """Starts a process and waits until it says that it listens."""
        command = [*self.command, "--data", self.data, "--public", str(root / "Public"),
                   "--max-restart-wait", "0", *self.options]
        if self.listener:
            numbers = ",".join(str(each.fileno()) for each in self.named.values())
            command = [sys.executable, "-c", handing_over, numbers, ":".join(self.named), *command]
        else:
            command += ["--port", str(self.port)]
        if self.is_supervised:
            command = ["bash", "-c", supervising, "supervise", *command]
        command = [*self.prefix, *command]
        missing = [str(file) for file in (pathlib.Path(self.command[0]), *([power_loss] if self.disk else [])) if not file.exists()]
        assert not missing, f"{' and '.join(missing)} missing; build it: deploy/test --only release"
        self.process = await asyncio.create_subprocess_exec(
            *command, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, start_new_session=True,
            stderr=asyncio.subprocess.STDOUT, cwd=root, restore_signals=False,  # a file that may not grow is an error
            env={**os.environ, **({"LD_PRELOAD": str(power_loss), "MUSUBI_DISK": self.disk.name} if self.disk else {})},
            pass_fds=[each.fileno() for each in self.named.values()])
        ready = asyncio.get_running_loop().create_future()
        self.reading = asyncio.ensure_future(self.read(self.process, ready))
        self.port = await asyncio.wait_for(ready, 300)
        return self

    async def read(self, process, ready):
        async for line in process.stdout:
            text = line.decode(errors="replace").rstrip()
            self.output = self.output[-200:] + [text]
            if text.startswith("listening ") and not ready.done():
                ready.set_result(int(text.rsplit(":", 1)[1]))
        status = await process.wait()
        if not ready.done():
            ready.set_exception(AssertionError(f"ended with {status} before it listened: {self.output}"))

    @property
    def pid(self):
        return self.process.pid

    @property
    def resident(self):
        """The process's resident memory in MiB."""
        pages = int(pathlib.Path(f"/proc/{self.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 2**20

    async def store(self, *words):
        """What `store` prints about the data; no process may use it meanwhile."""
        place = [self.options[at] for at in range(len(self.options)) if "--store" in self.options[max(at - 1, 0):at + 1]]
        process = await asyncio.create_subprocess_exec(
            program, "store", *words, "--data", self.data, *place, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT)
        output, _ = await process.communicate()
        return output.decode()

    async def said(self, *words):
        """Waits for a line of the output that has all of these words."""
        while not any(all(word in line for word in words) for line in self.output):
            await asyncio.sleep(0.01)  # lines come from a task of their own

    async def kill(self):
        """Ends it at once: the kernel keeps written bytes."""
        if self.process and self.process.returncode is None:
            os.killpg(self.pid, signal.SIGKILL)  # its children, too
        await self.ended()

    async def lose_power(self, chance=None):
        """Ends it, and takes unsynced writes from its files: all of them, or each sector by chance."""
        await self.kill()
        for file in pathlib.Path(self.data).iterdir():
            if file.is_dir():
                continue  # of files that visitors send, none of which these tests have
            synced = pathlib.Path(self.disk.name) / file.name
            old, new = synced.read_bytes() if synced.exists() else b"", file.read_bytes()
            size = chance.choice((len(old), len(new))) if chance else len(old)
            old, new = old.ljust(size, b"\0"), new.ljust(size, b"\0")
            sectors = (chance.choice((old, new)) if chance else old for _ in range(0, size, 512))
            left = b"".join(sector[at:at + 512] for at, sector in zip(range(0, size, 512), sectors))[:size]
            file.write_bytes(left)
            synced.write_bytes(left)

    async def stop(self):
        """Asks it to end, and returns its exit status."""
        self.process.send_signal(signal.SIGTERM)
        return await self.ended()

    async def ended(self):
        """Waits for its end, and returns its exit status."""
        status = await asyncio.wait_for(self.process.wait(), 60)
        await self.reading
        return status

    async def close(self):
        if self.process:
            await self.kill()
        for folder in (self.folder, self.disk):
            if folder:
                folder.cleanup()
        for listener in self.named.values():
            listener.close()


class Engine:
    """A PostgreSQL server of a test's own."""

    async def start(self):
        """Starts it; the answer tells why there is none, if none is installed."""
        self.process = await asyncio.create_subprocess_exec(
            str(root / "Tests/Postgres/serve"), stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL)
        kind, *words = await self.line()
        if kind != "ready":
            return " ".join([kind, *words])
        self.folder = words[0]
        return None

    @property
    def url(self):
        return f"postgres://postgres@/postgres?host={self.folder}"

    @property
    def either(self):
        """The server or its standby, whichever takes commits."""
        return f"{self.url},{self.folder}/standby&target_session_attrs=read-write"

    async def line(self):
        return (await asyncio.wait_for(self.process.stdout.readline(), 120)).decode().split()

    async def tell(self, command):
        """`kill` ends it at once, `start` starts it again and waits for it; `standby` gives it a synchronous standby, and
        `promote` kills it and makes that one the server."""
        self.process.stdin.write(f"{command}\n".encode())
        assert (await self.line())[0] in ("done", "ready"), command

    async def sql(self, text):
        """What psql prints."""
        process = await asyncio.create_subprocess_exec(
            "psql", self.either, "--no-psqlrc", "--tuples-only", "--no-align", "--quiet", "--command", text,
            stdout=asyncio.subprocess.PIPE)
        output, _ = await asyncio.wait_for(process.communicate(), 60)
        return output.decode().strip()

    async def close(self):
        self.process.stdin.close()
        await asyncio.wait_for(self.process.wait(), 60)
