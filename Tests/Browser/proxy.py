# SPDX-License-Identifier: Apache-2.0
"""A TCP proxy on loopback that is as bad as a mobile network: late, and gone from one moment to the next."""

import asyncio
import collections


class Proxy:
    """Forwards connections to one port, each byte `delay` seconds late in either direction.

    Bytes keep their order, and a wait of one does not hold up the next: it is latency, not bandwidth.
    """

    def __init__(self, port: int, delay: float = 0.0):
        self.delay = delay
        self.connections = 0  # how many were accepted, since the beginning
        self.is_refusing = False  # a network that is away: what connects is reset at once
        self.target = port  # of the connections to come
        self._open = set()
        self._frozen = set()
        self._left = {}  # how many bytes of a direction pass before it is held
        self._passing = {direction: asyncio.Event() for direction in ("up", "down")}
        self.release()
        self._tasks = set()
        self._server = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def port(self) -> int:
        return self._server.sockets[0].getsockname()[1]

    async def start(self) -> "Proxy":
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        return self

    def cut(self) -> int:
        """Resets every connection; bytes on their way are lost. Returns how many there were."""
        links, self._open = self._open, set()
        for link in links:
            for writer in link:
                writer.transport.abort()
        return len(links)

    def freeze(self) -> None:
        """Forwards nothing more on the connections that there are, and tells nobody: a network that went away."""
        for link in self._open:
            for writer in link:
                self._frozen.add(writer)

    def hold(self, *directions: str, after: int = 0) -> None:
        """Keeps what goes `up` to the server or `down` to the page, in order, until `release`; so many bytes pass before."""
        for direction in directions:
            if after:
                self._left[direction] = after
            else:
                self._passing[direction].clear()

    def _count(self, direction: str, count: int) -> None:
        if direction not in self._left:
            return
        self._left[direction] -= count
        if self._left[direction] <= 0:
            del self._left[direction]
            self.hold(direction)

    @property
    def is_holding_up(self) -> bool:
        return not self._passing["up"].is_set()

    def release(self, *directions: str) -> None:
        """Lets pass again what goes in these directions, or in both."""
        for direction in directions or self._passing:
            self._left.pop(direction, None)
            self._passing[direction].set()

    async def close(self) -> None:
        self._server.close()
        self.cut()
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)
        await self._server.wait_closed()

    async def _accept(self, reader, writer):
        self._tasks.add(task := asyncio.current_task())
        task.add_done_callback(self._tasks.discard)
        self.connections += 1
        try:
            await self._forward(reader, writer)
        except asyncio.CancelledError:
            pass  # by `close`; asyncio's server would print a cancelled task as a failed one

    async def _forward(self, reader, writer):
        if self.is_refusing:
            writer.transport.abort()
            return
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            writer.transport.abort()  # the server is away, and so are we
            return
        link = (writer, far_writer)
        self._open.add(link)
        try:
            await asyncio.gather(self._pump(reader, far_writer, "up"), self._pump(far_reader, writer, "down"))
        finally:
            self._open.discard(link)
            for end in link:
                end.close()

    async def _pump(self, reader, writer, direction):
        """Reads as fast as bytes come, writes them when their time has come; an empty chunk is the end."""
        clock = asyncio.get_running_loop()
        late = collections.deque()
        arrived = asyncio.Event()

        async def deliver():
            while True:
                await arrived.wait()
                arrived.clear()
                while late:
                    due, chunk = late.popleft()
                    await asyncio.sleep(due - clock.time())
                    await self._passing[direction].wait()
                    if not chunk:
                        return None if writer in self._frozen else writer.write_eof()
                    if writer in self._frozen:
                        continue
                    self._count(direction, len(chunk))
                    writer.write(chunk)
                    await writer.drain()

        delivery = asyncio.ensure_future(deliver())
        try:
            while chunk := await reader.read(65536):
                late.append((clock.time() + self.delay, chunk))
                arrived.set()
            late.append((clock.time() + self.delay, b""))
            arrived.set()
            await delivery
        except (OSError, RuntimeError):
            writer.transport.abort()  # one end was reset: so is the other
        finally:
            delivery.cancel()
