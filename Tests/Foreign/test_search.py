# SPDX-License-Identifier: Apache-2.0
"""The search screen over a server that answers as Wikipedia does: from the field to the row, by the wire."""

import tempfile
import unittest

from musubi_client import Page
from server import Gallery
from wikipedia import Wikipedia, answer


class Searching(unittest.TestCase):
    def setUp(self):
        self.wikipedia = Wikipedia()
        self.addCleanup(self.wikipedia.close)
        folder = tempfile.TemporaryDirectory(prefix="musubi-search-")
        self.addCleanup(folder.cleanup)
        gallery = Gallery(folder.name, "--search", "wikipedia", "--wikipedia", self.wikipedia.url)
        self.addCleanup(gallery.stop)
        self.page = Page(gallery.address, "search")
        self.page.open()
        self.addCleanup(self.page.close)

    def titles(self):
        return [row["title"] for row in self.page.state["items"]]

    def search(self, word):
        self.page.input("searchWord", value=word)

    def shows(self, *titles):
        self.page.wait(lambda: self.titles() == list(titles) and not self.page.state["searching"])

    def test_found_articles_are_rows_of_plain_text_with_links(self):
        self.wikipedia.replies["fuji"] = (200, answer("Mount Fuji", "東京"))

        self.search("fuji")
        self.shows("Mount Fuji", "東京")

        row = self.page.state["items"][0]
        self.assertEqual(row["snippet"], "About Mount Fuji & more, \"so's\"")
        self.assertEqual(row["link"], f"{self.wikipedia.url}/wiki/Mount_Fuji")

    def test_only_the_word_after_a_pause_is_asked_for_and_once(self):
        self.page.inputs("searchWord", "t", "to", "tok", "toky", "tokyo")
        self.shows("tokyo")
        self.page.inputs("searchWord", "tokyo ", "tokyo", "kyoto")
        self.shows("kyoto")

        self.assertEqual(self.wikipedia.asked, ["tokyo", "kyoto"])

    def test_the_page_tells_that_it_waits(self):
        gate = self.wikipedia.hold("slow")

        self.search("slow")
        self.page.wait(lambda: self.page.state["searching"])
        self.wikipedia.wait(lambda: self.wikipedia.asked == ["slow"])
        gate.set()

        self.shows("slow")

    def test_a_late_answer_of_an_older_word_is_never_shown(self):
        gate = self.wikipedia.hold("older")
        self.search("older")
        self.wikipedia.wait(lambda: "older" in self.wikipedia.asked)

        self.search("newer")
        self.shows("newer")
        gate.set()
        self.wikipedia.wait(lambda: "older" in self.wikipedia.answered)
        self.search("newest")
        self.shows("newest")

        shown = [row["title"] for frame in self.page.frames for row in rows(frame)]
        self.assertNotIn("older", shown)

    def test_each_failure_is_told_and_the_next_word_works_again(self):
        failures = {
            "busy": (503, "busy"),
            "portal": (200, "<html>a hotel's page</html>"),
            "other": (200, '{"query":{"search":[{"title":1}]}}'),
            "refused": (200, '{"error":{"code":"ratelimited","info":"Wait.","docref":"See the API."}}'),
            "cut": (-200, '{"query"'),
        }
        self.wikipedia.replies.update(failures)

        for number, word in enumerate(failures):
            self.search(word)
            self.page.wait(lambda: self.page.state["error"] != "")
            self.assertFalse(self.page.state["searching"])
            self.assertTrue(self.page.state["errorEn"] and self.page.state["errorJa"], word)
            self.assertRegex(self.page.state["error"], "reached" if word == "cut" else "cannot be read")
            self.search(f"good {number}")
            self.shows(f"good {number}")
            self.assertEqual(self.page.state["error"], "")

    def test_nobody_answers_is_told_too(self):
        self.wikipedia.close()

        self.search("fuji")

        self.page.wait(lambda: "cannot be reached" in self.page.state["error"])
        self.assertEqual(self.titles(), [])

    def test_an_emptied_field_shows_nothing_and_asks_nobody(self):
        self.search("fuji")
        self.shows("fuji")

        self.search("")

        self.shows()
        self.assertEqual(self.wikipedia.asked, ["fuji"])


def rows(frame):
    """The rows that a frame brings, in whatever operation."""
    for operation in frame.get("patch", []):
        value = operation.get("value")
        for row in value if isinstance(value, list) else [value]:
            if isinstance(row, dict) and "title" in row:
                yield row


if __name__ == "__main__":
    unittest.main()
