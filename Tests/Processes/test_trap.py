# SPDX-License-Identifier: Apache-2.0
"""Events that end a stored server whenever they are run: after two ends they are not run again."""

import asyncio
import os
import signal
import unittest

from case import ProcessCase
from servers import Server


class Trap(ProcessCase):
    async def supervised(self, *options):
        return await self.server(*options, is_supervised=True)

    async def ends_by_an_input(self, name, **members):
        """The input traps twice, and is then answered; what else was tapped, here and elsewhere, is there."""
        server = await self.supervised()
        page, other = await self.page(server, "trap", "one"), await self.page(server, "trap", "other")
        for each in (page, other, page):
            each.input("tap")
        page.input(name, **members)
        page.input("tap")
        await page.until(lambda: not page.unconfirmed)
        await other.until(lambda: other.is_ready)
        other.input("tap")
        await other.until(lambda: not other.unconfirmed)

        self.assertEqual([(error["code"], error["input"]) for error in page.errors], [("internal", 3)],
                         self.explain(server))
        self.assertEqual((page.state["label"], other.state["label"]), ("3", "2"))
        self.assertEqual((page.starts, other.starts), (1, 1))
        self.assertEqual(len(page.returns), 3, "the third process answers")
        await server.stop()
        return server

    async def test_a_tap_that_traps_is_refused_from_the_third_time_on(self):
        server = await self.ends_by_an_input("deadly")
        listed = await server.store("list")
        self.assertIn("No room is put aside.", listed)

    async def test_so_is_one_that_aborts(self):
        await self.ends_by_an_input("abort")

    async def test_so_is_one_that_fills_the_stack(self):
        await self.ends_by_an_input("overflow")

    async def test_an_edit_that_traps_is_refused_and_the_field_goes_on(self):
        server = await self.ends_by_an_input("text", revision=0, edits=[[0, 0, "!"]])
        await server.start()
        page = await self.page(server, "trap", "one")
        page.input("text", revision=1, edits=[[0, 0, "whole"]])  # behind the empty step that tells of the refusal
        await page.until(lambda: not page.unconfirmed)
        self.assertEqual((page.state["text.field"], page.errors), ("whole", []))

    async def test_so_is_an_edit_of_a_row(self):
        server = await self.supervised()
        page = await self.page(server, "trap", "one")
        page.input("title", row="7", sequence=0, edits=[[0, 0, "a "]])
        await page.until(lambda: not page.unconfirmed)
        page.input("title", row="7", revision=1, edits=[[5, 0, "!"]])
        page.input("tap")
        await page.until(lambda: not page.unconfirmed)
        page.input("title", row="7", revision=2, edits=[[5, 0, "?"]])  # it knows the empty step
        await page.until(lambda: page.state.get("rows/0/title") == "a row?")  # the patch, by its path

        self.assertEqual([(error["code"], error["input"]) for error in page.errors], [("internal", 2)],
                         self.explain(server))
        self.assertEqual((page.unconfirmed, page.state["label"]), ({}, "1"))
        self.assertEqual(len(page.returns), 3, "the third process answers")

    async def ends_by_its_room(self, place, kind, *following):
        """The room traps by itself: its state is put aside, its pages begin again, other rooms go on."""
        server = await self.supervised()
        page, other = await self.page(server, "trap", "one"), await self.page(server, "trap", "other")
        for each in (page, other):
            each.input("tap")
        await other.until(lambda: not other.unconfirmed)
        await page.until(lambda: not page.unconfirmed)
        page.input(place)
        if place != "output":  # which takes the process with it
            await page.until(lambda: not page.unconfirmed)
            for name in following:
                page.input(name)
            if not following:  # nothing of it happens before the next process
                os.kill(await self.child(server), signal.SIGKILL)
        await page.until(lambda: page.starts == 2 and page.is_ready)
        await other.until(lambda: other.is_ready)
        page.input("tap")
        await page.until(lambda: not page.unconfirmed)

        self.assertEqual((page.state["label"], other.state["label"]), ("1", "1"), self.explain(server))
        self.assertEqual(other.starts, 1)
        await server.stop()
        listed = await server.store("list")
        self.assertIn("No strikes.", listed)
        self.assertRegex(listed, rf"1  \S+  SIG\w+  {kind} of trap in room one, with 1 sessions")
        self.assertIn(f'"place" : "{place}"' if place != "output" else '"taps" : 1', await server.store("show", "1"))
        return server

    async def child(self, server):
        """The server's process, whose parent supervises it."""
        with open(f"/proc/{server.pid}/task/{server.pid}/children", encoding="ascii") as children:
            return int(children.read().split()[0])

    async def test_a_join_that_traps_puts_the_room_aside(self):
        server = await self.ends_by_its_room("join", "join")

        self.assertIn("Stored again: trap in room one.", await server.store("put-back", "1"))
        listed = await server.store("list")
        self.assertRegex(listed, r"2  \S+  SIG\w+  join of trap in room one", "what came since takes its place")
        self.assertIn('"taps" : 1', await server.store("show", "2"))
        self.assertIn("Deleted: room 2.", await server.store("delete", "2"))
        self.assertIn("No room is put aside.", await server.store("list"))

    async def test_a_timer_that_traps_puts_the_room_aside(self):
        await self.ends_by_its_room("timer", "timer", "later")

    async def test_an_answer_from_another_thread_that_traps_puts_the_room_aside(self):
        await self.ends_by_its_room("answer", "timer", "ask")

    async def test_a_stored_state_that_traps_puts_the_room_aside(self):
        await self.ends_by_its_room("restore", "restore")

    async def test_a_state_that_cannot_be_worked_out_puts_the_room_aside(self):
        await self.ends_by_its_room("output", "output")

    async def test_an_operator_sees_a_strike_and_lifts_it(self):
        server = await self.server()
        page = await self.page(server, "trap", "one")
        page.input("deadly")
        for _ in range(2):
            self.assertLess(await server.ended(), 0, "it died of a signal")
            await page.until(lambda: not page.is_ready)
            await page.close()
            await server.start()
            page.task = asyncio.ensure_future(page.stay())
        await page.until(lambda: not page.unconfirmed)
        await server.kill()  # acknowledged inputs are stored; the strike is there until the next start

        listed = await server.store("list")
        self.assertRegex(listed, rf"1  \S+  SIG\w+  input 1 of session {page.session} in trap in room one: is refused")
        self.assertIn("Lifted: strike 1.", await server.store("lift", "1"))
        self.assertIn("No strikes.", await server.store("list"))
        self.assertIn("There is no strike 1", await server.store("lift", "1"))


class Wait(ProcessCase):
    async def test_ends_in_a_row_make_the_next_process_wait_and_say_so(self):
        server = await self.server("--max-restart-wait", "1")
        for ends, wait in ((1, 0), (2, 1), (3, 1)):
            await server.kill()
            await server.start()
            await server.said("unclean end", f"ends={ends}", f'wait="{wait} s"')
        self.assertEqual(await server.stop(), 0)
        await server.start()
        await server.kill()
        server.output.clear()
        await server.start()
        await server.said("unclean end", "ends=1", 'wait="0 s"')

    async def test_a_process_that_waits_ends_when_it_is_asked_to_and_the_next_one_waits_as_long(self):
        server = await self.server()
        for _ in range(5):
            await server.kill()
            await server.start()
        await server.kill()
        server.options = ("--max-restart-wait", "3600")
        for _ in range(2):
            server.output.clear()
            starting = asyncio.ensure_future(server.start())
            await server.said('wait="16 s"')
            self.assertEqual(await server.stop(), 0)
            with self.assertRaises(AssertionError):
                await starting  # it has never listened


if __name__ == "__main__":
    unittest.main()
