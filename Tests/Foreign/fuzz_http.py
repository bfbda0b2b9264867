# SPDX-License-Identifier: Apache-2.0
"""Sends broken requests, bodies and handshakes for as long as it is told, plain and through TLS, and asks after each hundred
whether the server still answers, also a form, and whether a page that was open before still does.

usage: fuzz_http.py [--seed N] [--requests N]

Reads MUSUBI_GALLERY. The seed is printed: the same seed sends the same bytes. What the sanitizer of the server's build
finds ends the server, and so the run.
"""

import argparse
import random
import socket
import tempfile
import urllib.error
import urllib.request

import certificates
from raw_socket import KEY, TEXT, RawSocket, frame
from server import Gallery

METHODS = ["GET", "HEAD", "POST", "PUT", "OPTIONS", "DELETE", "PATCH", "CONNECT", "BREW", "PRI", "get", ""]
PATHS = [
    "/", "/healthz", "/live/number", "/live/number?room=a&edits=1", "/live/nowhere", "/echo", "/musubi.js", "*", "//", "/..",
    "/%2e%2e/%2e%2e/etc/passwd", "/%zz", "/%00", "/%ff", "/a?%", "/a?&&=&=", "http://localhost/", "/" + "a" * 3000,
]
VERSIONS = ["HTTP/1.1", "HTTP/1.0", "HTTP/2.0", "HTTP/1.1 ", "HTTP/", "http/1.1", ""]
NAMES = [
    "Host", "Upgrade", "Connection", "Sec-WebSocket-Version", "Sec-WebSocket-Key", "Sec-WebSocket-Protocol",
    "Sec-WebSocket-Extensions", "Origin", "Cookie", "Content-Length", "Transfer-Encoding", "Expect", "Range",
    "If-None-Match", "Accept-Encoding", "Authorization", "HTTP2-Settings", "X-Unknown", ":path", "",
]
VALUES = [
    "localhost", "websocket", "WebSocket", "h2c", "foo", "Upgrade", "keep-alive, Upgrade", "close", "13", "8", KEY, "YQ==",
    "musubi.v1", "graphql-ws", "permessage-deflate; client_max_window_bits", "http://localhost", "null", "0", "5", "-1",
    "99999999999999999999", "chunked", "100-continue", "bytes=0-", "gzip;q=0", "AAMAAABkAAQAAP__", "", " ", ",", ",,,", "\t",
    "\"", "a" * 200, "a" * 5000, "x=y; " * 40, "é", "\x00",
]
ENDS = ["\r\n"] * 12 + ["\n", "\r", "\r\n ", "", "\r\n\r\n"]


def request(chance):
    """The bytes of one attempt: often a good handshake with something wrong."""
    fields = []
    if chance.random() < 0.7:
        fields = [
            ("Host", "localhost"), ("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Version", "13"),
            ("Sec-WebSocket-Key", KEY),
        ]
    for _ in range(chance.choice([0, 1, 1, 2, 4, 30])):
        place = chance.randrange(len(fields) + 1)
        if fields and chance.random() < 0.4:
            del fields[chance.randrange(len(fields))]
        fields.insert(min(place, len(fields)), (chance.choice(NAMES), chance.choice(VALUES)))
    good = chance.random() < 0.6
    line = f"GET {chance.choice(PATHS[:7])} HTTP/1.1" if good else " ".join(
        chance.choice(words) for words in (METHODS, PATHS, VERSIONS))
    text = line + chance.choice(ENDS)
    for name, value in fields:
        text += name + chance.choice([": "] * 8 + [":", " : ", ""]) + value + chance.choice(ENDS)
    data = bytearray((text + "\r\n").encode("latin-1", "replace"))
    if chance.random() < 0.2:
        data += frame(chance.randrange(16), bytes(chance.randrange(200)))
    if chance.random() < 0.3:
        for _ in range(chance.randrange(1, 6)):
            data[chance.randrange(len(data))] = chance.randrange(256)
    if chance.random() < 0.1:
        del data[chance.randrange(len(data)) :]
    if chance.random() < 0.1:
        data += request(chance)
    return bytes(data)


FORM = "application/x-www-form-urlencoded"
TYPES = [FORM] * 4 + [
    FORM + "; charset=utf-8", FORM + ";charset=\x01", "application/json", "application/JSON;;", "text/plain",
    "multipart/form-data; boundary=x", "multipart/form-data", "", "/", ";", "a" * 300,
]
POSTS = ["/log-in.html"] * 5 + ["/log-in.html?next=%2Fplay&&=", "/log-out", "/healthz", "/musubi.js", "/live/number", "/nowhere", "/%ff"]
# The routes of the gallery take so many bytes.
MOST = 4096


def body(chance):
    """What a form or a script might send, and what none would."""
    return chance.choice([
        lambda: b"person=" + chance.choice([b"Ann", b"Eve", b"%zz", b"%", b"%4", b"%ff%fe", b"%00", b"", b"a" * 3000]),
        lambda: b"name=" + "結び é 👩‍👩‍👧".encode() * chance.choice([1, 40]),
        lambda: b"&".join(chance.choice([b"a=b", b"=", b"", b"+", b"a", b"a==", b"%3D=%26"]) for _ in range(chance.choice([2, 1200]))),
        lambda: chance.choice([b'{"person":"Ann"}', b'{"a":', b"[" * 3000, b'"\\ud800"', b"1e999999", b"\xff{}", b"null", b"{}" * 500]),
        lambda: b"--x\r\nContent-Disposition: form-data; name=person\r\n\r\nAnn\r\n--x--\r\n",
        lambda: chance.randbytes(chance.choice([0, 1, 100, MOST - 1, MOST, MOST + 1, 70_000])),
    ])()


def chunked(data, chance):
    """The body in chunks (RFC 9112, section 7.1), with mistakes in some."""
    pieces = []
    for start in range(0, len(data), 700):
        piece = data[start : start + 700]
        size = chance.choice([b"%x" % len(piece)] * 6 + [b"%X;a=b" % len(piece), b"-1", b"g", b"", b"f" * 16, b"%x" % (len(piece) + 3)])
        pieces.append(size + chance.choice([b"\r\n"] * 6 + [b"\n"]) + piece + chance.choice([b"\r\n"] * 6 + [b""]))
    return b"".join(pieces) + chance.choice([b"0\r\n\r\n"] * 3 + [b"0\r\nX-After: 1\r\n\r\n", b"0", b""])


def post(chance):
    """The bytes of a request with a body: often a good form, with something wrong about its length, its pieces or itself."""
    data = body(chance)
    length, other = len(data), chance.choice([0, 1, MOST, MOST + 1, 1 << 31, 1 << 63, 1 << 64])
    fields = [("Host", "localhost"), ("Content-Type", chance.choice(TYPES))]
    kind = chance.random()
    if kind < 0.25:
        data = chunked(data, chance)
        fields.append(("Transfer-Encoding", chance.choice(["chunked"] * 4 + ["Chunked", "gzip, chunked", "chunked, chunked", "identity"])))
    if kind < 0.05 or 0.25 <= kind < 0.7:
        fields.append(("Content-Length", str(length)))
    elif kind < 0.95:
        wrong = [length + 1, length // 2, other, -length, f"+{length}", f"{length},{length}", f"{length}x", hex(length), "", f"0{length}"]
        fields.append(("Content-Length", str(chance.choice(wrong))))
        if chance.random() < 0.3:
            fields.append(("Content-Length", str(length)))
    for name, value in (
            ("Expect", "100-continue"), ("Expect", "200-ok"), ("Origin", "http://localhost"), ("Origin", "https://evil.example"),
            ("Connection", "close"), ("Cookie", "person=AAAA"), ("Content-Encoding", "gzip")):
        if chance.random() < 0.15:
            fields.insert(chance.randrange(len(fields) + 1), (name, value))
    method = chance.choice(["POST"] * 8 + ["PUT", "GET", "HEAD"])
    head = "".join(f"{name}: {value}\r\n" for name, value in fields)
    text = f"{method} {chance.choice(POSTS)} {chance.choice(['HTTP/1.1'] * 5 + ['HTTP/1.0'])}\r\n{head}\r\n"
    return text.encode("latin-1") + data + chance.choice([lambda: b""] * 4 + [lambda: post(chance), lambda: request(chance)])()


def attempt(place, data, chance, secure):
    """Sends it in up to five pieces, reads a little or nothing, and leaves, politely or not."""
    connection = socket.create_connection(place, timeout=60)
    try:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if secure:
            connection = certificates.context().wrap_socket(connection)
        cuts = sorted(chance.randrange(len(data) + 1) for _ in range(chance.choice([0, 0, 1, 4])))
        for start, end in zip([0, *cuts], [*cuts, len(data)]):
            connection.sendall(data[start:end])
        if chance.random() < 0.5:
            connection.settimeout(0.02)
            connection.recv(65536)
        if chance.random() < 0.3:
            connection.shutdown(socket.SHUT_WR)
    except OSError:
        pass  # a refusal, or an end before everything was said
    finally:
        connection.close()


class Stay(urllib.request.HTTPRedirectHandler):
    """Where an answer leads is not asked."""

    def redirect_request(self, *_):
        return None


def form(server, data):
    """The status of the answer to a form."""
    context = certificates.context() if server.address.startswith("https:") else None
    opener = urllib.request.build_opener(Stay, urllib.request.HTTPSHandler(context=context))
    try:
        return opener.open(server.address + "/log-in.html", data, timeout=60).status
    except urllib.error.HTTPError as answer:
        with answer:
            return answer.code


def check(server, witness):
    with urllib.request.urlopen(
        server.address + "/healthz", timeout=60,
        context=certificates.context() if server.address.startswith("https:") else None,
    ) as answer:
        assert answer.read() == b"ok\n", "the health check says something else"
    assert form(server, b"person=Ann") == 303, "a form is not taken"
    assert form(server, b"person=Eve") == 400, "a form is not read"
    witness.send(frame(TEXT, b"still there"))
    assert witness.frame() == (TEXT, b"still there", True), "an open page is not answered"


def run(seed, requests, secure):
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="musubi-fuzz-") as folder:
        options = []
        if secure:
            certificate, key = certificates.make(folder, "fuzz")
            options = ["--tls-certificate", certificate, "--tls-key", key]
        server = Gallery(folder, "--conformance-echo", "/echo", "--log-level", "error", *options)
        place = tuple(server.address.rsplit("/", 1)[1].split(":"))
        witness = RawSocket(server.address)
        witness.open()
        for number in range(requests):
            attempt(place, chance.choice([request, post])(chance), chance, secure)
            if number % 100 == 99:
                check(server, witness)
        check(server, witness)
        witness.close()
        server.process.terminate()
        status = server.process.wait(timeout=60)
        server.process.stdout.close()
        assert status == 0, f"the server ended with status {status}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--requests", type=int, default=2_000)
    wanted = parser.parse_args()
    print(f"fuzz_http.py --seed {wanted.seed} --requests {wanted.requests}", flush=True)
    run(wanted.seed, wanted.requests, secure=False)
    run(wanted.seed + 1, wanted.requests // 4, secure=True)
    print("nothing found")


if __name__ == "__main__":
    main()
