# SPDX-License-Identifier: Apache-2.0
"""What happens in rooms is written down, and runs again against a program that is the same, or has a mistake."""

import asyncio
import os
import pathlib
import re
import stat
import tempfile
import unittest
import unittest.mock

from case import ProcessCase
from servers import program, root


class Record(ProcessCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="musubi-records-")
        self.addCleanup(folder.cleanup)
        self.records = pathlib.Path(folder.name) / "records"

    async def replay(self, file, *options, **environment):
        process = await asyncio.create_subprocess_exec(
            program, "replay", str(file), *options, cwd=root, env={**os.environ, **environment},
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT)
        output, _ = await process.communicate()
        return process.returncode, output.decode()

    def record(self, screen):
        files = list(self.records.glob(f"{screen}-*.record"))
        self.assertEqual(len(files), 1, list(self.records.iterdir()))
        return files[0]

    async def three(self, server, screen):
        return [await self.page(server, screen, "tea") for _ in range(3)]

    async def test_a_note_of_three_pages_is_the_same(self):
        server = await self.server("--record", str(self.records))
        pages = await self.three(server, "note")
        for word in ("one ", "two ", "three "):
            for page in pages:
                page.input("text", revision=0, edits=[[0, 0, word]])
            await asyncio.gather(*(page.until(lambda page=page: not page.unconfirmed) for page in pages))
        await asyncio.sleep(0.3)  # who types is shown a little later
        await server.stop()

        file = self.record("note")
        self.assertEqual(stat.S_IMODE(file.stat().st_mode), 0o600)
        self.assertEqual(stat.S_IMODE(self.records.stat().st_mode), 0o700)
        text = file.read_text()
        self.assertIn('"three "', text)
        status, output = await self.replay(file)
        self.assertEqual(status, 0, output)
        self.assertRegex(output, r"^All \d+ turns are the same, after \d\d events\.\n$")

        # The same record, as another program would have written it.
        file.write_text(text.replace("3 people: ", "3 visitors: "))
        status, output = await self.replay(file)
        self.assertEqual(status, 1, output)
        self.assertIn("output    people", output)
        self.assertIn('recorded  "3 visitors: ', output)
        self.assertIn('today     "3 people: ', output)

    async def test_a_planted_mistake_is_found_at_its_turn(self):
        server = await self.server("--record", str(self.records))
        pages = await self.three(server, "counter")
        for count in range(9):
            page = pages[count % 3]
            page.input("tap")
            await page.until(lambda page=page: not page.unconfirmed)
        await server.stop()

        file = self.record("counter")
        status, output = await self.replay(file)
        self.assertEqual(status, 0, output)
        status, output = await self.replay(file, MUSUBI_PLANTED="1")
        self.assertEqual(status, 1, output)
        self.assertIn("page 2 sends tap", output)
        self.assertIn('output    label\n  recorded  "5"\n  today     "6"', output)

    async def test_what_cannot_be_replayed_is_refused(self):
        file = self.records.parent / "none.record"
        status, output = await self.replay(file)
        self.assertEqual(status, 2, output)
        self.assertIn("there is no file", output)
        file.write_text("nothing of ours\n")
        status, output = await self.replay(file)
        self.assertEqual((status, "no head of a record" in output), (2, True), output)

    async def test_the_event_that_ends_the_process_is_the_last_of_its_record(self):
        # Whoever prints a backtrace gives other threads time.
        plain = unittest.mock.patch.dict(os.environ, SWIFT_BACKTRACE="enable=no")
        plain.start()
        self.addCleanup(plain.stop)
        server = await self.server("--record", str(self.records), is_supervised=True)
        page = await self.page(server, "trap", "tea")
        page.input("tap")
        await page.until(lambda: not page.unconfirmed)
        page.input("deadly")
        await page.until(lambda: page.errors)  # of the third process: two have ended
        await server.stop()
        last = [file.read_text().splitlines()[-1] for file in self.records.glob("trap-*.record")]
        self.assertEqual(sum('"name":"deadly"' in line and "refuse" not in line for line in last), 2, last)
        # The log of the next process names the record.
        told = [re.search(r" record=(\S+)", line) for line in server.output if "event ended the process" in line]
        ends = [pathlib.Path(match[1]).read_text().splitlines()[-1] for match in told if match]
        self.assertEqual((len(ends), all('"name":"deadly"' in end for end in ends)), (2, True), server.output)

    async def test_nothing_is_written_without_the_option(self):
        server = await self.server()
        page = await self.page(server, "counter", "tea")
        page.input("tap")
        await page.until(lambda: not page.unconfirmed)
        await server.stop()
        self.assertFalse(self.records.exists())

    async def test_records_stay_below_their_limit(self):
        server = await self.server("--record", str(self.records), "--record-limit", "1M")
        page = await self.page(server, "counter", "tea")
        for _ in range(20):
            for _ in range(100):
                page.input("tap")
            await page.until(lambda: not page.unconfirmed)
        await server.stop()
        file = self.record("counter")
        self.assertLess(file.stat().st_size, 2**20 / 8 + 1_000)
        status, output = await self.replay(file)
        self.assertEqual(status, 0, output)
        self.assertIn("as long as it may be", output)


if __name__ == "__main__":
    unittest.main()
