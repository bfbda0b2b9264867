# SPDX-License-Identifier: Apache-2.0
"""The contents screen over a database in trouble: locked, full, and killed."""

import pathlib
import random
import sqlite3
import tempfile
import unittest

from musubi_client import Page
from server import Gallery


class Contents(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="musubi-contents-")
        self.addCleanup(folder.cleanup)
        self.data = pathlib.Path(folder.name)
        self.file = self.data / "contents.sqlite"

    def gallery(self, *options):
        gallery = Gallery(self.data, *options)
        self.addCleanup(gallery.stop)
        return gallery

    def page(self, gallery):
        page = Page(gallery.address, "contents")
        page.open()
        self.addCleanup(page.close)
        page.wait(lambda: page.state["isLoading"] is False)
        return page

    def fill_in(self, page, title):
        page.input("title", value=title)
        page.input("inputText", value=f"text of {title}")

    def post(self, page, title):
        self.fill_in(page, title)
        page.input("tapButton")
        page.wait(lambda: title in titles(page) and page.state["title.field"] == "")

    def test_a_locked_database_is_told_to_the_screen_that_asked(self):
        gallery = self.gallery("--loops", "1")
        ann, bob = self.page(gallery), self.page(gallery)
        self.post(ann, "first")
        self.fill_in(bob, "half typed")
        holder = sqlite3.connect(self.file, isolation_level=None)
        self.addCleanup(holder.close)
        holder.execute("BEGIN EXCLUSIVE")

        self.fill_in(ann, "second")
        ann.input("tapButton")
        # The database waits for the lock, the only event loop for nothing.
        carl = self.page(gallery)
        self.fill_in(carl, "typed meanwhile")
        carl.wait(lambda: not carl.sent)
        ann.barrier()
        self.assertEqual(ann.state["error"], "")
        ann.wait(lambda: ann.state["error"] != "")
        self.assertRegex(ann.state["error"], "busy")
        self.assertIn("混み合って", ann.state["errorIn"]["ja"])
        self.assertEqual(ann.state["errorColour"], "warning")
        ann.input("delete", row=str(ann.state["contents"][0]["id"]))
        ann.input("confirmDelete")
        ann.wait(lambda: not ann.sent)
        # Meanwhile all can read, and no typed text has gone.
        self.assertEqual(titles(self.page(gallery)), ["first"])
        bob.barrier()
        self.assertEqual((bob.state["error"], titles(bob)), ("", ["first"]))
        self.assertEqual((ann.state["title.field"], ann.state["inputText.field"]), ("second", "text of second"))
        holder.execute("ROLLBACK")

        ann.wait(lambda: ann.state["error"] != "")
        ann.input("tapButton")
        ann.wait(lambda: "second" in titles(ann) and ann.state["error"] == "")
        bob.wait(lambda: "second" in titles(bob))
        self.assertEqual(bob.state["title.field"], "half typed")

    def test_a_full_disk_is_told_to_the_screen_that_asked(self):
        # SQLite tells a file that has reached its limit from a full disk no more than its caller can.
        gallery = self.gallery("--contents-limit", "1")
        ann, bob = self.page(gallery), self.page(gallery)
        posted = 0
        while ann.state["error"] == "":
            ann.input("title", value=f"{posted}")
            ann.input("inputText", value="結" * 9_999)
            ann.wait(lambda: ann.state["title.field"] == str(posted))
            ann.input("tapButton")
            ann.wait(lambda: ann.state["error"] != "" or ann.state["title.field"] == "")
            if ann.state["error"] == "":
                posted += 1
                bob.wait(lambda: len(titles(bob)) == posted)
        self.assertGreater(posted, 5)

        self.assertRegex(ann.state["error"], "disk is full")
        self.assertIn("ディスク", ann.state["errorIn"]["ja"])
        self.assertEqual(ann.state["errorColour"], "danger")
        self.assertEqual(ann.state["title.field"], str(posted))
        self.assertEqual(ann.state["inputText.field"], "結" * 9_999)
        bob.barrier()
        self.assertEqual((len(titles(bob)), bob.state["error"]), (posted, ""))
        # Once there is space again, the same post goes through.
        for row in ann.state["contents"][:3]:
            ann.input("delete", row=str(row["id"]))
            ann.input("confirmDelete")
        ann.wait(lambda: len(titles(ann)) == posted - 3)
        ann.input("tapButton")
        ann.wait(lambda: str(posted) in titles(ann) and ann.state["error"] == "")
        ann.wait(lambda: ann.state["title.field"] == "")

    def test_an_acknowledged_post_survives_a_kill(self):
        """20 servers, each killed as soon as its last post is acknowledged."""
        posted = []
        for number in range(20):
            gallery = self.gallery()
            page = self.page(gallery)
            self.assertEqual(sorted(titles(page)), sorted(posted), f"after {number} kills")
            for count in range(random.randint(1, 3)):
                title = f"post {number}.{count}"
                self.fill_in(page, title)
                page.input("tapButton")
                page.wait(lambda: not page.sent)
                posted.append(title)
            gallery.kill()
            page.close()


def titles(page):
    return [row["title"] for row in page.state["contents"]]


if __name__ == "__main__":
    unittest.main()
