# SPDX-License-Identifier: Apache-2.0
"""The wire protocols of Musubi and three frameworks, as far as typing into one field and seeing its label needs them.

Each page can `type` a text, hand over the next `frame`, and tell whether a frame `shows` a text at the label.
"""

import html
import json
import re
import urllib.parse
import urllib.request
import uuid

from raw_socket import CLOSE, CONTINUATION, PING, PONG, TEXT, RawSocket, frame


class Page:
    """A WebSocket whose messages are texts."""

    def __init__(self, port, path, **headers):
        self.typed = 0
        self.received = 0
        self.socket = RawSocket(f"http://127.0.0.1:{port}")
        self.socket.open(path, Origin=f"http://127.0.0.1:{port}", **headers)

    def send(self, text):
        self.socket.send(frame(TEXT, text.encode()))

    def frame(self):
        parts = b""
        while True:
            received = self.socket.frame()
            if received is None or received[0] == CLOSE:
                raise RuntimeError(f"{type(self).__name__} closed the connection: {received}")
            opcode, payload, final = received
            if opcode == PING:
                self.socket.send(frame(PONG, payload))
            elif opcode in (TEXT, CONTINUATION):
                parts += payload
                self.received += len(payload)
                if final:
                    return parts.decode()

    def settle(self):
        """Reads what the page gets by itself: until a text that is typed has come back."""
        self.typed += 1
        text = f"{self.typed:08d}"
        self.type(self.typed, text)
        while not self.shows(self.frame(), text):
            pass

    def close(self):
        self.socket.close()

    def shows(self, received, text):
        return f'"{text}"' in received


def page_of(port, path="/"):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=10) as answer:
        return answer.read().decode()


class Musubi(Page):
    """musubi.v1, whole values instead of edits."""

    def __init__(self, port):
        super().__init__(port, "/live/number-alone", Sec_WebSocket_Protocol="musubi.v1")

    def type(self, number, text):
        self.send(json.dumps({"input": number, "name": "number", "value": text}))

    def shows(self, received, text):
        return received.startswith('{"sequence"') and f'"/label","value":"{text}"' in received


class NiceGUI(Page):
    """Socket.IO 5 on Engine.IO 4: an `event` goes out, an `update` with the label's element comes back."""

    def __init__(self, port):
        text = page_of(port)
        self.client = re.search(r"'client_id': '([^']+)'", text)[1]
        elements = html.unescape(re.search(r"parseElements\(String\.raw`(.*?)`\)", text, re.S)[1])
        self.element, self.listener = next(
            (int(number), event["listener_id"])
            for number, element in json.loads(elements).items()
            if element["tag"] == "nicegui-input"
            for event in element["events"]
            if event["type"] == "update:value"
        )
        query = {"client_id": self.client, "next_message_id": 0, "implicit_handshake": "true",
                 "document_id": uuid.uuid4(), "tab_id": uuid.uuid4(), "EIO": 4, "transport": "websocket"}
        super().__init__(port, "/_nicegui_ws/socket.io/?" + urllib.parse.urlencode(query))
        while not (received := super().frame()).startswith("40"):
            if received.startswith("0"):
                self.send("40")

    def type(self, number, text):
        event = {"id": self.element, "client_id": self.client, "listener_id": self.listener, "args": [f'"{text}"']}
        self.send("42" + json.dumps(["event", event]))

    def frame(self):
        while (received := super().frame()) == "2":
            self.send("3")
        return received

    def shows(self, received, text):
        return received.startswith('42["update"') and super().shows(received, text)


class Bokeh(Page):
    """Messages of a header, metadata and a content each: PATCH-DOC goes out, OK and PATCH-DOC come back."""

    def __init__(self, port):
        token = re.search(r'"token":"([^"]+)"', page_of(port))[1]
        super().__init__(port, "/ws", Sec_WebSocket_Protocol=f"bokeh, {token}")
        self.socket.socket.settimeout(30)
        self.await_type("ACK")
        self.message("PULL-DOC-REQ", {})
        models = json.dumps(json.loads(self.await_type("PULL-DOC-REPLY"))["doc"])
        self.model = re.search(r'"name": "TextInput", "id": "([^"]+)"', models)[1]

    def message(self, kind, content):
        for part in [{"msgid": uuid.uuid4().hex, "msgtype": kind}, {}, content]:
            self.send(json.dumps(part))

    def frame(self):
        header, _, content = super().frame(), super().frame(), super().frame()
        self.kind = json.loads(header)["msgtype"]
        return content

    def await_type(self, kind):
        while True:
            content = self.frame()
            if self.kind == kind:
                return content

    def type(self, number, text):
        event = {"kind": "ModelChanged", "model": {"id": self.model}, "attr": "value", "new": text}
        self.message("PATCH-DOC", {"events": [event]})

    def shows(self, received, text):
        return self.kind == "PATCH-DOC" and super().shows(received, text)


class Shiny(Page):
    """`update` with the field's value goes out; of what comes back the message with `values` has the label."""

    def __init__(self, port):
        super().__init__(port, "/websocket/")
        data = {"number": "0", "roll:shiny.action": 0, ".clientdata_output_label_hidden": False,
                ".clientdata_url_search": "", ".clientdata_url_pathname": "/"}
        self.send(json.dumps({"method": "init", "data": data}))

    def type(self, number, text):
        self.send(json.dumps({"method": "update", "data": {"number": text}}))

    def shows(self, received, text):
        return '"values"' in received and super().shows(received, text)
