# SPDX-License-Identifier: Apache-2.0
"""A store in PostgreSQL: kills of the server and of the database, and an owner that does not know that it is none any more."""

import asyncio
import os
import pathlib
import signal
import sys
import unittest

from case import EngineCase
from servers import Engine, Server, is_long


class Postgres(EngineCase):
    async def node(self, url=None, **settings):
        """A server on the database, whose socket outlives its process."""
        return await self.server("--store", url or self.engine.url, listener=Server.listening(), **settings)

    async def test_fifty_pages_tap_a_counter_over_many_kills_of_the_server(self):
        server = await self.node()

        async def kill_and_start():
            await server.kill()
            await server.start()

        count = 100 if is_long else 3
        await self.tap_over(count, server, kill_and_start)

        self.assertEqual(await self.engine.sql("SELECT max(generation) FROM musubi.fence"), str(count + 1))
        await server.kill()
        self.assertEqual(await server.store("list"), "No strikes.\nNo room is put aside.\n", "at once: its folder is free")

    async def test_fifty_pages_tap_a_counter_over_many_kills_of_the_database(self):
        server = await self.node()
        pid = server.pid

        async def kill_and_start():
            await self.engine.tell("kill")
            await asyncio.sleep(0.3 * self.random.random())
            await self.engine.tell("start")

        await self.tap_over(100 if is_long else 3, server, kill_and_start)

        self.assertEqual(server.pid, pid)
        await server.said("store back")

    async def test_fifty_pages_tap_a_counter_over_many_promotions_of_a_standby(self):
        await self.engine.tell("standby")
        server = await self.node(url=self.engine.either)
        pid = server.pid

        async def promote():
            await self.engine.tell("promote")
            await self.engine.tell("standby")

        await self.tap_over(20 if is_long else 2, server, promote)

        self.assertEqual(server.pid, pid)
        self.assertEqual(await self.engine.sql("SELECT max(generation) FROM musubi.fence"), "1")

    async def test_a_server_takes_along_what_it_has_in_its_file(self):
        server = await self.server(listener=Server.listening())
        page = await self.left_page(server, "counter", "tea")
        session = page.session
        await server.stop()
        command = ("import", "--store", self.engine.url)

        self.assertEqual(await server.store(*command), "Imported: 1 room, 1 session, 0 strikes, 0 rooms put aside.\n")
        self.assertIn("is not empty", await server.store(*command))
        server.options = (*server.options, "--store", self.engine.url)
        await server.start()
        await self.come_back(page)

        self.assertEqual(page.session, session, "it goes on with its session")
        page.input("tap")
        await page.until(lambda: not page.unconfirmed)
        fresh = await self.page(server, "counter", "tea")
        self.assertEqual(fresh.state["label"], "2")

    async def test_an_owner_that_was_stopped_stores_nothing_when_it_goes_on(self):
        # Each has a port of its own, which goes with it.
        nodes = [await self.server("--store", self.engine.url)]
        lost = refused = 0

        async def stop_and_take_over():
            nonlocal lost, refused
            old = nodes[-1]
            os.kill(old.pid, signal.SIGSTOP)
            nodes.append(await self.server("--store", self.engine.url))  # waits until the other one is silent
            os.kill(old.pid, signal.SIGCONT)
            self.assertEqual(await old.ended(), 1, self.explain(old))
            await old.said("store lost", "Another node has taken the store")
            lost += 1
            # It may have found out by a commit, with what its pages had sent meanwhile, or by its next sign of life.
            refused += any("store lost" in line and "was refused" in line for line in old.output)
            return nodes[-1]

        await self.tap_over(20 if is_long else 1, nodes[0], stop_and_take_over)

        self.assertEqual(lost, len(nodes) - 1)
        print(f"\n{self._testMethodName}: {refused} of {lost} went on until a commit was refused", file=sys.stderr)
        if is_long:
            self.assertGreaterEqual(refused, 1, "Nobody went on.")
        self.assertEqual(await self.engine.sql("SELECT max(generation) FROM musubi.fence"), str(len(nodes)))

    async def test_a_commit_that_waits_for_a_take_over_is_refused(self):
        server = await self.node()
        refused = set()

        async def take_over():
            # Commits wait for the row, and then find that it is another owner's.
            await self.engine.sql(
                "BEGIN; UPDATE musubi.fence SET generation = generation + 1, node = NULL; SELECT pg_sleep(0.3); COMMIT")
            self.assertEqual(await server.ended(), 1, self.explain(server))
            refused.update(line for line in server.output if "store lost" in line and "was refused" in line)
            await server.start()

        await self.tap_over(20 if is_long else 2, server, take_over)

        print(f"\n{self._testMethodName}: {len(refused)} commits were refused", file=sys.stderr)
        self.assertGreaterEqual(len(refused), 1, "Nothing was tested.")

    async def test_a_database_that_is_away_is_told_by_log_and_metrics_and_new_pages_begin(self):
        server = await self.server("--store", self.engine.url, "--admin", "0")
        page = await self.page(server, "counter", "away")
        page.input("tap")
        await page.until(lambda: not page.unconfirmed)

        await self.engine.tell("stop")
        page.input("tap")
        await server.said("store away", "commits wait")
        await page.until(lambda: page.state["label"] == "2")  # it is shown, and not confirmed
        other = await self.page(server, "counter", "other")
        self.assertEqual(other.state["label"], "0")
        self.assertTrue(page.unconfirmed)
        self.assertIn("musubi_store_failing 1", await self.metrics(server))

        await self.engine.tell("start")
        await page.until(lambda: not page.unconfirmed)
        await server.said("store back")
        while "musubi_store_failing 0" not in await self.metrics(server):
            await asyncio.sleep(0.05)

    async def test_a_password_is_in_no_list_of_processes_and_in_no_log(self):
        await self.engine.sql("CREATE ROLE locked; CREATE ROLE ann LOGIN SUPERUSER PASSWORD 'open sesame' IN ROLE locked")
        server = await self.server(start=False)
        file = pathlib.Path(server.data) / "url"
        file.write_text(f"postgres://ann:open%20sesame@/postgres?host={self.engine.folder}\n")
        file.chmod(0o600)
        server.options = ("--store-file", str(file), "--log-level", "debug")
        await server.start()

        page = await self.page(server, "counter", "secret")
        page.input("tap")
        await page.until(lambda: not page.unconfirmed)
        await self.engine.tell("kill")
        await server.said("store away")

        seen = pathlib.Path(f"/proc/{server.pid}/cmdline").read_text() + "\n".join(server.output)
        self.assertNotIn("sesame", seen)
        self.assertIn("--store-file", seen)

    async def metrics(self, server):
        port = next(int(line.rsplit(":", 1)[1]) for line in server.output if line.startswith("admin "))
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET /metrics HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n")
        text = (await asyncio.wait_for(reader.read(), 60)).decode()
        writer.close()
        return text


if __name__ == "__main__":
    unittest.main()
