# SPDX-License-Identifier: Apache-2.0
"""Drives the number screen from a client that is not ours: websockets, jsonpatch and Wire.md, nothing else."""

import json
import unittest
import urllib.error
import urllib.request

from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

import server
from musubi_client import Page
from text_edit import edit_from_units


def resend_edits(page):
    """Sends pending edits again as they stand now, against the revision that the page has now."""
    document = page.documents["number"]
    for number, edit, revision in document.pending:
        if revision is None:
            frame = {"input": number, "name": "number", "revision": document.revision, "edits": edit_from_units(edit)}
            page.sent[number] = frame
            page.send(frame)


class WireTest(unittest.TestCase):
    def setUp(self):
        self.room = server.fresh_room()

    def page(self, screen="number", room=None, edits=False):
        page = Page(server.address(), screen, room or self.room, edits)
        self.addCleanup(page.close)
        return page

    def opened(self, **options):
        return self.page(**options).open()


class Following(WireTest):
    def test_a_session_begins_with_hello_and_snapshot(self):
        page = self.opened()

        hello = page.frames[0]["hello"]
        self.assertEqual(hello["protocol"], 1)
        self.assertTrue(hello["session"] and hello["token"] and hello["schema"])
        self.assertEqual(hello["visitor"], "anonymous")
        self.assertGreater(hello["heartbeat"], 0)
        self.assertEqual(page.state, {"label": "0", "number": "0", "number.field": "0"})
        self.assertEqual(page.frames[1]["revisions"], {"number": 0})

    def test_a_tap_changes_the_state_by_a_patch(self):
        page = self.opened()

        page.input("roll")
        page.settle()

        self.assertRegex(page.state["label"], "^([1-9][0-9]?|100)$")
        self.assertEqual(page.state["number"], page.state["label"])
        self.assertEqual(page.state["number.field"], page.state["label"])

    def test_the_acknowledgement_comes_before_the_turn(self):
        page = self.opened()

        page.input("number", value="42")
        page.wait(lambda: page.state["label"] == "42")

        kinds = [next(iter(frame)) for frame in page.frames[2:]]
        self.assertEqual(kinds[:2], ["ack", "sequence"])

    def test_a_value_reaches_everybody_in_the_room(self):
        writer, reader = self.opened(), self.opened()

        writer.input("number", value="Grüße 😀")
        reader.wait(lambda: reader.state["label"] == "Grüße 😀")

        self.assertEqual(reader.state["number.field"], "Grüße 😀")

    def test_an_empty_field_changes_the_field_only(self):
        page = self.opened()

        page.input("number", value="42")
        page.input("number", value="")
        page.settle()

        self.assertEqual(page.state, {"label": "42", "number": "42", "number.field": ""})
        late = self.opened()
        self.assertEqual(late.state, page.state)

    def test_rooms_are_apart(self):
        here, there = self.opened(), self.opened(room=server.fresh_room())

        here.input("number", value="7")
        here.settle()
        there.barrier()

        self.assertEqual(there.state["label"], "0")
        self.assertNotEqual(here.position[0], there.position[0])

    def test_a_session_screen_ignores_the_room(self):
        one, other = self.opened(screen="number-alone"), self.opened(screen="number-alone")

        one.input("number", value="7")
        one.settle()
        other.barrier()

        self.assertEqual(one.state["label"], "7")
        self.assertEqual(other.state["label"], "0")


class ExactlyOnce(WireTest):
    def test_a_number_that_is_sent_twice_takes_effect_once(self):
        page = self.opened()
        page.input("roll")
        page.settle()
        position = list(page.position)

        page.send({"input": page.number, "name": "roll"})
        page.barrier()

        self.assertEqual(page.position, position)
        self.assertIn({"ack": page.number}, [frame for frame in page.frames[-3:]])

    def test_a_resume_brings_exactly_the_missing_turns(self):
        page, other = self.opened(), self.opened()
        page.input("number", value="1")
        page.settle()
        page.drop()
        for value in "234":
            # What arrives together is one turn.
            other.input("number", value=value)
            other.settle()

        page.resume()
        page.barrier()

        after = page.frames[[i for i, f in enumerate(page.frames) if "resumed" in f][-1] :]
        self.assertEqual(len([f for f in after if "sequence" in f and "patch" in f]), 3)
        self.assertFalse([f for f in after if "snapshot" in f])
        self.assertEqual(page.state, other.state)
        self.assertEqual(page.position, other.position)

    def test_what_was_not_acknowledged_is_resent_and_takes_effect_once(self):
        page, other = self.opened(), self.opened()
        page.input("roll")
        page.drop()  # whether the tap arrived is unknown
        page.input("roll")  # and this one was made without a connection

        page.resume()
        page.resend()
        page.settle()
        other.wait(lambda: other.position == page.position)

        self.assertIn(page.position[1], (1, 2))  # the same number twice in a row changes nothing
        self.assertEqual(page.state, other.state)

    def test_an_edit_of_unknown_fate_takes_effect_once(self):
        page = self.opened(edits=True)
        for index in range(10):
            page.type("number", [[1 + index, 0, "abcdefghij"[index]]])
            page.drop()
            page.resume()
            page.barrier()
            resend_edits(page)
            page.settle()

        self.assertEqual(page.state["label"], "0abcdefghij")

    def test_an_unknown_position_brings_a_snapshot(self):
        page = self.opened()
        page.input("number", value="5")
        page.settle()
        page.drop()

        page.resume(position=["no such epoch", 0])
        page.barrier()

        self.assertTrue([f for f in page.frames[-3:] if "snapshot" in f])
        self.assertEqual(page.state["label"], "5")

    def test_a_client_cut_off_before_its_first_snapshot_resumes_without_a_position(self):
        page = self.page()
        page.socket = connect(
            page.address + f"?room={self.room}", subprotocols=["musubi.v1"], ssl=server.context())
        page.wait(lambda: page.session is not None)
        page.drop()
        session = page.session

        page.resume(position=["", 0])
        page.barrier()

        self.assertEqual(page.session, session)
        self.assertNotEqual(page.resumed, "afresh")
        self.assertEqual(page.state["label"], "0")

    def test_the_answer_to_a_ping_comes_behind_the_snapshots_of_further_screens(self):
        page = self.opened(screen="segments")
        page.input("next")
        page.settle()
        page.wait(lambda: any(frame.get("screen") == 1 for frame in page.frames))
        page.drop()

        page.open(resume=True)
        page.send({"resume": {"session": page.session, "token": page.token, "position": page.position}})
        first = len(page.frames)
        page.barrier()

        kinds = [(next(iter(frame)), frame.get("screen", 0)) for frame in page.frames[first:]]
        self.assertEqual(kinds[-1], ("pong", 0))
        self.assertEqual(kinds.count(("snapshot", 1)), 1)
        self.assertEqual([kind for kind, _ in kinds].count("screens"), 1)

    def test_a_plus_in_an_address_is_a_space_whoever_reads_the_handshake(self):
        rooms = {}
        for name, header in (("plain", {}), ("repeated", [("Cookie", "a=1"), ("Cookie", "b=2")])):
            for value in ("x+y", "x%20y", "x%2By"):
                with connect(
                    server.address().replace("http", "ws", 1) + f"/live/number?room={self.room}{value}",
                    subprotocols=["musubi.v1"], additional_headers=header, ssl=server.context(),
                ) as socket:
                    frames = [json.loads(socket.recv(timeout=60)) for _ in range(2)]
                    rooms[name, value] = frames[1]["epoch"]

        epochs = [rooms["plain", "x+y"], rooms["plain", "x%2By"]]
        self.assertNotEqual(*epochs)
        for name in ("plain", "repeated"):
            self.assertEqual([rooms[name, value] for value in ("x+y", "x%20y", "x%2By")], [epochs[0], epochs[0], epochs[1]])

    def test_a_token_is_good_at_the_sessions_own_addresses_alone(self):
        for screen, room in (("number-alone", self.room), ("number", self.room + "-next")):
            page = self.opened()
            session = page.session
            page.drop()
            elsewhere = self.page(screen, room)
            elsewhere.session, elsewhere.token, elsewhere.position = page.session, page.token, page.position
            elsewhere.resume()
            self.assertEqual(elsewhere.errors[-1]["code"], "session-unknown")
            self.assertNotEqual(elsewhere.session, session)

            page.resume()  # its token was not spent
            self.assertEqual((page.resumed["session"], page.resumed["visitor"]), (session, "anonymous"))

    def test_the_token_changes_with_each_resume(self):
        page = self.opened()
        tokens = [page.token]
        for _ in range(3):
            page.drop()
            page.resume()
            page.barrier()  # the first frame after `resume` makes the new token the only one
            tokens.append(page.token)

        self.assertEqual(len(set(tokens)), 4)

    def test_the_old_token_works_until_the_new_one_was_used(self):
        page = self.opened()
        old = page.token
        page.drop()
        page.resume()
        page.drop()  # nothing was sent after `resume`

        page.resume(token=old)

        self.assertNotEqual(page.resumed, "afresh")

    def test_a_used_token_is_refused_and_a_new_session_begins(self):
        page = self.opened()
        old, session = page.token, page.session
        page.drop()
        page.resume()
        page.barrier()
        page.drop()

        page.resume(token=old)

        self.assertEqual(page.errors[-1]["code"], "token-refused")
        self.assertEqual(page.resumed, "afresh")
        self.assertNotEqual(page.session, session)

    def test_an_unknown_session_begins_afresh(self):
        page = self.opened()
        page.drop()
        page.session = "nobody"

        page.resume()

        self.assertEqual(page.errors[-1]["code"], "session-unknown")
        page.wait(lambda: page.frames[-1].get("snapshot") is not None)

    def test_only_one_connection_serves_a_session(self):
        page = self.opened()
        second = self.page()
        second.session, second.token, second.position = page.session, page.token, page.position

        second.resume()

        self.assertEqual(page.wait_closed(), 4502)


class SharedText(WireTest):
    def test_an_edit_comes_back_as_a_step_with_its_revision(self):
        page = self.opened(edits=True)

        number = page.type("number", [[0, 1, "42"]])
        page.settle()

        ack = next(f for f in page.frames if f.get("ack") == number)
        turn = next(f for f in page.frames if "edits" in f)
        change = turn["edits"]["number"]
        first = change["revision"] - len(change["steps"]) + 1
        self.assertEqual(ack["revision"], first)
        self.assertFalse([op for op in turn.get("patch", []) if op["path"] == "/number.field"])
        self.assertEqual(page.documents["number"].text, "42")
        self.assertEqual(page.state["label"], "42")

    def test_two_typists_keep_every_character(self):
        left, right = self.opened(edits=True), self.opened(edits=True)
        left.type("number", [[0, 1, ""]])
        left.settle()
        right.wait(lambda: right.documents["number"].text == "")

        for index in range(20):  # neither reads while both type: every edit meets unseen ones
            left.type("number", [[len(left.documents["number"].shown), 0, "abcdefghijklmnopqrst"[index]]])
            right.type("number", [[0, 0, "ABCDEFGHIJKLMNOPQRST"[index]]])
        for page in (left, right):
            page.settle()
        left.wait(lambda: left.position[1] >= right.position[1])
        right.wait(lambda: right.position[1] >= left.position[1])

        text = left.documents["number"].text
        self.assertEqual(text, right.documents["number"].text)
        self.assertEqual(sorted(text), sorted("abcdefghijklmnopqrstABCDEFGHIJKLMNOPQRST"))
        self.assertEqual([c for c in text if c.islower()], list("abcdefghijklmnopqrst"))
        self.assertEqual(self.opened().state["number.field"], text)

    def test_edits_survive_a_lost_connection(self):
        page, other = self.opened(edits=True), self.opened(edits=True)
        page.type("number", [[1, 0, "x"]])
        page.settle()
        page.drop()
        other.type("number", [[0, 0, "y"]])
        page.type("number", [[2, 0, "z"]])
        other.wait(lambda: other.documents["number"].text in ("y0x", "0xy"))

        page.resume()
        page.barrier()
        resend_edits(page)
        page.settle()
        other.wait(lambda: other.position[1] >= page.position[1])

        self.assertEqual(page.documents["number"].text, "y0xz")
        self.assertEqual(other.documents["number"].text, "y0xz")

    def test_a_pair_counts_as_two_units(self):
        page = self.opened(edits=True)

        page.type("number", [[0, 1, "😀"]])
        page.type("number", [[2, 0, "!"]])
        page.settle()

        self.assertEqual(page.state["label"], "😀!")

    def test_clients_with_and_without_edits_see_the_same(self):
        plain, editing = self.opened(), self.opened(edits=True)

        editing.type("number", [[1, 0, "1"]])
        plain.wait(lambda: plain.state["number.field"] == "01")
        plain.input("number", value="9")
        plain.settle()
        editing.wait(lambda: editing.documents["number"].text == "9")

        self.assertEqual(plain.state["label"], "9")


class Mistakes(WireTest):
    def refused(self, page, code, **members):
        number = page.input(**members)
        page.settle()
        self.assertEqual(page.errors[-1]["code"], code)
        self.assertEqual(page.errors[-1]["input"], number)
        self.assertIsInstance(page.errors[-1]["message"], str)

    def test_an_input_that_does_not_exist_is_refused_and_acknowledged(self):
        page = self.opened()

        self.refused(page, "unknown-input", name="rol")

        self.assertEqual(page.position[1], 0)

    def test_a_wrong_type_is_refused_and_acknowledged(self):
        page = self.opened()

        self.refused(page, "wrong-type", name="number", value={"a": 1})

        self.assertEqual(page.state["label"], "0")

    def closed_after(self, frame):
        page = self.opened()
        page.send(frame)
        return page, page.wait_closed()

    def test_a_frame_of_no_known_kind_ends_the_connection(self):
        page, code = self.closed_after({"nonsense": 1})

        self.assertEqual(page.errors[-1]["code"], "unknown-input")
        self.assertEqual(code, 4501)

    def test_malformed_frames_end_the_connection(self):
        for frame in ["", "{", "[1]", "42", '{"input":"1","name":"roll"}', '{"input":0,"name":"roll"}', '{"input":1}']:
            with self.subTest(frame=frame):
                page, code = self.closed_after(frame)

                self.assertEqual(page.errors[-1]["code"], "malformed")
                self.assertEqual(code, 4501)

    def test_an_edit_outside_of_the_text_ends_the_connection(self):
        page = self.opened(edits=True)
        page.send({"input": 1, "name": "number", "revision": 0, "edits": [[5, 0, "x"]]})

        self.assertEqual(page.wait_closed(), 4501)
        self.assertEqual(page.errors[-1]["code"], "malformed")

    def test_a_binary_frame_ends_the_connection(self):
        self.assertEqual(self.closed_after(b"\x01")[1], 1003)

    def test_a_frame_over_the_limit_ends_the_connection(self):
        self.assertEqual(self.closed_after("x" * (64 * 1024 + 1))[1], 1009)

    def test_a_mistake_of_one_page_leaves_the_others_alone(self):
        healthy = self.opened()
        self.closed_after("{")

        healthy.input("number", value="3")
        healthy.settle()

        self.assertEqual(healthy.state["label"], "3")


class Refusals(WireTest):
    def refusal(self, path, origin=None, subprotocols=("musubi.v1",)):
        address = server.address().replace("http", "ws", 1) + path
        with self.assertRaises(InvalidStatus) as caught:
            connect(address, origin=origin, subprotocols=subprotocols, ssl=server.context()).close()
        response = caught.exception.response
        body = json.loads(response.body)
        self.assertIsInstance(body["message"], str)
        return response.status_code, body["code"]

    def test_a_foreign_origin(self):
        self.assertEqual(
            self.refusal("/live/number", origin="https://elsewhere.example"), (403, "origin-not-allowed")
        )

    def test_the_own_origin_is_allowed(self):
        page = self.page().open(origin=server.address())

        self.assertEqual(page.state["label"], "0")

    def test_an_unknown_screen(self):
        self.assertEqual(self.refusal("/live/nowhere"), (404, "unknown-screen"))

    def test_another_subprotocol(self):
        self.assertEqual(self.refusal("/live/number", subprotocols=["soap"]), (400, "bad-request"))

    def test_a_room_name_that_is_too_long(self):
        self.assertEqual(self.refusal("/live/number?room=" + "r" * 65), (400, "bad-request"))

    def test_a_room_name_that_is_not_utf_8(self):
        for room in ["%ff", "a%c3", "%ed%a0%80", "%c0%80"]:
            with self.subTest(room=room):
                self.assertEqual(self.refusal("/live/number?room=" + room), (400, "bad-request"))

    def test_the_same_get_without_the_handshake_says_why(self):
        for path, status, code in [
            ("/live/nowhere", 404, "unknown-screen"),
            ("/live/number?room=%ff", 400, "bad-request"),
            ("/live/number", 426, "upgrade-required"),
        ]:
            with self.subTest(path=path), self.assertRaises(urllib.error.HTTPError) as caught:
                urllib.request.urlopen(server.address() + path, timeout=60, context=server.context())
            with caught.exception as answer:
                self.assertEqual(answer.code, status)
                self.assertEqual(json.load(answer)["code"], code)
                self.assertEqual(answer.headers["Access-Control-Allow-Origin"], "*")


if __name__ == "__main__":
    unittest.main()
