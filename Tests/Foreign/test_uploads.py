# SPDX-License-Identifier: Apache-2.0
"""Uploads by tus, with a client that is not ours, over cut connections and kills; downloads in parts."""

import base64
import hashlib
import http.client
import io
import json
import os
import pathlib
import socket
import tempfile
import time
import unittest
import urllib.parse

import requests
from tusclient import client as tus
from tusclient.exceptions import TusCommunicationError

import certificates
from server import Gallery

PUBLIC = pathlib.Path(__file__).parent.parent / "Screens" / "Public"
PNG = b"\x89PNG\r\n\x1a\n"
VERSION = {"Tus-Resumable": "1.0.0"}


def contents(count):
    """Bytes that differ everywhere."""
    return hashlib.shake_128(b"tea").digest(count)


class Uploads(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="musubi-uploads-")
        self.addCleanup(folder.cleanup)
        self.data = pathlib.Path(folder.name)
        self.start()

    def start(self, *options):
        """Starts a server over the data of the one before."""
        self.server = Gallery(self.data, "--public", PUBLIC, *options, program="MUSUBI_SCREENS")
        self.addCleanup(self.server.stop)

    def url(self, path):
        return urllib.parse.urljoin(self.server.address, path)

    def begin(self, length, path="/files", name=None, **arguments):
        headers = VERSION | {"Upload-Length": str(length)} | arguments.pop("headers", {})
        if name:
            headers["Upload-Metadata"] = "filename " + base64.b64encode(name.encode()).decode()
        return requests.post(self.url(path), headers=headers, timeout=60, **arguments)

    def patch(self, place, offset, data, **headers):
        fields = VERSION | {"Upload-Offset": str(offset), "Content-Type": "application/offset+octet-stream"} | headers
        return requests.patch(self.url(place), data=data, headers=fields, timeout=60)

    def offset(self, place):
        return int(requests.head(self.url(place), headers=VERSION, timeout=60).headers["Upload-Offset"])

    def send_part(self, place, offset, data, announced):
        """Sends the beginning of a part, and cuts the connection when that is written; asking would take the upload over."""
        name = hashlib.sha256(place.rsplit("/", 1)[1].encode()).hexdigest()
        part = self.data / "uploads" / f"{name}.part"
        address = urllib.parse.urlparse(self.server.address)
        fields = VERSION | {"Host": address.netloc, "Upload-Offset": str(offset), "Content-Length": str(announced)}
        fields["Content-Type"] = "application/offset+octet-stream"
        head = f"PATCH {place} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        with socket.create_connection((address.hostname, address.port), timeout=60) as connection:
            connection.sendall(head.encode() + b"\r\n" + data)
            while part.stat().st_size < offset + len(data):
                time.sleep(0.01)
        return part

    def taken(self):
        return requests.get(self.url("/taken.json"), timeout=60).json()

    def waiting(self):
        """The files that wait for their end."""
        return sorted(path.name for path in (self.data / "uploads").iterdir() if path.suffix == ".part")

    def peak(self):
        """The most memory that the server ever had, in MiB."""
        status = pathlib.Path(f"/proc/{self.server.process.pid}/status").read_text()
        return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")) // 1024

    def test_a_client_of_the_protocol(self):
        data = contents(3_000_000)
        client = tus.TusClient(self.url("/files"))
        for chunk, name in [(1 << 40, "whole"), (700_000, "in pieces")]:
            uploader = client.uploader(file_stream=io.BytesIO(data), chunk_size=chunk, metadata={"filename": name})
            uploader.upload()
            self.assertEqual(uploader.offset, len(data))
        taken = self.taken()
        self.assertEqual([file["name"] for file in taken], ["whole", "in pieces"])
        for file in taken:
            self.assertEqual(file["sha256"], hashlib.sha256(data).hexdigest())
            self.assertEqual((self.data / "taken" / file["id"]).read_bytes(), data)
        self.assertEqual(self.waiting(), [])

    def test_through_tls(self):
        certificate, key = certificates.make(self.data, "uploads")
        self.server.stop()
        self.start("--tls-certificate", certificate, "--tls-key", key)
        data = contents(8_000_000)
        with requests.Session() as session:
            # Else a bundle that the environment names takes its place.
            session.trust_env = False
            session.verify = str(certificate)
            place = session.post(self.url("/files"), headers=VERSION | {"Upload-Length": str(len(data))}, timeout=60)
            for start in range(0, len(data), 2_000_000):
                fields = {"Upload-Offset": str(start), "Content-Type": "application/offset+octet-stream"}
                part = session.patch(self.url(place.headers["Location"]), data=data[start:start + 2_000_000],
                                     headers=VERSION | fields, timeout=60)
                self.assertEqual(part.status_code, 204)
            [file] = session.get(self.url("/taken.json"), timeout=60).json()
            self.assertEqual(file["sha256"], hashlib.sha256(data).hexdigest())
            rest = session.get(self.url(f"/taken/{file['id']}"), headers={"Range": "bytes=7000000-"}, timeout=60)
            self.assertEqual(rest.content, data[7_000_000:])

    def test_a_cut_connection(self):
        data = contents(2_000_000)
        place = self.begin(len(data)).headers["Location"]
        self.send_part(place, 0, data[:900_000], announced=len(data))
        uploader = tus.TusClient(self.url("/files")).uploader(
            file_stream=io.BytesIO(data), url=self.url(place), chunk_size=1 << 40)
        self.assertEqual(uploader.offset, 900_000)
        uploader.upload()
        self.assertEqual([file["sha256"] for file in self.taken()], [hashlib.sha256(data).hexdigest()])

    def test_a_killed_server(self):
        data = contents(2_000_000)
        place = self.begin(len(data), name="kept").headers["Location"]
        part = self.send_part(place, 0, data[:900_000], announced=len(data))
        self.assertEqual(part.stat().st_mode & 0o777, 0o600)
        self.assertEqual(part.parent.stat().st_mode & 0o777, 0o700)
        self.server.kill()
        (self.data / "uploads" / "0123.part").write_bytes(b"remains")
        os.utime(self.data / "uploads" / "0123.part", (1, 1))
        self.start()
        self.assertNotIn("0123.part", self.waiting())
        self.assertEqual(self.offset(place), 900_000)
        self.assertEqual(self.patch(place, 900_000, data[900_000:]).status_code, 204)
        self.assertEqual([(file["name"], file["sha256"]) for file in self.taken()],
                         [("kept", hashlib.sha256(data).hexdigest())])

    def test_a_kill_while_the_program_has_the_file(self):
        place = self.begin(3, name="slow").headers["Location"]
        self.send_part(place, 0, b"tea", announced=3)
        self.server.kill()
        self.start()
        self.assertEqual(self.taken(), [])
        # The client has not heard that all has arrived, so it asks; and then the program gets the file.
        self.assertEqual(self.offset(place), 3)
        self.assertEqual(self.offset(place), 3)
        self.assertEqual([file["name"] for file in self.taken()], ["slow"])

    def test_types_sizes_and_owners(self):
        place = self.begin(2_000, "/pictures", name="tea.png").headers["Location"]
        wrong = self.patch(place, 0, b"t" * 512)
        self.assertEqual((wrong.status_code, "text/plain" in wrong.text), (415, True))
        self.assertEqual(self.patch(place, 512, b"t").status_code, 404)
        self.assertEqual(self.begin(65_537, "/pictures").status_code, 413)
        place = self.begin(20, "/pictures", name="tea.txt", headers={"Cookie": "visitor=ann"}).headers["Location"]
        self.assertEqual(self.patch(place, 0, PNG, Cookie="visitor=bob").status_code, 404)
        self.assertEqual(self.patch(place, 0, PNG).status_code, 404)
        self.assertEqual(self.patch(place, 0, PNG, Cookie="visitor=ann", Origin="https://example.org").status_code, 403)
        self.assertEqual(self.patch(place, 0, PNG, Cookie="visitor=ann").status_code, 204)
        self.assertEqual(self.patch(place, 7, PNG, Cookie="visitor=ann").status_code, 409)
        self.assertEqual(self.patch(place, 8, b"x" * 13, Cookie="visitor=ann").status_code, 413)
        self.assertEqual(self.patch(place, 8, b"x" * 12, Cookie="visitor=ann").status_code, 204)
        self.assertEqual([file["type"] for file in self.taken()], ["image/png"])

    def test_refused_left_and_cancelled(self):
        refused = self.begin(3, name="refused").headers["Location"]
        answer = self.patch(refused, 0, b"tea")
        self.assertEqual((answer.status_code, answer.text), (422, "This one is not wanted.\n"))
        left = self.begin(3, name="left").headers["Location"]
        self.assertEqual(self.patch(left, 0, b"tea").status_code, 204)
        cancelled = self.begin(3).headers["Location"]
        self.assertEqual(self.patch(cancelled, 0, b"t").status_code, 204)
        self.assertEqual(requests.delete(self.url(cancelled), headers=VERSION, timeout=60).status_code, 204)
        self.assertEqual(requests.head(self.url(cancelled), headers=VERSION, timeout=60).status_code, 404)
        self.assertEqual(self.waiting(), [])
        self.assertEqual(list((self.data / "taken").iterdir()), [])
        with self.assertRaises(TusCommunicationError):
            tus.TusClient(self.url("/pictures")).uploader(file_stream=io.BytesIO(b"tea " * 200)).upload()

    def test_expiry(self):
        self.server.stop()
        self.start("--upload-lifetime", "1")
        place = self.begin(3).headers["Location"]
        status = 200
        while status == 200:
            # Asking is no sign of life; bytes are.
            status = requests.head(self.url(place), headers=VERSION, timeout=60).status_code
        self.assertEqual(status, 410)
        self.assertEqual(self.waiting(), [])

    def test_large_files_take_no_memory(self):
        size = 1 << 30
        before = self.peak()
        place = self.begin(256 << 20).headers["Location"]
        with tempfile.TemporaryFile() as file:
            file.truncate(256 << 20)
            self.assertEqual(self.patch(place, 0, file).status_code, 204)
        identity = "f" * 64
        with open(self.data / "taken" / identity, "wb") as file:
            file.truncate(size)
        address = urllib.parse.urlparse(self.server.address)
        connection = http.client.HTTPConnection(address.hostname, address.port, timeout=60)
        connection.request("GET", f"/taken/{identity}")
        response = connection.getresponse()
        buffer, count = bytearray(1 << 20), 0
        while taken := response.readinto(buffer):
            count += taken
        connection.close()
        self.assertEqual(count, size)
        self.assertLess(self.peak() - before, 48)

    def test_parts_of_files(self):
        data = contents(1_000_000)
        place = self.begin(len(data)).headers["Location"]
        self.patch(place, 0, data)
        url = self.url(f"/taken/{self.taken()[0]['id']}")
        whole = requests.get(url, timeout=60)
        tag = whole.headers["ETag"]

        def part(span, **headers):
            return requests.get(url, headers={"Range": f"bytes={span}"} | headers, timeout=60)

        self.assertEqual((whole.status_code, whole.content), (200, data))
        rest = part("900000-", **{"If-Range": tag})
        self.assertEqual((rest.status_code, rest.content), (206, data[900_000:]))
        self.assertEqual(rest.headers["Content-Range"], "bytes 900000-999999/1000000")
        other = part("900000-", **{"If-Range": '"other"'})
        self.assertEqual((other.status_code, len(other.content)), (200, len(data)))
        self.assertEqual(part("-1").content, data[-1:])
        self.assertEqual(part("1000000-").status_code, 416)
        self.assertEqual(requests.get(url, headers={"If-None-Match": tag}, timeout=60).status_code, 304)


if __name__ == "__main__":
    unittest.main()
