# SPDX-License-Identifier: Apache-2.0
"""The admin port: what it counts under load, to whom it answers, and Prometheus in front of it."""

import asyncio
import base64
import json
import pathlib
import re
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import urllib.parse

from case import ProcessCase
from proxies import certificate, name
from servers import Server
from wire import Closed, Refused, Wire

token = "0123456789abcdef-of-a-test"


class Answer:
    def __init__(self, data):
        head, _, self.body = data.partition(b"\r\n\r\n")
        lines = head.decode().split("\r\n")
        self.status = int(lines[0].split(" ")[1])
        self.headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
        self.text = self.body.decode()


async def ask(port, path, *headers, method="GET", host="127.0.0.1", tls=None):
    """The answer to a request; ConnectionError if the socket is closed without one."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=tls, server_hostname=name if tls else None)
    try:
        lines = [f"{method} {path} HTTP/1.1", f"Host: {host}:{port}", "Connection: close", *headers]
        writer.write("\r\n".join([*lines, "", ""]).encode())
        data = await asyncio.wait_for(reader.read(), 30)
    finally:
        writer.close()
    if not data:
        raise ConnectionResetError("closed without an answer")
    return Answer(data)


def samples(text):
    """The value of each sample, by its name and labels as they are written."""
    return {line.rsplit(" ", 1)[0]: float(line.rsplit(" ", 1)[1]) for line in text.splitlines() if not line.startswith("#")}


class Prometheus:
    """Scrapes a port every second, and keeps what it finds in a temporary folder."""

    def __init__(self, target):
        self.folder = tempfile.TemporaryDirectory(prefix="musubi-prometheus-")
        self.place = pathlib.Path(self.folder.name)
        self.port = Server.free_port()
        (self.place / "token").write_text(token + "\n")
        (self.place / "prometheus.yml").write_text(json.dumps({  # YAML, too
            "global": {"scrape_interval": "1s"},
            "scrape_configs": [{
                "job_name": "musubi", "static_configs": [{"targets": [f"127.0.0.1:{target}"]}],
                "authorization": {"credentials_file": str(self.place / "token")}}]}))
        self.process = None

    async def start(self):
        self.log = (self.place / "log").open("wb")
        self.process = await asyncio.create_subprocess_exec(
            "prometheus", f"--config.file={self.place}/prometheus.yml", f"--storage.tsdb.path={self.place}/data",
            f"--web.listen-address=127.0.0.1:{self.port}", stdin=asyncio.subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        return self

    async def query(self, expression):
        """The value of an expression; None if there is none yet."""
        try:
            answer = await ask(self.port, "/api/v1/query?" + urllib.parse.urlencode({"query": expression}))
        except OSError:
            return None  # it does not listen yet
        if answer.status != 200:
            return None
        result = json.loads(answer.text if answer.text.startswith("{") else answer.text.split("\r\n")[1])["data"]["result"]
        return float(result[0]["value"][1]) if result else None

    async def until(self, expression, expected, time_limit=60):
        """Waits until an expression has a value: nothing tells when the next scrape is there."""
        value = None
        try:
            async with asyncio.timeout(time_limit):
                while (value := await self.query(expression)) != expected:
                    assert self.process.returncode is None, (self.place / "log").read_text()
                    await asyncio.sleep(0.2)
        except TimeoutError:
            raise AssertionError(f"{expression} is {value}, and not {expected}") from None

    async def close(self):
        if self.process and self.process.returncode is None:
            self.process.terminate()
            await asyncio.wait_for(self.process.wait(), 30)
        self.log.close()
        self.folder.cleanup()


class Metrics(ProcessCase):
    async def watched(self, *options, address="127.0.0.1", **settings):
        """A server, and its admin port; elsewhere than on loopback with the token."""
        if address != "127.0.0.1":
            file = tempfile.NamedTemporaryFile("w", prefix="musubi-token-")  # of mode 0600
            self.addCleanup(file.close)
            file.write(token + "\n")
            file.flush()
            options = (*options, "--admin-token", file.name)
        server = await self.server("--admin", f"{address}:0", *options, **settings)
        await asyncio.wait_for(server.said("admin http"), 30)
        line = next(line for line in server.output if line.startswith("admin http"))
        return server, int(line.rsplit(":", 1)[1])

    async def until(self, port, condition, time_limit=60):
        """Waits until the metrics are as they should be: they are a second old at most."""
        found = {}
        try:
            async with asyncio.timeout(time_limit):
                while not condition(found := samples((await ask(port, "/metrics")).text)):
                    await asyncio.sleep(0.1)
        except TimeoutError:
            raise AssertionError(f"the metrics are {found}") from None
        return found

    async def tap(self, pages, count):
        for page in pages:
            for _ in range(count):
                page.input("tap")
        for page in pages:
            await page.until(lambda: not page.unconfirmed)

    async def test_promtool_finds_nothing_wrong(self):
        server, port = await self.watched("--loops", "2")
        await self.tap(await self.pages(server, 4, "counter", str), 10)
        with self.assertRaises(Refused):
            await Wire.connect(server.port, "/live/none")

        found = await self.until(port, lambda found: found.get('musubi_inputs_total{screen="counter"}') == 40)
        text = (await ask(port, "/metrics")).text
        checked = await asyncio.to_thread(
            subprocess.run, ["promtool", "check", "metrics"], input=text, capture_output=True, text=True, timeout=60)

        self.assertEqual((checked.returncode, checked.stdout + checked.stderr), (0, ""), text)
        self.assertEqual(found['musubi_rooms{screen="counter"}'], 4)
        self.assertEqual(found['musubi_pages{screen="counter"}'], 4)
        self.assertEqual(found['musubi_refusals_total{reason="unknown-screen"}'], 1)
        self.assertEqual(sum(value for name, value in found.items() if 'state="connected"' in name), 4)
        self.assertGreater(sum(value for name, value in found.items() if "commit_duration_seconds_count" in name), 0)

    async def test_prometheus_scrapes_a_loaded_server(self):
        server, port = await self.watched("--loops", "2", address="0.0.0.0")
        prometheus = Prometheus(port)
        self.addAsyncCleanup(prometheus.close)
        await prometheus.start()
        await prometheus.until("up", 1)
        count, taps = 100, 50
        pages = await self.pages(server, count, "counter", lambda number: str(number % 10))

        await self.tap(pages, taps)

        await prometheus.until('musubi_inputs_total{screen="counter"}', count * taps)
        await prometheus.until("sum(musubi_messages_received_total)", count * taps)
        await prometheus.until("sum(musubi_connections)", count)
        await prometheus.until('musubi_rooms{screen="counter"}', 10)
        turns = await prometheus.query('musubi_turns_total{screen="counter"}')
        self.assertTrue(10 <= turns <= count * taps, turns)
        # One of 64 on each loop, and the first one.
        followed = await prometheus.query('musubi_hand_over_duration_seconds_count{screen="counter"}')
        self.assertTrue(1 <= followed <= count * taps / 63 + 2, followed)
        seconds = await prometheus.query(
            'histogram_quantile(0.99, sum by (le) (musubi_hand_over_duration_seconds_bucket{screen="counter"}))')
        print(f"\n{self._testMethodName}: {count * taps} inputs, {turns:.0f} turns; p99 from arrival to hand-over "
              f"{1000 * seconds:.2f} ms", file=sys.stderr)
        for page in pages[:50]:
            await page.close()
        await prometheus.until("sum(musubi_connections)", 50)
        await prometheus.until('sum(musubi_sessions{state="waiting"})', 50)

    async def test_on_loopback_everybody_looks_and_nobody_changes(self):
        server, port = await self.watched()

        for path, text in (("/healthz", "ok\n"), ("/readyz", "ready\n")):
            self.assertEqual((await ask(port, path)).text, text)
            self.assertEqual((await ask(server.port, path)).text, text)
        answer = await ask(port, "/metrics")
        self.assertEqual((answer.status, answer.headers["content-type"]), (200, "text/plain; version=0.0.4; charset=utf-8"))
        answer = await ask(port, "/metrics", "Content-Length: 0", method="POST")
        self.assertEqual((answer.status, answer.headers["www-authenticate"][:5]), (401, "Basic"))
        self.assertEqual((await ask(server.port, "/metrics")).status, 404, "the port of the pages has none")

    async def test_elsewhere_all_but_health_needs_the_token(self):
        server, port = await self.watched(address="0.0.0.0")
        password = base64.b64encode(f"anybody:{token}".encode()).decode()

        self.assertEqual((await ask(port, "/healthz")).text, "ok\n")
        self.assertEqual((await ask(port, "/readyz")).text, "ready\n")
        for path in ("/metrics", "/", "/musubi.js", "/none"):
            answer = await ask(port, path)
            self.assertEqual((path, answer.status, answer.headers["www-authenticate"][:5]), (path, 401, "Basic"))
        self.assertEqual((await ask(port, "/metrics", f"Authorization: Bearer {token[:-1]}")).status, 401)
        self.assertEqual((await ask(port, "/metrics", f"Authorization: Bearer {token}")).status, 200)
        self.assertEqual((await ask(port, "/", "Content-Length: 0", f"Authorization: Bearer {token}", method="POST")).status, 405)
        answer = await ask(port, "/", f"Authorization: Basic {password}")
        self.assertEqual(answer.status, 200)
        cookie = answer.headers["set-cookie"].split(";")[0]
        self.assertNotIn(token, answer.headers["set-cookie"])
        self.assertIn("HttpOnly; SameSite=Strict", answer.headers["set-cookie"])

        with self.assertRaises(Refused) as refused:
            await Wire.connect(port, "/live/status")
        self.assertIn("401", refused.exception.args[0])
        wire = await Wire.connect(port, "/live/status", cookie=cookie, name="localhost")  # with an Origin, as a browser's page
        self.assertIn("hello", await wire.receive())
        wire.abort()
        self.assertEqual((await ask(port, "/", "Content-Length: 0", f"Cookie: {cookie}", method="POST")).status, 401)

    async def test_rooms_are_shown_to_who_may_look_if_that_is_asked_for(self):
        server, port = await self.watched()
        self.assertEqual((await ask(port, "/inspector")).status, 404)
        with self.assertRaises(Refused):
            await Wire.connect(port, "/live/inspector")

        server, port = await self.watched("--inspect", address="0.0.0.0")
        for path in ("/inspector", "/musubi-inspector.css"):
            self.assertEqual((await ask(port, path)).status, 401)
            self.assertEqual((await ask(port, path, f"Authorization: Bearer {token}")).status, 200)
        self.assertEqual((await ask(server.port, "/inspector")).status, 404, "the port of the pages has none")
        with self.assertRaises(Refused) as refused:
            await Wire.connect(port, "/live/inspector")
        self.assertIn("401", refused.exception.args[0])

    async def test_it_speaks_tls_where_others_could_listen(self):
        folder = tempfile.TemporaryDirectory(prefix="musubi-tls-")
        self.addCleanup(folder.cleanup)
        files = certificate(pathlib.Path(folder.name))
        options = ["--tls-certificate", str(files[0]), "--tls-key", str(files[1])]
        context = ssl.create_default_context(cafile=files[0])

        _, port = await self.watched(*options, address="0.0.0.0")
        answer = await ask(port, "/", f"Authorization: Bearer {token}", tls=context)
        self.assertEqual(answer.status, 200)
        self.assertIn("; Secure", answer.headers["set-cookie"])
        with self.assertRaises(OSError):
            await ask(port, "/healthz")
        _, port = await self.watched(*options)
        self.assertEqual((await ask(port, "/healthz")).text, "ok\n")

    async def test_at_a_signal_it_shows_the_new_certificate(self):
        folder = tempfile.TemporaryDirectory(prefix="musubi-tls-")
        self.addCleanup(folder.cleanup)
        pairs = []
        for number in range(2):
            place = pathlib.Path(folder.name) / str(number)
            place.mkdir()
            pairs.append(certificate(place))
        options = ["--tls-certificate", str(pairs[0][0]), "--tls-key", str(pairs[0][1])]
        contexts = [ssl.create_default_context(cafile=file) for file, _ in pairs]
        server, port = await self.watched(*options, address="0.0.0.0")
        near, near_port = await self.watched(*options)

        async def reload(server, count):
            """Sends the signal, and waits until so many ports have said that they read the pair."""
            before = len(server.output)
            server.process.send_signal(signal.SIGHUP)
            async with asyncio.timeout(30):
                while sum("certificate changed" in line for line in server.output[before:]) < count:
                    await asyncio.sleep(0.01)

        # Nothing has changed, so that it is the signal that brings this about: of both ports, and of one where the other is plain.
        await reload(server, 2)
        await reload(near, 1)
        self.assertEqual((await ask(port, "/healthz", tls=contexts[0])).text, "ok\n")
        self.assertEqual((await ask(near_port, "/healthz")).text, "ok\n")
        for old, new in zip(pairs[0], pairs[1]):
            new.replace(old)
        await reload(server, 2)

        for each in (port, server.port):
            self.assertEqual((await ask(each, "/healthz", tls=ssl.create_default_context(cafile=pairs[0][0]))).text, "ok\n")
            with self.assertRaises(ssl.SSLCertVerificationError):
                await ask(each, "/healthz", tls=contexts[0])

    async def test_a_socket_that_is_handed_over_by_name_is_the_admin_port(self):
        # systemd gives the socket of the pages its unit's name, and sends them in no certain order.
        sockets = {"admin": Server.listening(), "gallery.socket": Server.listening()}
        port = sockets["admin"].getsockname()[1]
        server = await self.server(named=sockets)
        await asyncio.wait_for(server.said(f"admin http://127.0.0.1:{port}"), 30)

        self.assertEqual((await ask(port, "/metrics")).status, 200)
        self.assertEqual((await ask(server.port, "/metrics")).status, 404)
        page = await self.page(server, "counter")
        await self.tap([page], 3)
        # Who comes while the process is replaced waits, at both.
        self.assertEqual(await server.stop(), 0, self.explain(server))
        waiting = [asyncio.ensure_future(ask(each, "/readyz")) for each in (port, server.port)]
        await server.start()
        for answer in await asyncio.gather(*waiting):
            self.assertIn(answer.text, ("starting\n", "ready\n"))

    async def test_where_others_reach_the_socket_that_is_handed_over_it_needs_the_token(self):
        file = tempfile.NamedTemporaryFile("w", prefix="musubi-token-")  # of mode 0600
        self.addCleanup(file.close)
        file.write(token)
        file.flush()
        sockets = {"admin": Server.listening(address="0.0.0.0"), "public": Server.listening()}
        port = sockets["admin"].getsockname()[1]

        # What `--admin` says does not count beside it.
        server = await self.server("--admin-token", file.name, "--admin", "127.0.0.1:0", named=sockets)

        await asyncio.wait_for(server.said(f"admin http://0.0.0.0:{port}"), 30)
        self.assertEqual((await ask(port, "/metrics")).status, 401)
        self.assertEqual((await ask(port, "/metrics", f"Authorization: Bearer {token}")).status, 200)

    async def test_sockets_that_cannot_be_what_their_names_say_end_the_start(self):
        plain = socket.socket()
        for named, sentence in (
            ({"admin": Server.listening(address="0.0.0.0"), "": Server.listening()}, "--admin on 0.0.0.0 can be reached from other machines: name "
                "a file with a token by --admin-token, or listen on 127.0.0.1."),
            ({"metrics": Server.listening(), "": Server.listening()}, 'LISTEN_FDNAMES names a socket "metrics"; this server knows admin, and '
                "public or no name: see FileDescriptorName= of its socket's unit."),
            ({"admin": plain, "": Server.listening()}, "descriptor 3, which was handed over, is no listening TCP socket"),
        ):
            server = await self.server(start=False, named=named)
            with self.assertRaises(AssertionError):
                await server.start()
            self.assertTrue(any(sentence in line for line in server.output), server.output)

    async def test_foreign_names_and_pages_are_refused(self):
        for address in ("127.0.0.1", "0.0.0.0"):
            _, port = await self.watched("--allow-host", "status.example", address=address)
            proof = [f"Authorization: Bearer {token}"]
            self.assertEqual((await ask(port, "/metrics", *proof, host="evil.example")).status, 403)
            self.assertEqual((await ask(port, "/metrics", *proof, "Origin: http://evil.example")).status, 403)
            self.assertEqual((await ask(port, "/metrics", *proof, host="status.example")).status, 200)
            with self.assertRaises(Refused) as refused:
                await Wire.connect(port, "/live/status", name="evil.example")
            self.assertIn("403", refused.exception.args[0])

    async def test_who_guesses_the_token_is_not_heard_any_more(self):
        server, port = await self.watched(address="0.0.0.0")

        answers, closed = 0, 0
        while not closed and answers < 1_000:
            try:
                answer = await ask(port, "/metrics", f"Authorization: Bearer {answers:026}")
                self.assertEqual((answer.status, answer.headers["connection"]), (401, "close"))
                answers += 1
            except OSError:
                closed += 1

        self.assertTrue(closed, "all guesses are answered")
        self.assertGreaterEqual(answers, 80)
        await asyncio.wait_for(server.said("refused", "reason=wrong-token", "peer=a:127.0.0.1"), 30)

    async def test_a_loop_that_is_blocked_shows_and_silences_nobody(self):
        server, port = await self.watched("--loops", "2")
        pages = await self.pages(server, 8, "burn", str)

        for page in pages:
            page.input("burn", value=3_000)

        def lag(found):
            return max(found[f'musubi_loop_lag_seconds{{loop="{loop}"}}'] for loop in range(2))

        slow = await self.until(port, lambda found: lag(found) > 2)
        began = asyncio.get_running_loop().time()
        self.assertEqual((await ask(port, "/healthz")).text, "ok\n")
        self.assertLess(asyncio.get_running_loop().time() - began, 2, "as long as nobody waits for the blocked loop")
        for page in pages:
            await page.until(lambda: not page.unconfirmed, 120)
        after = await self.until(port, lambda found: lag(found) < 0.5)
        self.assertGreaterEqual(after['musubi_hand_over_duration_seconds_sum{screen="burn"}'], 3)
        print(f"\n{self._testMethodName}: the lag was {lag(slow):.2f} s, and is {1000 * lag(after):.2f} ms", file=sys.stderr)

    async def test_what_is_refused_is_counted_by_reason(self):
        server, port = await self.watched("--loops", "2", "--trust-proxy", "127.0.0.0/8", "--sessions-per-second", "1")
        answers = {"too-many": 0}
        for number in range(300):
            try:
                wire = await Wire.connect(server.port, f"/live/counter?room={number % 10}", address="198.51.100.66")
                wire.abort()
                word = "taken"
            except Refused as refused:
                word = refused.body["code"]
            except (Closed, OSError):
                word = "closed"
            answers[word] = answers.get(word, 0) + 1

        self.assertGreater(answers["too-many"], 0)

        def count(found, *reasons):
            return sum(found.get(f'musubi_refusals_total{{reason="{reason}"}}', 0) for reason in reasons)

        # A report may have been made between the refusals.
        found = await self.until(port, lambda found: count(found, "too-many-sessions") == answers["too-many"] and count(
            found, "closed-unanswered", "closed-unheard") >= answers.get("closed", 0))
        self.assertEqual(count(found, "closed-unanswered", "closed-unheard"), answers.get("closed", 0))

    async def test_readiness_tells_that_the_server_goes(self):
        server, port = await self.watched()
        _, writer = await asyncio.open_connection("127.0.0.1", server.port)  # whose first request is waited for
        self.addCleanup(writer.close)
        await self.until(port, lambda found: "musubi_draining" in found)

        server.process.terminate()
        async with asyncio.timeout(30):
            while (answer := await ask(port, "/readyz")).status == 200:
                await asyncio.sleep(0.01)

        self.assertEqual((answer.status, answer.text), (503, "restarting\n"))
        self.assertEqual((await ask(port, "/healthz")).text, "ok\n")
        await self.until(port, lambda found: found["musubi_draining"] == 1)
        self.assertEqual(await server.ended(), 0)

    async def test_what_keeps_the_port_from_opening_is_told_in_one_sentence(self):
        server, port = await self.watched()
        for options, sentence in (
            (["--admin", str(port)], f"Port {port} on 127.0.0.1 is taken by another program; choose another with --admin, or 0 for any."),
            (["--admin", "127.0.0.1"], "--admin takes a port, or an address and a port such as 127.0.0.1:9090 or [::1]:9090, "
                                       'but "127.0.0.1" came.'),
            (["--admin", "0.0.0.0:0"], "--admin on 0.0.0.0 can be reached from other machines: name a file with a token by "
                                       "--admin-token, or listen on 127.0.0.1."),
            (["--inspect"], "--inspect shows rooms on the admin port: name one by --admin."),
            (["--admin", "0.0.0.0:0", "--admin-token", "/none"], 'The file "/none" of --admin-token cannot be read: No such file or directory.'),
        ):
            other = await self.server(*options, start=False)
            with self.assertRaises(AssertionError):
                await other.start()
            lines = [re.sub(r"^[\w-]+: ", "", line) for line in other.output if "admin listening" not in line]
            self.assertEqual(lines, [sentence], other.output)
