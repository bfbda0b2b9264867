# SPDX-License-Identifier: Apache-2.0
"""A light musubi.v1 client for many pages in one process: WebSocket frames over asyncio streams, nothing else."""

import asyncio
import base64
import json
import math
import os
import struct


class Closed(Exception):
    """The connection has gone: with the server's close code and reason, or 1006 if nobody said why."""

    def __init__(self, code, reason=""):
        super().__init__(f"{code} {reason}")
        self.code, self.reason = code, reason

    @property
    def delay(self):
        """Seconds after which the server wants the page back; None if it does not say."""
        digits = self.reason.split(" ")[0]
        return int(digits) / 1000 if digits.isdigit() else None


class Refused(Exception):
    """The handshake was answered by something else than 101, or, since nobody knew the visitor yet, by a frame behind it."""

    def __init__(self, status, body=None, is_late=False):
        super().__init__(status)
        self.is_late = is_late
        self.body = body


def frame(opcode, payload, mask=b"\1\2\3\4"):
    """The bytes of a client's frame."""
    length = len(payload)
    head = bytes([0x80 | opcode])
    if length < 126:
        head += bytes([0x80 | length])
    elif length < 65_536:
        head += b"\xfe" + struct.pack(">H", length)
    else:
        head += b"\xff" + struct.pack(">Q", length)
    key = int.from_bytes((mask * (length // 4 + 1))[:length], "big")
    return head + mask + (int.from_bytes(payload, "big") ^ key).to_bytes(length, "big")


class Wire:
    """One WebSocket."""

    def __init__(self, reader, writer):
        self.reader, self.writer = reader, writer
        self.answers_pings = True

    @staticmethod
    async def connect(port, target, buffer=2**16, receive_buffer=None, cookie=None, tls=None, name=None, address=None):
        """Opens a WebSocket, for a visitor of that address behind a proxy if there is one, by a context of TLS if there is one, as a browser's page of that host; raises OSError or Refused."""
        reader, writer = await asyncio.open_connection(
            "127.0.0.1", port, limit=buffer, ssl=tls, server_hostname=name if tls else None)
        try:
            key = base64.b64encode(os.urandom(16)).decode()
            head = (
                f"GET {target} HTTP/1.1\r\nHost: {name or '127.0.0.1'}:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n"
                + (f"Cookie: {cookie}\r\n" if cookie else "")
                + (f"X-Forwarded-For: {address}\r\n" if address else "")
                + (f"Origin: http{'s' if tls else ''}://{name}:{port}\r\n" if name else "")
                + "Sec-WebSocket-Protocol: musubi.v1\r\n\r\n"
            )
            writer.write(head.encode())
            head = await reader.readuntil(b"\r\n\r\n")
            if not head.startswith(b"HTTP/1.1 101"):
                raise Refused(head.split(b"\r\n")[0].decode(), json.loads(await reader.read()))
        except asyncio.IncompleteReadError as error:
            writer.transport.abort()
            raise ConnectionResetError("the server hung up during the handshake") from error
        except BaseException:
            writer.transport.abort()
            raise
        return Wire(reader, writer)

    async def receive(self):
        """The next frame as JSON; raises Closed, or Refused."""
        try:
            while True:
                first, second = await self.reader.readexactly(2)
                length = second & 0x7F
                if length == 126:
                    length = struct.unpack(">H", await self.reader.readexactly(2))[0]
                elif length == 127:
                    length = struct.unpack(">Q", await self.reader.readexactly(8))[0]
                payload = await self.reader.readexactly(length)
                opcode = first & 15
                if opcode == 1:
                    value = json.loads(payload)
                    if "refused" in value:
                        self.writer.transport.abort()
                        raise Refused(f"HTTP/1.1 {value['refused'].pop('status')} late", value["refused"], True)
                    return value
                if opcode == 9 and self.answers_pings:
                    self.writer.write(frame(10, payload))
                if opcode == 8:
                    self.writer.write(frame(8, payload[:2]))
                    code = struct.unpack(">H", payload[:2])[0] if length >= 2 else 1005
                    self.writer.close()
                    raise Closed(code, payload[2:].decode())
        except (asyncio.IncompleteReadError, OSError) as error:
            self.writer.transport.abort()
            raise Closed(1006, str(error)) from None

    def send(self, value):
        """Sends JSON; a connection that has gone is found out by `receive`."""
        if not self.writer.is_closing():
            self.writer.write(frame(1, json.dumps(value).encode()))

    def abort(self):
        """Loses the connection without a close frame."""
        self.writer.transport.abort()


class Page:
    """A page that shows one screen, comes back whenever it is let, and keeps unacknowledged inputs."""

    def __init__(self, port, screen, room=None, random=None):
        self.port, self.screen, self.room = port, screen, room
        self.random = random
        self.cookie = None
        self.tls = self.name = self.address = None
        self.state, self.position, self.number = {}, None, 0
        self.session = self.token = self.wire = None
        self.unconfirmed = {}  # number -> frame
        self.starts = 0  # how many sessions it has had
        self.returns = []  # when it came back, on the loop's clock
        self.acknowledged = 0  # when an input was acknowledged last, on that clock
        self.closings = []
        self.errors = []
        self.uploads = {}  # where files go, by the control's name
        self.is_ready = False
        self.changed = asyncio.Condition()
        self.task = None

    def target(self, resumes):
        words = ([f"room={self.room}"] if self.room else []) + (["resume=1"] if resumes else [])
        return f"/live/{self.screen}" + ("?" + "&".join(words) if words else "")

    async def open(self):
        """Opens the page and waits for its first state."""
        self.task = asyncio.ensure_future(self.stay())
        await self.until(lambda: self.is_ready)
        return self

    async def close(self):
        if self.task:
            self.task.cancel()
            await asyncio.gather(self.task, return_exceptions=True)
        if self.wire:
            self.wire.abort()

    async def until(self, condition, time_limit=60):
        """Waits until the condition holds; it is looked at whenever a frame has come."""
        async with self.changed:
            await asyncio.wait_for(self.changed.wait_for(condition), time_limit)

    def input(self, name, **members):
        """Sends an input, or keeps it until it can be sent."""
        self.number += 1
        self.unconfirmed[self.number] = {"input": self.number, "name": name, **members}
        if self.is_ready:
            self.wire.send(self.unconfirmed[self.number])

    async def stay(self):
        """Keeps a connection for as long as the server wants the page."""
        attempt = 0
        while True:
            delay = None
            try:
                await self.visit()
            except Closed as closed:
                self.closings.append(closed)
                if 4500 <= closed.code or closed.code in (1003, 1007, 1009):
                    raise
                delay, attempt = closed.delay, 0 if self.is_ready else attempt + 1
            except (OSError, Refused):
                attempt += 1
            self.is_ready = False
            await self.tell()
            if delay is None:
                delay = self.random.random() * min(2.0, 0.05 * 2**attempt) if self.random else 0.05
            await asyncio.sleep(delay)

    async def connect(self):
        """A connection, on which the session is resumed if there is one."""
        resumes = self.session is not None
        wire = await Wire.connect(self.port, self.target(resumes), cookie=self.cookie, tls=self.tls, name=self.name, address=self.address)
        if resumes:
            resume = {"session": self.session, "token": self.token, "position": self.position or ["", 0]}
            wire.send({"resume": resume})
        return wire

    async def visit(self):
        self.wire = await self.connect()
        self.returns.append(asyncio.get_running_loop().time())
        self.missing = None
        while True:
            self.handle(await self.wire.receive())
            await self.tell()

    async def tell(self):
        async with self.changed:
            self.changed.notify_all()

    def handle(self, frame):
        kind = next(iter(frame))
        if kind == "hello":
            self.starts += 1
            self.session, self.token = frame["hello"]["session"], frame["hello"]["token"]
            self.lost, self.unconfirmed, self.number = self.unconfirmed, {}, 0
        elif kind == "resumed":
            answer = frame["resumed"]
            self.token, self.missing = answer["token"], answer.get("turns")
            self.forget(answer["ack"])
            self.ready(self.missing == 0)
        elif kind == "snapshot" and "screen" not in frame:
            self.state, self.position = frame["snapshot"], [frame["epoch"], frame["sequence"]]
            self.ready(True)
        elif kind == "sequence" and "screen" not in frame:
            assert frame["sequence"] == self.position[1] + 1, f"turn {frame['sequence']} after {self.position}"
            self.position = [self.position[0], frame["sequence"]]
            for change in frame.get("patch", []):
                if "value" in change:  # rows that go or move are nothing that a test asks for
                    self.state[change["path"][1:]] = change["value"]
            if not self.is_ready and self.missing:
                self.missing -= 1
                self.ready(self.missing == 0)
        elif kind == "uploads":
            self.uploads = frame["uploads"]
        elif kind == "error":
            self.errors.append(frame["error"])
        elif kind == "ack":
            self.acknowledged = asyncio.get_running_loop().time()
            self.forget(frame["ack"])

    def forget(self, number):
        self.unconfirmed = {key: sent for key, sent in self.unconfirmed.items() if key > number}

    def ready(self, is_ready):
        """Once all missed turns are there, the remaining inputs go out again."""
        if not is_ready or self.is_ready:
            return
        self.is_ready = True
        for sent in self.unconfirmed.values():
            self.wire.send(sent)


class Typist(Page):
    """A page that types words into a text that others type in, too: the next word when the one before is acknowledged.

    It shows what the server has, and none of its own words before that, so that it has nothing to merge.
    """

    def __init__(self, port, screen, room=None, random=None, name="text"):
        super().__init__(port, screen, room, random)
        self.field, self.text, self.revision, self.words = name, "", 0, 0
        # So many words it still types: a text that grows for minutes would keep these pages busy, and not the servers.
        self.allowance = math.inf

    def target(self, resumes):
        target = super().target(resumes)
        return f"{target}{'&' if '?' in target else '?'}edits=1"

    def type(self, author):
        """Types a word that nobody else types, between any two others; returns it, or None if the last one is on its way, or it was the last."""
        if not self.allowance or any("edits" in sent for sent in self.unconfirmed.values()):
            return None
        self.allowance -= 1
        self.words += 1
        word = f"<{author}.{self.words}>"
        place = self.random.choice([0] + [index + 1 for index, unit in enumerate(self.text) if unit == ">"])
        self.input(self.field, revision=self.revision, edits=[[place, 0, word]])
        return word

    def handle(self, frame):
        if "snapshot" in frame:
            self.text, self.revision = frame["snapshot"][f"{self.field}.field"], frame["revisions"][self.field]
            self.carry(lambda place: 0)
        for step in frame.get("edits", {}).get(self.field, {}).get("steps", []):
            self.follow(step)
        super().handle(frame)

    def follow(self, step):
        """One more edit of somebody, whose positions are those of the text before it."""
        for place, deleted, inserted in reversed(step):
            self.text = self.text[:place] + inserted + self.text[place + deleted:]
        self.revision += 1
        self.carry(lambda own: own + sum(len(inserted) for place, _, inserted in step if place <= own))

    def carry(self, move):
        """What is to be sent again is an edit of the text as it is now."""
        for sent in self.unconfirmed.values():
            if "edits" in sent:
                (place, deleted, word), = sent["edits"]
                sent["edits"], sent["revision"] = [[move(place), deleted, word]], self.revision
