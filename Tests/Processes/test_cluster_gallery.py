# SPDX-License-Identifier: Apache-2.0
"""The gallery on several servers with one database: log-ins, codes, boards, files and who is here are the same at all of them."""

import asyncio
import hashlib
import json
import os
import pathlib
import re
import shutil
import tempfile
import unittest
import urllib.parse
import urllib.request

from cluster_case import ClusterCase
from servers import program, root
from wire import Page, Refused, Wire

gallery = str(pathlib.Path(program).with_name("gallery"))


class ClusterGallery(ClusterCase):
    async def ask(self, node, method, path, body=b"", cookie="", **fields):
        """What a server answers to a request."""
        fields = {"Host": "localhost", "Cookie": cookie, "Content-Length": len(body), "Connection": "close"} | fields
        reader, writer = await asyncio.open_connection("127.0.0.1", node.port)
        head = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in fields.items() if value != "")
        writer.write(f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode() + body)
        answer = (await asyncio.wait_for(reader.read(), 30)).decode()
        writer.close()
        return answer

    async def post(self, node, path, fields, cookie=""):
        """What a server answers to a form."""
        form = urllib.parse.urlencode(fields).encode()
        return await self.ask(node, "POST", path, form, cookie, Content_Type="application/x-www-form-urlencoded")

    async def log_in(self, node, **fields):
        """The cookie of a visitor of the gallery."""
        answer = await self.post(node, "/log-in.html", fields)
        self.assertIn("303", answer.splitlines()[0])
        return next(line for line in answer.splitlines() if line.lower().startswith("set-cookie:")).split(None, 1)[1].split(";")[0]

    async def test_any_server_opens_what_another_one_has_sealed(self):
        for _ in range(2):
            await self.node(program=gallery)
        await self.shared_by(2)
        for node in self.nodes:
            cookie = await self.log_in(node, person="Ann")
            for other in self.nodes:
                page = await self.visitor(other, cookie, "q1", "quiz")  # for those who have logged in alone
                self.assertEqual(page.starts, 1)

    async def script(self, *words, program=gallery):
        """Runs scripts."""
        process = await asyncio.create_subprocess_exec(
            program, "script", "--deadline", "20s", *map(str, words), cwd=root,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT)
        said = (await asyncio.wait_for(process.communicate(), 300))[0].decode()
        self.assertEqual(process.returncode, 0, said[-3000:])

    async def cluster(self, *words):
        """What the operator's command prints."""
        process = await asyncio.create_subprocess_exec(
            gallery, "cluster", *map(str, words), "--cluster", self.engine.url,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT)
        said = (await asyncio.wait_for(process.communicate(), 60))[0].decode()
        self.assertEqual(process.returncode, 0, said)
        return said

    async def metric(self, node, name):
        """A value that a server tells about itself."""
        port = next(int(line.rsplit(":", 1)[1]) for line in node.output if line.startswith("admin "))
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET /metrics HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n")
        text = (await asyncio.wait_for(reader.read(), 60)).decode()
        writer.close()
        return next(line.split()[-1] for line in text.splitlines() if line.startswith(name))

    async def test_an_operator_takes_along_a_file_looks_at_the_servers_and_empties_one(self):
        alone = await self.server()
        page = await self.left_page(alone, "counter", "tea")
        session = page.session
        await alone.stop()
        self.assertIn("Imported: ", await self.cluster("import", pathlib.Path(alone.data) / "sessions.sqlite"))

        await asyncio.gather(*(self.node("--admin", "0") for _ in range(3)))
        await self.shared_by(3)
        page.port = self.nodes[1].port
        await self.come_back(page)
        self.assertEqual((page.session, page.starts), (session, 1), "it goes on with its session")
        lines = (await self.cluster("status")).splitlines()
        self.assertEqual(sorted(re.search(r"(136\d) slots .* alive", line)[1] for line in lines), ["1365", "1365", "1366"])
        for node in self.nodes:
            self.assertEqual(await self.metric(node, "musubi_nodes"), "3")
            while await self.metric(node, "musubi_node_slots") not in ("1365", "1366"):
                await asyncio.sleep(0.1)  # a report is a second old at most
            while float(await self.metric(node, "musubi_node_heartbeat_age_seconds")) > 1:
                await asyncio.sleep(0.1)
            self.assertEqual(await self.metric(node, "musubi_refused_slots_total"), "0")

        number = lines[0].split()[0]
        self.assertEqual(await self.cluster("drain", number), f"Server {number} gives its slots away.\n")
        await self.shared_by(2)
        line = next(line for line in (await self.cluster("status")).splitlines() if line.startswith(number))
        self.assertRegex(line, r" 0 slots .* gives its slots away")
        await page.until(lambda: page.is_ready)
        self.assertEqual(page.starts, 1)

    async def test_every_script_behind_one_address(self):
        uploads, folder = tempfile.TemporaryDirectory(), tempfile.TemporaryDirectory()
        self.addCleanup(uploads.cleanup)
        self.addCleanup(folder.cleanup)
        proxy = await self.three("--upload-folder", uploads.name, program=gallery)
        url = f"http://127.0.0.1:{proxy.port}"
        scripts = pathlib.Path(shutil.copytree(root / "Tests/Scripts", folder.name, dirs_exist_ok=True))
        contents = scripts / "contents.musubi"
        contents.write_text(contents.read_text().partition("\nkill server")[0] + "\n")
        # Those that say who somebody is, or kill the server, have one of their own, which is the fourth. No slot goes to an older
        # build, so that no page is sent away: a script's page does not come back by itself.
        older = pathlib.Path(folder.name) / "older-gallery"
        shutil.copy(gallery, older)
        os.utime(older, (os.stat(gallery).st_mtime - 100,) * 2)
        alone = {scripts / f"{name}.musubi" for name in ("form", "note", "quiz", "restart", "studio")}
        # These find an empty list, which they share; the first one leaves one behind.
        dialogs, navigation = scripts / "dialogs.musubi", scripts / "navigation.musubi"
        others = set(scripts.glob("*.musubi")) - alone - {dialogs, contents, navigation}
        await self.script("--url", url, dialogs, *sorted(others), contents)
        await self.script(
            *sorted(alone), "--", "--cluster", self.engine.url, "--upload-folder", uploads.name, program=older)

        await self.engine.tell("stop")
        await self.engine.tell("start")
        for node in self.nodes:
            await node.kill()
            await node.start()
        await self.shared_by(3)
        contents.write_text(
            'open c /contents\nexpect c.contents[0].title = "Second"\nexpect c.contents.count = 1\n'
            'tap c.contents[0].delete\nexpect c.dialog = "askDelete"\nanswer c "confirmDelete"\nexpect c.contents.count = 0\n')
        await self.script("--url", url, contents, navigation)

    async def test_a_board_is_there_when_its_room_has_gone(self):
        proxy = await self.three("--room-lifetime", "1", "--session-lifetime", "1", program=gallery)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        script = pathlib.Path(folder.name) / "board.musubi"
        url = f"http://127.0.0.1:{proxy.port}"
        script.write_text("open a /board?room=kept\ntap a.add\nexpect a.cards.count = 1\n"
                          "tap a.add\nexpect a.cards.count = 2\n")
        await self.script("--url", url, script)

        async def gone():
            while int(await self.engine.sql("SELECT count(*) FROM musubi.record WHERE key LIKE '%board%kept%'")):
                await asyncio.sleep(0.2)
        await asyncio.wait_for(gone(), 60)
        script.write_text("open a /board?room=kept\nexpect a.cards.count = 2\ntap a.add\nexpect a.cards.count = 3\n")
        await self.script("--url", url, script)

    async def test_a_log_in_that_was_ended_is_one_on_all_servers(self):
        for _ in range(2):
            await self.node(program=gallery)
        await self.shared_by(2)
        cookie = await self.log_in(self.nodes[0], person="Ann")
        await self.visitor(self.nodes[1], cookie, "q1", "quiz")
        answer = await self.post(self.nodes[1], "/log-out", {}, cookie)
        self.assertIn("303", answer.splitlines()[0])

        for node in self.nodes:
            with self.assertRaises(Refused):
                await (await Wire.connect(node.port, "/live/quiz?room=q2", cookie=cookie)).receive()

    async def test_a_code_leads_to_its_quiz_from_all_servers(self):
        proxy = await self.three(program=gallery)
        cookie = await self.log_in(self.nodes[0], person="Ann")
        host = await self.visitor(proxy, cookie, "tea", "quiz")
        def shown():
            return host.state.get("scene/code") or host.state["scene"].get("code")
        host.input("host")
        await host.until(shown)
        code = shown()
        async def is_told():
            # Who asks for it too often meanwhile is taken for somebody who guesses.
            while not (await self.engine.sql(f"SELECT 1 FROM gallery.quiz_code WHERE code = '{code}'")).strip():
                await asyncio.sleep(0.1)
        await asyncio.wait_for(is_told(), 60)
        for node in self.nodes:
            self.assertIn("room=tea", await self.post(node, "/quiz/join", {"code": code}, cookie))
        owner = await self.owner("tea", "quiz")
        await owner.kill()
        proxy.ports.remove(owner.port)  # where this test listens on
        proxy.next = 0
        await host.until(lambda: host.is_ready and shown() == code)
        for node in self.nodes:
            if node is not owner:
                self.assertIn("room=tea", await self.post(node, "/quiz/join", {"code": code}, cookie))

    async def part(self, proxy, method, path, body=b"", **fields):
        """What some server answers about an upload: the status, and its fields."""
        head = (await self.ask(proxy, method, path, body, Tus_Resumable="1.0.0", **fields)).split("\r\n\r\n")[0].split("\r\n")
        return int(head[0].split()[1]), {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:])}

    async def test_a_file_that_different_servers_receive(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        proxy = await self.three("--upload-folder", folder.name, program=gallery)
        pages = [await Page(proxy.port, "studio", None, self.random).open() for _ in self.nodes]
        for page in pages:
            self.addAsyncCleanup(page.close)
        data = b"\x89PNG\r\n\x1a\n" + self.random.randbytes(1_500_000)
        address = pages[0].uploads["file"]["to"]
        status, fields = await self.part(proxy, "POST", address, Upload_Length=len(data), Upload_Metadata="filename dGVhLnBuZw==")
        self.assertEqual(status, 201)
        place, offset, size = fields["location"], 0, 200_000
        while offset < len(data):
            status, fields = await self.part(
                proxy, "PATCH", place, data[offset:offset + size], Upload_Offset=offset,
                Content_Type="application/offset+octet-stream")
            self.assertEqual((status, fields["upload-offset"]), (204, str(min(len(data), offset + size))))
            offset += size
            if offset == 800_000:
                victim = self.nodes[proxy.next]  # it has taken the last part
                await victim.kill()
                proxy.ports.remove(victim.port)  # where this test listens on
                proxy.next = 0
                status, fields = await self.part(proxy, "HEAD", place)
                self.assertEqual((status, fields["upload-offset"]), (200, str(offset)))
                status, _ = await self.part(
                    proxy, "PATCH", place, data[:9], Upload_Offset=0, Content_Type="application/offset+octet-stream")
                self.assertEqual(status, 409)
        pages[0].input("file", value=place.rsplit("/", 1)[1])

        def pictures(page):
            return re.findall(r"/studio/pictures/[0-9a-f]+\.png", json.dumps(page.state))
        await asyncio.gather(*(page.until(lambda page=page: page.is_ready and pictures(page)) for page in pages))
        self.assertEqual(pages[0].errors, [])
        await victim.start()
        for node in self.nodes:
            with urllib.request.urlopen(f"http://127.0.0.1:{node.port}{pictures(pages[0])[0]}", timeout=30) as response:
                self.assertEqual(hashlib.sha256(response.read()).digest(), hashlib.sha256(data).digest())

    async def test_who_is_in_a_room_is_told_on_all_servers(self):
        proxy = await self.three(program=gallery)
        rooms = ["a", "b", "c"]

        async def watch(node, room):
            page = Page(node.port, "source", None, self.random)
            page.target = lambda resumes: f"/live/source?screen=note&in={room}" + ("&resume=1" if resumes else "")
            self.addAsyncCleanup(page.close)
            return await page.open()

        async def told(count):
            for page in watchers:
                await page.until(lambda page=page: page.is_ready and page.state["here"] == count)

        watchers = [await watch(node, room) for node in self.nodes for room in rooms]
        guests = [await self.page(proxy, "note", room) for room in rooms for _ in range(4)]
        await told(4)
        for page in guests[::4]:
            await page.close()
        await told(3)

        owner = await self.owner("a", "note")
        await owner.kill()
        await owner.start()
        left = [page for page in guests if page not in guests[::4]]
        await asyncio.gather(*(page.until(lambda page=page: page.is_ready) for page in left))
        await told(3)
        self.assertTrue(all(len(page.returns) > 1 for page in left if page.room == "a"), "they were away")


if __name__ == "__main__":
    unittest.main()
