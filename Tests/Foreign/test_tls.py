# SPDX-License-Identifier: Apache-2.0
"""TLS over real sockets: what the server offers, how it goes on under load, and other certificates while it runs."""

import fcntl
import pathlib
import signal
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
import unittest
from urllib.parse import urlsplit

import certificates
from musubi_client import Page
from raw_socket import BINARY, PING, PONG, TEXT, RawSocket, close_frame, frame
from server import Gallery


class Encrypted(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="musubi-tls-")
        cls.addClassCleanup(cls.folder.cleanup)
        cls.certificate, cls.key = certificates.make(cls.folder.name, "first")
        cls.log = pathlib.Path(cls.folder.name, "log")
        with cls.log.open("w") as log:
            cls.server = Gallery(
                cls.folder.name, "--conformance-echo", "/echo", "--loops", "2",
                "--tls-certificate", cls.certificate, "--tls-key", cls.key, log=log)
        cls.addClassCleanup(cls.server.stop)
        place = urlsplit(cls.server.address)
        cls.place = (place.hostname, place.port)

    def secure(self, context=None, session=None, receive_buffer=None):
        plain = socket.socket()
        if receive_buffer:
            plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        plain.settimeout(60)
        plain.connect(self.place)
        secure = (context or certificates.context()).wrap_socket(plain, server_hostname="localhost", session=session)
        self.addCleanup(secure.close)
        return secure

    def common_name(self, version=None):
        context = certificates.context()
        if version:
            context.minimum_version = context.maximum_version = version
        text = ssl.DER_cert_to_PEM_cert(self.secure(context).getpeercert(binary_form=True))
        shown = subprocess.run(["openssl", "x509", "-noout", "-subject"], input=text, text=True, capture_output=True)
        return shown.stdout.strip().rsplit("=", 1)[1].strip()

    def opened(self, path="/echo"):
        connection = RawSocket(self.server.address)
        self.addCleanup(connection.close)
        connection.open(path)
        return connection


class Handshakes(Encrypted):
    def test_the_address_says_https(self):
        self.assertTrue(self.server.address.startswith("https://"))

    def test_version_1_3_and_1_2_are_spoken_and_1_1_is_not(self):
        for version, fits in [
            (ssl.TLSVersion.TLSv1_3, True), (ssl.TLSVersion.TLSv1_2, True), (ssl.TLSVersion.TLSv1_1, False),
        ]:
            with self.subTest(version=version):
                context = certificates.context()
                context.set_ciphers("DEFAULT:@SECLEVEL=0")
                context.minimum_version = context.maximum_version = version
                if fits:
                    self.assertEqual(self.secure(context).version(), version.name.replace("_", "."))
                else:
                    with self.assertRaises((ssl.SSLError, ConnectionResetError)):
                        self.secure(context)

    def test_only_http_1_1_is_agreed_on(self):
        context = certificates.context()
        context.set_alpn_protocols(["h2", "http/1.1"])
        self.assertEqual(self.secure(context).selected_alpn_protocol(), "http/1.1")

    def test_answers_ask_browsers_to_come_by_tls_only(self):
        for path in ["/", "/nowhere", "/live/number"]:
            connection = RawSocket(self.server.address)
            self.addCleanup(connection.close)
            connection.send(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            self.assertEqual(connection.response()[1]["strict-transport-security"], "max-age=31536000")

    def test_a_ticket_is_good_for_each_loop_and_version(self):
        for version in [ssl.TLSVersion.TLSv1_3, ssl.TLSVersion.TLSv1_2]:
            context = certificates.context()
            context.minimum_version = context.maximum_version = version
            first = self.secure(context)
            first.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            first.recv(4096)
            for _ in range(12):
                again = self.secure(context, session=first.session)
                self.assertTrue(again.session_reused, version)

    def test_renegotiation_is_refused(self):
        client = subprocess.run(
            ["openssl", "s_client", "-connect", "%s:%d" % self.place, "-tls1_2"], input=b"R\n", capture_output=True,
            timeout=60)
        self.assertIn(b"no renegotiation", client.stderr)

    def test_what_is_no_tls_harms_nobody(self):
        connection = self.opened()
        for data in [b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", b"\x16\x03\x01\xff\xff", bytes(300), b"\x80\x2e\x01\x03"]:
            with socket.create_connection(self.place, timeout=60) as plain:
                try:
                    plain.sendall(data)
                    plain.shutdown(socket.SHUT_WR)
                    while plain.recv(4096):
                        pass
                except OSError:
                    pass  # the server has ended it before
        connection.send(frame(TEXT, b"still there"))
        self.assertEqual(connection.frame(), (TEXT, b"still there", True))

    def test_a_frame_in_one_record_with_the_handshake_ends_with_1002(self):
        for early in [frame(TEXT, b"early"), b"\x81", bytes(3000), bytes(12_000)]:
            connection = RawSocket(self.server.address)
            self.addCleanup(connection.close)
            connection.send(connection.request() + early)
            self.assertEqual(connection.response()[0], 101)
            self.assertEqual(connection.end(), 1002)


class Messages(Encrypted):
    def test_messages_of_all_lengths_and_pieces_come_back(self):
        for length in [0, 1, 125, 126, 16_383, 16_384, 16_385, 65_536, 300_000, 3_000_000]:
            for piece in [None, 997, 16_384] if length < 500_000 else [None]:
                with self.subTest(length=length, piece=piece):
                    connection = self.opened()
                    payload = bytes(index % 251 for index in range(length))
                    connection.send(frame(BINARY, payload), piece)
                    self.assertEqual(connection.frame(), (BINARY, payload, True))
                    connection.send(frame(PING, b"p"))
                    self.assertEqual(connection.frame(), (PONG, b"p", True))
                    connection.send(close_frame(1000))
                    self.assertEqual(connection.end(), 1000)
                    self.assertTrue(connection.is_at_end())

    def test_many_messages_in_one_record_are_all_read(self):
        connection = self.opened()
        connection.send(b"".join(frame(TEXT, b"m%d" % index) for index in range(2_000)))
        for index in range(2_000):
            self.assertEqual(connection.frame(), (TEXT, b"m%d" % index, True))

    def test_a_page_works_and_resumes(self):
        page = Page(self.server.address, edits=True).open()
        page.input("roll")
        page.wait(lambda: not page.sent)
        page.drop()
        page.resume()
        page.close()

    def test_the_end_of_tls_ends_the_connection(self):
        connection = self.opened()
        connection.socket.settimeout(60)
        plain = connection.socket.unwrap()
        self.addCleanup(plain.close)
        self.assertEqual(plain.recv(1), b"")

    def test_keys_change_while_the_way_back_is_full(self):
        """`K` has openssl s_client change its keys and ask for the server's, `k` its own only."""
        client = subprocess.Popen(
            ["openssl", "s_client", "-connect", "%s:%d" % self.place, "-tls1_3", "-quiet", "-no_ign_eof"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0)
        self.addCleanup(client.wait, 60)
        for stream in (client.stdin, client.stdout):
            self.addCleanup(stream.close)
        self.addCleanup(client.kill)
        client.stdin.write(
            b"GET /echo HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += client.stdout.read(1)
        # A mask of zeros and one letter: no piece that s_client reads begins with one of its commands.
        payload = b"x" * 65_000
        message = struct.pack("!BBHI", 0x82, 0x80 | 126, len(payload), 0) + payload
        echo = struct.pack("!BBH", 0x82, 126, len(payload)) + payload

        def give(data):
            """A command is one only if s_client reads it alone."""
            client.stdin.write(data)
            while int.from_bytes(fcntl.ioctl(client.stdin, termios.FIONREAD, bytes(4)), sys.byteorder):
                time.sleep(0.0005)

        def send():
            for index in range(200):
                give(message)
                give(b"Kk"[index % 2 : index % 2 + 1])

        sender = threading.Thread(target=send)
        sender.start()
        received = 0
        while received < 200 * len(echo):
            if received % 5 == 0:
                time.sleep(0.01)
            piece = client.stdout.read(min(50_000, 200 * len(echo) - received))
            self.assertTrue(piece, f"the connection ended after {received} bytes")
            start = received % len(echo)
            self.assertEqual(piece, (echo + echo)[start : start + len(piece)])
            received += len(piece)
        sender.join()


class Certificates(Encrypted):
    def until(self, holds):
        deadline = time.monotonic() + 60
        while not holds():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)

    def refusals(self):
        """How often the server has said that it keeps the pair that it has."""
        return self.log.read_text().count("certificate not changed")

    def test_another_pair_is_shown_when_it_is_whole_and_open_pages_stay(self):
        page = self.opened()
        certificate, key = certificates.make(self.folder.name, "second")
        self.assertEqual(self.common_name(), "first")
        # Only the certificate has come so far, then half a key.
        certificates.replace(self.certificate, certificate.read_bytes())
        self.until(lambda: self.refusals() > 0)
        self.assertEqual(self.common_name(), "first")
        before = self.refusals()
        certificates.replace(self.key, key.read_bytes()[:60])
        self.server.process.send_signal(signal.SIGHUP)
        self.until(lambda: self.refusals() > before)
        self.assertEqual(self.common_name(), "first")
        certificates.replace(self.key, key.read_bytes())
        self.until(lambda: self.common_name() == "second")
        page.send(frame(TEXT, b"still there"))
        self.assertEqual(page.frame(), (TEXT, b"still there", True))

        before = self.refusals()
        certificates.replace(self.certificate, b"nonsense")
        self.server.process.send_signal(signal.SIGHUP)
        self.until(lambda: self.refusals() > before)
        self.assertEqual(self.common_name(), "second")

        # Of another kind of key, for which OpenSSL has another place, and of the first kind again.
        for name, kind in [("third", ["rsa:2048"]), ("fourth", [])]:
            for path, new in zip([self.certificate, self.key], certificates.make(self.folder.name, name, *kind)):
                certificates.replace(path, new.read_bytes())
            self.until(lambda name=name: self.common_name() == name)
            for version in [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3]:
                self.assertEqual({self.common_name(version) for _ in range(6)}, {name}, "on each loop")


class Starts(unittest.TestCase):
    def test_the_chain_behind_the_certificate_is_shown_too(self):
        with tempfile.TemporaryDirectory(prefix="musubi-tls-") as folder:
            certificate, key, root = certificates.make_chain(folder)
            server = Gallery(folder, "--tls-certificate", certificate, "--tls-key", key)
            self.addCleanup(server.stop)
            client = subprocess.run(
                ["openssl", "s_client", "-connect", urlsplit(server.address).netloc, "-showcerts", "-CAfile", root],
                input=b"", capture_output=True, timeout=60)
            self.assertEqual(client.stdout.count(b"BEGIN CERTIFICATE"), 2)
            self.assertIn(b"Verification: OK", client.stdout)
            server.stop()

    def test_without_a_pair_the_server_does_not_start_and_says_why(self):
        with tempfile.TemporaryDirectory(prefix="musubi-tls-") as folder:
            certificate, key = certificates.make(folder, "one")
            _, other = certificates.make(folder, "other")
            for options in [
                ["--tls-certificate", certificate], ["--tls-key", key],
                ["--tls-certificate", certificate, "--tls-key", other],
                ["--tls-certificate", certificate, "--tls-key", f"{folder}/missing"],
                ["--tls-certificate", key, "--tls-key", key],
            ]:
                with self.subTest(options=options), self.assertRaises(RuntimeError):
                    Gallery(folder, *options).stop()


if __name__ == "__main__":
    unittest.main()
