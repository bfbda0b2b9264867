# SPDX-License-Identifier: Apache-2.0
"""Texts in rows, on a screen of their own: what Wire.md says in *Texts in rows*."""

import os
import pathlib
import subprocess
import unittest

import server
from musubi_client import Page

KEY = "/rows/1/title"


class TestScreens:
    """The server of the test screens, without data."""

    def __init__(self):
        root = pathlib.Path(__file__).resolve().parents[2]
        program = pathlib.Path(os.environ["MUSUBI_GALLERY"]).with_name("musubi-test-screens")
        command = [program, "--port", "0", "--public", root / "Tests/Screens/Public"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        for line in self.process.stdout:
            if line.startswith("listening "):
                self.address = line.split()[1]
                return
        raise RuntimeError(f"{program} ended without saying where it listens")

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=60)
        self.process.stdout.close()


class Rows(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = TestScreens()
        cls.addClassCleanup(cls.server.stop)

    def setUp(self):
        self.room = server.fresh_room()

    def opened(self, edits=True):
        page = Page(self.server.address, "rows", self.room, edits).open()
        self.addCleanup(page.close)
        return page

    def shown(self, page, key=KEY):
        document = page.documents.get(key)
        return document.text if document else page.field(key)

    def test_two_people_type_into_one_row(self):
        one, other = self.opened(), self.opened()
        self.assertNotIn("title.field", one.state["rows"][0])
        for letter in "abc":
            one.type("title", [[0, 0, letter]], "1", KEY)
            other.type("title", [[len(self.shown(other)), 0, letter.upper()]], "1", KEY)

        one.settle()
        other.settle()
        one.wait(lambda: self.shown(one) == "cbaOneABC")
        other.wait(lambda: self.shown(other) == "cbaOneABC")

        late = self.opened(edits=False)
        self.assertEqual(late.state["rows"][0]["title.field"], "cbaOneABC")
        self.assertEqual(late.state["rows"][0]["title"], "cbaOneABC")

    def test_a_row_in_a_row_is_named_by_both_ids(self):
        page, key = self.opened(), "/days/tue~1wed/tasks/3/task"

        page.type("task", [[0, 4, "Sleep"]], ["tue/wed", "3"], key)
        page.settle()

        self.assertEqual(page.documents[key].text, "Sleep")
        self.assertEqual(self.opened(edits=False).state["days"][1]["tasks"][0]["task"], "Sleep")

    def test_a_page_without_edits_follows(self):
        page, plain = self.opened(), self.opened(edits=False)

        page.type("note", [[0, 0, "7 eggs"]], "2", "/rows/2/note")
        plain.wait(lambda: plain.state["rows"][1].get("note.field") == " eggs")
        self.assertEqual(plain.state["rows"][1]["note"], " eggs")

        plain.input("note", row="2", value="8 eggs")
        page.wait(lambda: self.shown(page, "/rows/2/note") == "8 eggs")

    def test_a_document_goes_with_its_row_and_ends_with_it(self):
        page, other = self.opened(), self.opened()
        page.type("title", [[0, 0, "x"]], "1", KEY)
        page.settle()
        page.input("down", row="1")
        page.settle()
        page.type("title", [[1, 0, "y"]], "1", KEY)
        page.settle()
        self.assertEqual([row["id"] for row in page.state["rows"]], [2, 1, 3])
        self.assertEqual(self.shown(page), "xyOne")

        other.barrier()
        other.input("remove", row="1")
        other.settle()
        page.type("title", [[0, 0, "z"]], "1", KEY)
        page.settle()

        self.assertNotIn(KEY, page.documents)
        self.assertEqual([error["code"] for error in page.errors], ["unknown-row"])
        self.assertEqual(page.orphans, ["zxyOne"])

    def test_a_page_that_returns_is_told_its_own_edits(self):
        page, other = self.opened(), self.opened()
        page.type("title", [[3, 0, "!"]], "1", KEY)
        other.wait(lambda: self.shown(other) == "One!")
        page.drop()
        other.type("title", [[0, 0, "?"]], "1", KEY)
        other.settle()

        page.resume()
        page.barrier()

        self.assertEqual(page.resumed["own"], [[1, 1]])
        self.assertEqual(self.shown(page), "?One!")
        self.assertEqual(page.documents[KEY].pending, [])


if __name__ == "__main__":
    unittest.main()
