# SPDX-License-Identifier: Apache-2.0
"""deploy/cluster: three servers behind nginx, of which the page beside them kills one, and a page of the gallery goes on."""

import asyncio
import glob
import http.client
import os
import pathlib
import re
import signal
import sys
import unittest

from case import ProcessCase
from servers import root

gallery = pathlib.Path(os.environ.get("MUSUBI_GALLERY", root / ".build/release/gallery"))


class Port:
    """What a page connects to."""

    def __init__(self, port):
        self.port = port


class ClusterCommand(ProcessCase):
    async def asyncSetUp(self):
        await super().asyncSetUp()
        for name, program in (("PostgreSQL", "/usr/lib/postgresql/*/bin/postgres"), ("nginx", "/usr/sbin/nginx")):
            if not glob.glob(program):
                print(f"\nNOT TESTED: deploy/cluster needs {name}, and {program} is missing", file=sys.stderr)
                self.skipTest(f"{name} is missing")
        self.process = await asyncio.create_subprocess_exec(
            str(root / "deploy/cluster"), "--port", "0", "--program", str(gallery), stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT, start_new_session=True)
        self.addAsyncCleanup(self.end)
        self.output, ports = "", {}
        async with asyncio.timeout(300):
            while "servers" not in ports:
                line = (await self.process.stdout.readline()).decode()
                self.assertTrue(line, f"deploy/cluster has ended: {self.output}")
                self.output += line
                if found := re.match(r"  (\w+) +http://localhost:(\d+)/", line):
                    ports[found[1]] = int(found[2])
        self.proxy, self.beside = Port(ports["gallery"]), ports["servers"]

    async def end(self):
        if self.process.returncode is None:
            self.process.send_signal(signal.SIGINT)
        async with asyncio.timeout(60):
            self.output += (await self.process.stdout.read()).decode()
            return await self.process.wait()

    def ask(self, method, path, **headers):
        """The status and the text of an answer of the page beside the servers."""
        connection = http.client.HTTPConnection("127.0.0.1", self.beside, timeout=30)
        try:
            connection.request(method, path, headers={name.replace("_", "-"): value for name, value in headers.items()})
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()

    async def shows(self, pattern):
        """Waits until the page beside the servers shows something, and answers with the match."""
        async with asyncio.timeout(120):
            while not (found := re.search(pattern, (await asyncio.to_thread(self.ask, "GET", "/"))[1])):
                await asyncio.sleep(0.2)
        return found

    def children(self):
        """The processes that it has started, and theirs."""
        found = [self.process.pid]
        for pid in found:
            for task in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
                found += map(int, task.read_text().split())
        return found[1:]

    async def type(self, page, text):
        page.input("number", value=text)
        await page.until(lambda: not page.unconfirmed and page.state["number"] == text)

    async def test_a_page_goes_on_when_the_server_with_its_room_is_killed(self):
        origin = {"Origin": f"http://127.0.0.1:{self.beside}"}
        # Until rooms move no more: the server that is killed has this one.
        await self.shows(r"(?s)<dd>1,\d+</dd>.*<dd>1,\d+</dd>.*<dd>1,\d+</dd>")
        page = await self.page(self.proxy, "number", "tea")
        await self.type(page, "12")
        number = (await self.shows(r"tea</span><span>Server (\d)</span>"))[1]

        # Somebody else's page cannot press the button, by whatever name it calls this machine.
        self.assertEqual(self.ask("POST", f"/kill?server={number}")[0], 403)
        self.assertEqual(self.ask("POST", f"/kill?server={number}", Origin="http://example.org")[0], 403)
        self.assertEqual(self.ask("POST", f"/kill?server={number}", Origin="http://example.org", Host="example.org")[0], 421)
        self.assertEqual(self.ask("GET", "/", Host="example.org")[0], 421)
        self.assertNotIn("killed", self.ask("GET", "/")[1].split("</style>")[1])

        self.assertEqual(self.ask("POST", f"/kill?server={number}", **origin)[0], 303)
        await self.shows(f'action="/start\\?server={number}"')
        await self.type(page, "34")
        other = (await self.shows(r"tea</span><span>Server (\d)</span>"))[1]
        self.assertNotEqual(other, number)
        self.assertEqual((page.starts, page.errors), (1, []), "the page keeps its session")

        self.assertEqual(self.ask("POST", f"/start?server={number}", **origin)[0], 303)
        await self.shows(r'(?s)class="ready".*class="ready".*class="ready"')
        late = await self.page(self.proxy, "number", "tea")
        self.assertEqual(late.state["number"], "34")

    async def test_the_page_speaks_japanese_and_all_ends_with_ctrl_c(self):
        text = self.ask("GET", "/?still", Accept_Language="ja,en;q=0.5")[1]
        self.assertIn('<html lang="ja">', text)
        self.assertIn("もう一度起動" if "/start?" in text else "強制終了", text)
        self.assertNotIn("http-equiv", text)
        started = self.children()
        # Three servers, two PostgreSQLs with processes of their own, the script that started these, nginx with a worker.
        self.assertGreater(len(started), 10)

        self.assertEqual(await self.end(), 0, self.output)

        self.assertEqual([pid for pid in started if pathlib.Path(f"/proc/{pid}").exists()], [])
        self.assertNotIn("Traceback", self.output)


if __name__ == "__main__":
    unittest.main()
