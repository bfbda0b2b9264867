# SPDX-License-Identifier: Apache-2.0
"""A proxy that knows WebSocket frames, and loses connections at chosen places in them."""

import asyncio
import dataclasses
import struct


@dataclasses.dataclass
class Cut:
    """Where a connection is lost: at the client's frame of this number, counted from 0.

    before: the frame does not leave.
    half: half of its bytes leave.
    unanswered: it leaves, and nothing of what the server says from then on arrives.
    half-answered: it leaves, and half of the server's next frame arrives.
    """

    kind: str
    frame: int

    kinds = ("before", "half", "unanswered", "half-answered")


class CuttingProxy:
    """Forwards WebSockets to one port; `plan` says for each connection where it is cut, or None."""

    def __init__(self, port, plan):
        self.target, self.plan = port, plan
        self.cuts = 0
        self.links = set()

    async def start(self):
        self.server = await asyncio.start_server(self.accept, "127.0.0.1", 0)
        self.port = self.server.sockets[0].getsockname()[1]
        return self

    async def close(self):
        self.server.close()
        for writer in self.links:
            writer.transport.abort()
        await self.server.wait_closed()

    async def accept(self, reader, writer):
        far_writer = None
        self.links.add(writer)
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.target)
            cut = self.plan()
            answers = asyncio.Event()
            both = [
                asyncio.ensure_future(self.inputs(reader, far_writer, cut, answers)),
                asyncio.ensure_future(self.outputs(far_reader, writer, cut, answers)),
            ]
            done, _ = await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            for task in both:
                task.cancel()
            await asyncio.gather(*both, return_exceptions=True)
        except OSError:
            pass  # the server is away, and so are we
        finally:
            self.links.discard(writer)
            for end in (writer, far_writer):
                if end:
                    end.transport.abort()

    async def inputs(self, reader, writer, cut, answers):
        """From the page to the server, up to the cut."""
        writer.write(await reader.readuntil(b"\r\n\r\n"))
        number = 0
        while data := await self.frame(reader):
            if cut and number == cut.frame:
                self.cuts += 1
                if cut.kind == "before":
                    return
                if cut.kind == "half":
                    writer.write(data[: len(data) // 2])
                    await writer.drain()
                    return
                answers.set()
            writer.write(data)
            number += 1

    async def outputs(self, reader, writer, cut, answers):
        """From the server to the page; after the cut nothing, or half a frame."""
        writer.write(await reader.readuntil(b"\r\n\r\n"))
        while data := await self.frame(reader):
            if answers.is_set():
                if cut.kind == "half-answered":
                    writer.write(data[: len(data) // 2])
                    await writer.drain()
                return
            writer.write(data)

    @staticmethod
    async def frame(reader):
        """The bytes of a whole frame; nothing at the end."""
        try:
            data = await reader.readexactly(2)
            length = data[1] & 0x7F
            if length > 125:
                extra = await reader.readexactly(2 if length == 126 else 8)
                length = struct.unpack(">H" if length == 126 else ">Q", extra)[0]
                data += extra
            return data + await reader.readexactly(length + (4 if data[1] & 0x80 else 0))
        except asyncio.IncompleteReadError:
            return b""
