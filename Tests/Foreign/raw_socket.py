# SPDX-License-Identifier: Apache-2.0
"""A WebSocket as bytes on a TCP socket, for saying what no library would say."""

import os
import socket
import ssl
import struct
from urllib.parse import urlsplit

import certificates

CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10

# The example of RFC 6455, section 1.3.
KEY, ACCEPT = "dGhlIHNhbXBsZSBub25jZQ==", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="


def frame(opcode, payload=b"", final=True, reserved=0, mask=True, width=None):
    """A frame's bytes; `width` forces the length into 7, 16 or 64 bits."""
    first = (0x80 if final else 0) | reserved << 4 | opcode
    count = len(payload)
    width = width or (7 if count < 126 else 16 if count < 65536 else 64)
    flag = 0x80 if mask else 0
    if width == 7:
        head = struct.pack("!BB", first, flag | count)
    elif width == 16:
        head = struct.pack("!BBH", first, flag | 126, count)
    else:
        head = struct.pack("!BBQ", first, flag | 127, count)
    if not mask:
        return head + payload
    key = os.urandom(4)
    return head + key + bytes(byte ^ key[index % 4] for index, byte in enumerate(payload))


def close_frame(code, reason=b""):
    return frame(CLOSE, struct.pack("!H", code) + reason)


class RawSocket:
    def __init__(self, address):
        place = urlsplit(address)
        self.host = f"{place.hostname}:{place.port}"
        self.socket = socket.create_connection((place.hostname, place.port), timeout=60)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if place.scheme == "https":
            self.socket = certificates.context().wrap_socket(self.socket, server_hostname=place.hostname)
        self.buffer = b""

    def close(self):
        self.socket.close()

    def send(self, data, piece=None):
        """Sends bytes, in pieces of their own packets if `piece` says how long they are."""
        try:
            for start in range(0, len(data), piece or max(1, len(data))):
                self.socket.sendall(data[start : start + (piece or len(data))])
        except (BrokenPipeError, ConnectionResetError, ssl.SSLEOFError):
            pass  # the server ended it meanwhile, and has said why before

    def request(self, path="/echo", line=None, **changed):
        """A handshake's bytes; a header that is None is left out, `line` replaces the first line."""
        headers = {
            "Host": self.host,
            "Upgrade": "websocket",
            "Connection": "Upgrade",
            "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": KEY,
        }
        headers.update({name.replace("_", "-"): value for name, value in changed.items()})
        lines = [line or f"GET {path} HTTP/1.1"]
        lines += [f"{name}: {value}" for name, value in headers.items() if value is not None]
        return "\r\n".join(lines + ["", ""]).encode()

    def response(self):
        """The status and the headers, names in lower case; (0, {}) if the server just ends it."""
        while b"\r\n\r\n" not in self.buffer:
            if not self._receive():
                return 0, {}
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        first, *lines = head.decode("latin-1").split("\r\n")
        pairs = [line.split(":", 1) for line in lines]
        return int(first.split()[1]), {name.lower(): value.strip() for name, value in pairs}

    def open(self, path="/echo", **changed):
        self.send(self.request(path, **changed))
        status, headers = self.response()
        if status != 101:
            raise RuntimeError(f"the handshake was refused with {status}")
        return headers

    def frame(self):
        """The next frame as (opcode, payload, final); None at the end."""
        head = self._take(2)
        if head is None:
            return None
        if head[0] & 0x70 or head[1] & 0x80:
            raise AssertionError(f"the server sent a frame with reserved bits or a mask: {head.hex()}")
        count = head[1] & 0x7F
        if count > 125:
            count = int.from_bytes(self._take(2 if count == 126 else 8), "big")
        return head[0] & 0x0F, self._take(count), bool(head[0] & 0x80)

    def end(self):
        """How the server ends it: the close code, 1005 for a close frame without one, 1006 for none."""
        while (received := self.frame()) is not None:
            if received[0] == CLOSE:
                return int.from_bytes(received[1][:2], "big") if received[1] else 1005
        return 1006

    def is_at_end(self):
        """Whether the server ends the TCP connection, too."""
        return self._receive() is False

    def _take(self, count):
        while len(self.buffer) < count:
            if not self._receive():
                return None
        taken, self.buffer = self.buffer[:count], self.buffer[count:]
        return taken

    def _receive(self):
        try:
            data = self.socket.recv(65536)
        except (ConnectionResetError, ssl.SSLEOFError, ssl.SSLZeroReturnError):
            return False
        self.buffer += data
        return bool(data)
