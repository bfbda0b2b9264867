# SPDX-License-Identifier: Apache-2.0
"""RFC 6455 over a real socket, case by case: messages that a server must take, and others that it must not."""

import struct
import unittest

import server
from raw_socket import (
    ACCEPT, BINARY, CLOSE, CONTINUATION, PING, PONG, TEXT, RawSocket, close_frame, frame,
)


class Conformance(unittest.TestCase):
    def connect(self):
        connection = RawSocket(server.address())
        self.addCleanup(connection.close)
        return connection

    def opened(self, path="/echo", **headers):
        connection = self.connect()
        connection.open(path, **headers)
        return connection

    def assert_echo(self, connection, opcode, payload):
        self.assertEqual(connection.frame(), (opcode, payload, True))

    def assert_alive(self, connection):
        connection.send(frame(TEXT, b"still there"))
        self.assert_echo(connection, TEXT, b"still there")

    def assert_fails(self, connection, codes=(1002,)):
        """The server says why and, once that is answered, ends the TCP connection."""
        self.assertIn(connection.end(), codes)
        connection.send(close_frame(1000))
        self.assertTrue(connection.is_at_end())


class Messages(Conformance):
    def test_text_and_binary_messages_of_every_length_form_come_back(self):
        for length in [0, 1, 125, 126, 127, 128, 1023, 1024, 1025, 65535, 65536, 65537, 300_000]:
            for opcode in [TEXT, BINARY]:
                with self.subTest(length=length, opcode=opcode):
                    connection = self.opened()
                    payload = bytes(33 + index % 90 for index in range(length))
                    connection.send(frame(opcode, payload))
                    self.assert_echo(connection, opcode, payload)

    def test_a_message_that_arrives_byte_by_byte_comes_back_whole(self):
        for length in [0, 1, 125, 126, 300]:
            with self.subTest(length=length):
                connection = self.opened()
                connection.send(frame(TEXT, b"a" * length), piece=1)
                self.assert_echo(connection, TEXT, b"a" * length)

    def test_a_long_message_in_odd_pieces_comes_back_whole(self):
        for piece in [997, 1024, 16_383]:
            with self.subTest(piece=piece):
                connection = self.opened()
                connection.send(frame(BINARY, bytes(70_000)), piece=piece)
                self.assert_echo(connection, BINARY, bytes(70_000))

    def test_messages_in_one_packet_come_back_in_order(self):
        connection = self.opened()
        connection.send(b"".join(frame(TEXT, b"%d" % index) for index in range(200)))
        for index in range(200):
            self.assert_echo(connection, TEXT, b"%d" % index)

    def test_bytes_of_every_value_survive_the_mask(self):
        connection = self.opened()
        connection.send(frame(BINARY, bytes(range(256)) * 5))
        self.assert_echo(connection, BINARY, bytes(range(256)) * 5)


class Fragments(Conformance):
    def test_fragments_are_one_message(self):
        cases = [[b"a", b"b"], [b"", b"b"], [b"a", b""], [b"", b"", b""], [b"x"] * 500, [b"y" * 4000] * 20]
        for parts in cases:
            for opcode in [TEXT, BINARY]:
                with self.subTest(parts=len(parts), opcode=opcode):
                    connection = self.opened()
                    connection.send(self.fragments(opcode, parts))
                    self.assert_echo(connection, opcode, b"".join(parts))

    def test_control_frames_may_come_between_fragments(self):
        connection = self.opened()
        connection.send(frame(TEXT, b"one ", final=False))
        connection.send(frame(PING, b"here?"))
        self.assertEqual(connection.frame(), (PONG, b"here?", True))
        connection.send(frame(PONG, b"unasked") + frame(CONTINUATION, b"message"))
        self.assert_echo(connection, TEXT, b"one message")

    def test_a_continuation_of_nothing_ends_it(self):
        for final in [True, False]:
            with self.subTest(final=final):
                connection = self.opened()
                connection.send(frame(CONTINUATION, b"of what?", final=final))
                self.assert_fails(connection)

    def test_a_continuation_after_a_complete_message_ends_it(self):
        connection = self.opened()
        connection.send(frame(TEXT, b"complete"))
        self.assert_echo(connection, TEXT, b"complete")
        connection.send(frame(CONTINUATION, b"more"))
        self.assert_fails(connection)

    def test_a_message_within_a_message_ends_it(self):
        for opcode in [TEXT, BINARY]:
            with self.subTest(opcode=opcode):
                connection = self.opened()
                connection.send(frame(TEXT, b"first", final=False) + frame(opcode, b"second"))
                self.assert_fails(connection)

    def test_a_fragmented_control_frame_ends_it(self):
        for opcode in [CLOSE, PING, PONG]:
            with self.subTest(opcode=opcode):
                connection = self.opened()
                connection.send(frame(opcode, b"\x03\xe8", final=False))
                self.assert_fails(connection)

    @staticmethod
    def fragments(opcode, parts):
        last = len(parts) - 1
        return b"".join(
            frame(CONTINUATION if index else opcode, part, final=index == last)
            for index, part in enumerate(parts)
        )


class Headers(Conformance):
    def test_a_frame_without_a_mask_ends_it(self):
        for opcode, payload in [(TEXT, b"bare"), (BINARY, b"bare"), (PING, b""), (TEXT, b"")]:
            with self.subTest(opcode=opcode, payload=payload):
                connection = self.opened()
                connection.send(frame(opcode, payload, mask=False))
                self.assert_fails(connection)

    def test_a_reserved_bit_ends_it(self):
        for reserved in range(1, 8):
            for opcode in [TEXT, BINARY, PING, CLOSE]:
                with self.subTest(reserved=reserved, opcode=opcode):
                    connection = self.opened()
                    connection.send(frame(opcode, b"", reserved=reserved))
                    self.assert_fails(connection)

    def test_a_reserved_bit_in_a_continuation_ends_it(self):
        connection = self.opened()
        connection.send(frame(TEXT, b"a", final=False) + frame(CONTINUATION, b"b", reserved=4))
        self.assert_fails(connection)

    def test_a_reserved_opcode_ends_it(self):
        for opcode in [3, 4, 5, 6, 7, 11, 12, 13, 14, 15]:
            for payload in [b"", b"payload"]:
                with self.subTest(opcode=opcode, payload=payload):
                    connection = self.opened()
                    connection.send(frame(opcode, payload))
                    self.assert_fails(connection)

    def test_a_length_in_more_bits_than_it_needs_is_read_or_refused_and_nothing_else(self):
        for width in [16, 64]:
            with self.subTest(width=width):
                connection = self.opened()
                connection.send(frame(TEXT, b"short", width=width))
                answer = connection.frame()
                self.assertIn(answer[0], (TEXT, CLOSE))
                self.assertIn(answer[1][:2], (b"sh", struct.pack("!H", 1002)))

    def test_a_length_with_the_highest_bit_ends_it(self):
        connection = self.opened()
        connection.send(struct.pack("!BBQ", 0x82, 0xFF, 1 << 63 | 5) + bytes(9))
        self.assert_fails(connection, (1002, 1006, 1009))


class ControlFrames(Conformance):
    def test_a_ping_is_answered_with_its_payload(self):
        for payload in [b"", b"Hello", bytes(range(125)), b"\xff\xfe\x00", "結び".encode()]:
            for piece in [None, 1]:
                with self.subTest(payload=payload, piece=piece):
                    connection = self.opened()
                    connection.send(frame(PING, payload), piece=piece)
                    self.assertEqual(connection.frame(), (PONG, payload, True))

    def test_pings_one_after_the_other_are_all_answered(self):
        connection = self.opened()
        for index in range(20):
            connection.send(frame(PING, b"%d" % index))
            self.assertEqual(connection.frame(), (PONG, b"%d" % index, True))

    def test_of_pings_at_once_at_least_one_is_answered(self):
        connection = self.opened()
        connection.send(b"".join(frame(PING, b"%d" % index) for index in range(10)) + frame(TEXT, b"end"))
        pongs = []
        while (received := connection.frame())[0] == PONG:
            pongs.append(received[1])
        self.assertEqual(received, (TEXT, b"end", True))
        self.assertIn(b"9", pongs or [connection.frame()[1]])

    def test_a_pong_that_nobody_asked_for_changes_nothing(self):
        for payload in [b"", b"unasked"]:
            connection = self.opened()
            connection.send(frame(PONG, payload))
            self.assert_alive(connection)

    def test_a_control_frame_of_more_than_125_bytes_ends_it(self):
        for opcode in [PING, PONG, CLOSE]:
            for width in [16, 64]:
                with self.subTest(opcode=opcode, width=width):
                    connection = self.opened()
                    connection.send(frame(opcode, b"\x03\xe8" + b"a" * 124, width=width))
                    self.assert_fails(connection, (1002, 1006))


class Closing(Conformance):
    def test_a_close_is_answered_with_its_code(self):
        codes = [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999]
        for code in codes:
            for reason in [b"", b"because", b"r" * 123]:
                with self.subTest(code=code, reason=len(reason)):
                    connection = self.opened()
                    connection.send(close_frame(code, reason))
                    self.assert_fails(connection, (code,))

    def test_a_close_without_code_is_answered(self):
        connection = self.opened()
        connection.send(frame(CLOSE))
        self.assert_fails(connection, (1000, 1005))

    def test_a_close_with_a_code_that_must_not_be_sent_is_a_protocol_error(self):
        for code in [0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535]:
            with self.subTest(code=code):
                connection = self.opened()
                connection.send(close_frame(code))
                self.assert_fails(connection)

    def test_a_close_with_half_a_code_is_a_protocol_error(self):
        connection = self.opened()
        connection.send(frame(CLOSE, b"\x03"))
        self.assert_fails(connection)

    def test_a_reason_that_is_no_utf8_is_an_error(self):
        connection = self.opened()
        connection.send(close_frame(1000, b"\xce\xba\xe1\xbd\xb9\xcf\x83\xed\xa0\x80"))
        self.assert_fails(connection, (1002, 1007))

    def test_nothing_is_answered_after_a_close(self):
        for after in [frame(TEXT, b"late"), frame(PING, b"late"), close_frame(1001)]:
            connection = self.opened()
            connection.send(close_frame(1000) + after)
            self.assertEqual(connection.frame(), (CLOSE, b"\x03\xe8", True))
            self.assertTrue(connection.is_at_end())

    def test_a_close_within_a_message_ends_it(self):
        connection = self.opened()
        connection.send(frame(TEXT, b"unfinished", final=False) + close_frame(1000))
        self.assert_fails(connection, (1000,))

    def test_a_socket_that_ends_in_the_middle_harms_nobody(self):
        for cut in [1, 3, 7, 12]:
            connection = self.opened()
            connection.send(frame(TEXT, b"never complete")[:cut])
            connection.close()
        self.assert_alive(self.opened())


VALID = ["", "a", "κόσμε", "結び😀", "\u0000", "\u007f", "\u0080", "\u07ff", "\u0800", "\ud7ff", "\ue000", "\ufffd",
         "\uffff", "\U00010000", "\U0010ffff", "\ufdd0"]
INVALID = [
    b"\x80", b"\xbf", b"\xc0\xaf", b"\xc1\xbf", b"\xc2", b"\xe0\x80\xaf", b"\xe0\x9f\xbf", b"\xe4\xbd", b"\xed\xa0\x80",
    b"\xed\xbf\xbf", b"\xed\xa0\x80\xed\xb0\x80", b"\xf0\x80\x80\xaf", b"\xf0\x8f\xbf\xbf", b"\xf0\x9f\x98", b"\xf4\x90\x80\x80",
    b"\xf5\x80\x80\x80", b"\xf8\x88\x80\x80\x80", b"\xfc\x84\x80\x80\x80\x80", b"\xfe", b"\xff", b"a\xc3(",
]


class Texts(Conformance):
    def test_valid_utf8_comes_back_wherever_it_is_cut(self):
        for text in VALID:
            data = b"<" + text.encode() + b">"
            for cut in range(len(data) + 1):
                with self.subTest(text=text, cut=cut):
                    connection = self.opened()
                    connection.send(frame(TEXT, data[:cut], final=False) + frame(CONTINUATION, data[cut:]))
                    self.assert_echo(connection, TEXT, data)

    def test_a_character_in_one_byte_fragments_comes_back(self):
        data = "結び😀".encode()
        connection = self.opened()
        connection.send(Fragments.fragments(TEXT, [data[index : index + 1] for index in range(len(data))]))
        self.assert_echo(connection, TEXT, data)

    def test_invalid_utf8_ends_it_with_1007(self):
        for data in INVALID:
            with self.subTest(data=data):
                connection = self.opened()
                connection.send(frame(TEXT, data))
                self.assert_fails(connection, (1007,))

    def test_invalid_utf8_over_fragments_ends_it_with_1007(self):
        for data in INVALID:
            for cut in range(len(data)):
                with self.subTest(data=data, cut=cut):
                    connection = self.opened()
                    connection.send(frame(TEXT, data[:cut], final=False) + frame(CONTINUATION, data[cut:]))
                    self.assert_fails(connection, (1007,))

    def test_a_character_cut_off_before_an_empty_last_fragment_ends_it_with_1007(self):
        connection = self.opened()
        connection.send(frame(TEXT, "結".encode()[:2], final=False) + frame(CONTINUATION, b""))
        self.assert_fails(connection, (1007,))

    def test_binary_messages_need_no_utf8(self):
        for data in INVALID:
            connection = self.opened()
            connection.send(frame(BINARY, data))
            self.assert_echo(connection, BINARY, data)


class Screens(Conformance):
    """What the protocol of Musubi asks of a socket besides."""

    def test_a_message_over_the_limit_ends_it_with_1009(self):
        for message in [frame(TEXT, b"a" * 65_537), Fragments.fragments(TEXT, [b"a" * 40_000] * 2)]:
            connection = self.opened("/live/number")
            connection.send(message)
            self.assert_fails(connection, (1009,))

    def test_a_message_over_the_limit_ends_it_before_it_has_arrived(self):
        connection = self.opened("/live/number")
        connection.send(struct.pack("!BBQ", 0x81, 0xFF, 1 << 40) + b"mask" + bytes(4096))
        self.assert_fails(connection, (1009,))

    def test_a_binary_message_ends_it_with_1003(self):
        connection = self.opened("/live/number")
        connection.send(frame(BINARY, b'{"ping":1}'))
        self.assert_fails(connection, (1003,))

    def test_text_that_is_no_utf8_ends_it_with_1007(self):
        begin = b'{"input":1,"name":"number","value":"'
        for message in [frame(TEXT, begin + b'\xff"}'), Fragments.fragments(TEXT, [begin + b'\xe4', b'"}'])]:
            connection = self.opened("/live/number")
            connection.send(message)
            self.assert_fails(connection, (1007,))

    def test_an_input_in_fragments_counts_once(self):
        connection = self.opened("/live/number?room=" + server.fresh_room())
        parts = [b'{"inp', b"", b'ut":1,"name"', b':"number","value":"7"}']
        connection.send(Fragments.fragments(TEXT, parts), piece=3)
        received = []
        while not received or b'"7"' not in received[-1]:
            received.append(connection.frame()[1])
        self.assertTrue(received[0].startswith(b'{"hello":'))
        self.assertEqual(received.count(b'{"ack":1}'), 1)


class Handshakes(Conformance):
    def refused(self, line=None, path="/echo", **headers):
        connection = self.connect()
        connection.send(connection.request(path, line, **headers))
        status, answer = connection.response()
        self.assertNotEqual(status, 101, headers)
        return status, answer

    def test_the_key_is_answered(self):
        headers = self.connect().open()
        self.assertEqual(headers["sec-websocket-accept"], ACCEPT)
        self.assertEqual(headers["upgrade"].lower(), "websocket")
        self.assertEqual(headers["connection"].lower(), "upgrade")

    def test_a_handshake_that_arrives_byte_by_byte_is_answered(self):
        connection = self.connect()
        connection.send(connection.request(), piece=1)
        self.assertEqual(connection.response()[0], 101)
        self.assert_alive(connection)

    def test_names_and_tokens_are_the_same_in_any_case(self):
        headers = self.connect().open(Upgrade="WebSocket", Connection="keep-alive, UPGRADE")
        self.assertEqual(headers["sec-websocket-accept"], ACCEPT)

    def test_extensions_are_not_granted(self):
        headers = self.connect().open(Sec_WebSocket_Extensions="permessage-deflate; client_max_window_bits")
        self.assertNotIn("sec-websocket-extensions", headers)

    def test_the_subprotocol_is_chosen_from_a_list_and_not_invented(self):
        path = "/live/number"
        self.assertNotIn("sec-websocket-protocol", self.connect().open(path))
        for offered in ["musubi.v1", "other, musubi.v1", "musubi.v1,other"]:
            headers = self.connect().open(path, Sec_WebSocket_Protocol=offered)
            self.assertEqual(headers["sec-websocket-protocol"], "musubi.v1")
        self.assertEqual(self.refused(path=path, Sec_WebSocket_Protocol="other")[0], 400)

    def test_another_version_is_refused_with_the_right_one(self):
        for version in ["0", "8", "12", "14", "13, 8", "thirteen", None]:
            with self.subTest(version=version):
                status, headers = self.refused(Sec_WebSocket_Version=version)
                self.assertIn(status, (400, 426))
                self.assertEqual(headers.get("sec-websocket-version"), "13")

    def test_a_bad_key_is_refused(self):
        for key in [None, "", "short", "not base64!!!!!!!!!!!!!!", "dGhlIHNhbXBsZSBub25jZQ", "A" * 64]:
            with self.subTest(key=key):
                self.assertIn(self.refused(Sec_WebSocket_Key=key)[0], (0, 400))

    def test_without_the_headers_of_a_handshake_it_is_none(self):
        for headers in [{"Upgrade": None}, {"Connection": None}, {"Connection": "close"}, {"Upgrade": "h2c"}]:
            with self.subTest(headers=headers):
                self.assertIn(self.refused(**headers)[0], (0, 400, 404, 426))

    def test_other_methods_and_versions_of_http_are_refused(self):
        for line in ["POST /echo HTTP/1.1", "PUT /echo HTTP/1.1", "HEAD /echo HTTP/1.1", "GET /echo HTTP/1.0",
                     "CONNECT /echo HTTP/1.1", "GET /echo HTTP/9.9", "nonsense"]:
            with self.subTest(line=line):
                self.assertIn(self.refused(line)[0], (0, 400, 403, 404, 405, 426, 505))

    def test_a_foreign_origin_is_refused(self):
        for origin in ["http://evil.example", "null", "http://localhost.evil.example"]:
            with self.subTest(origin=origin):
                self.assertEqual(self.refused(path="/live/number", Origin=origin)[0], 403)

    def test_a_head_that_is_too_long_is_refused(self):
        self.assertIn(self.refused(Cookie="c" * 100_000)[0], (0, 400, 413, 431))

    def test_a_request_with_a_bare_head_does_not_hold_the_server_up(self):
        connection = self.connect()
        connection.send(b"GET /echo HTTP/1.1\r\nHost: x\r\n")
        self.assert_alive(self.opened())


if __name__ == "__main__":
    unittest.main()
