# SPDX-License-Identifier: Apache-2.0
"""A musubi.v1 client, written from Wire.md with `websockets` and `jsonpatch` and nothing of ours."""

import json

import jsonpatch
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

import certificates
from text_edit import Document


class Page:
    """One screen over one session, which may outlive several connections."""

    timeout = 60  # only what never comes takes so long, however busy the machine is

    def __init__(self, server, screen="number", room=None, edits=False):
        self.address = server.replace("http", "ws", 1) + f"/live/{screen}"
        self.room, self.edits = room, edits
        self.session = self.token = self.position = self.socket = None
        self.state, self.documents = {}, {}
        self.number = 0
        self.sent = {}  # unacknowledged inputs: number -> frame
        self.keys = {}  # which text an edit is of: number -> key
        self.orphans = []  # what rows showed that have gone with unconfirmed typing
        self.errors, self.events, self.frames = [], [], []
        self.close_code = None
        self.resumed = None

    # Connections

    def open(self, resume=False, **options):
        query = []
        if self.room is not None:
            query.append(f"room={self.room}")
        if self.edits:
            query.append("edits=1")
        if resume:
            query.append("resume=1")
        address = self.address + ("?" + "&".join(query) if query else "")
        if address.startswith("wss:"):
            options["ssl"] = certificates.context_for_threads()
        self.socket = connect(
            address, subprotocols=["musubi.v1"], open_timeout=self.timeout, max_size=None, compression=None, **options
        )
        self.close_code = None
        if not resume:
            self.wait(lambda: self.position is not None)
        return self

    def drop(self):
        """Loses the connection without a close frame."""
        self.socket.socket.close()
        self.socket = None

    def resume(self, token=None, position=None):
        self.open(resume=True)
        self.resumed = None
        frame = {"session": self.session, "token": token or self.token, "position": position or self.position}
        self.send({"resume": frame})
        self.wait(lambda: self.resumed is not None)
        return self

    def resend(self):
        """Sends unacknowledged inputs again, with the same numbers."""
        for frame in list(self.sent.values()):
            self.send(frame)

    def close(self):
        if self.socket:
            self.socket.close()
            self.socket = None

    # Sending

    def send(self, frame):
        self.socket.send(frame if isinstance(frame, (str, bytes)) else json.dumps(frame, ensure_ascii=False))

    def input(self, name, **members):
        self.number += 1
        frame = {"input": self.number, "name": name, **members}
        self.sent[self.number] = frame
        if self.socket:
            self.send(frame)
        return self.number

    def inputs(self, name, *values):
        """Sends several at once: the server gets them without a pause, however busy the machine is."""
        connection = self.socket
        with connection.protocol_mutex:
            for value in values:
                self.number += 1
                self.sent[self.number] = {"input": self.number, "name": name, "value": value}
                connection.protocol.send_text(json.dumps(self.sent[self.number]).encode())
            connection.socket.sendall(b"".join(connection.protocol.data_to_send()))

    def type(self, name, edit, row=None, key=None):
        """Types into a text of the screen, or, with row and key, of a row: `type("title", [...], "42", "/rows/42/title")`."""
        if key and key not in self.documents:
            self.documents[key] = Document(self.field(key), None)
        document = self.documents[key or name]
        revision, edit = document.edit(self.number + 1, edit)
        base = {"sequence": self.position[1]} if revision is None else {"revision": revision}
        where = {} if row is None else {"row": row}
        number = self.input(name, **where, **base, edits=edit)
        self.keys[number] = key or name
        return number

    def row(self, key):
        """The row of a key, and the text's name; None if the row is not there."""
        list_name, *way = [token.replace("~1", "/").replace("~0", "~") for token in key.split("/")[1:]]
        rows = self.state.get(list_name, [])
        while True:
            row = next((row for row in rows if str(row["id"]) == way[0]), None)
            if row is None or len(way) == 2:
                return row, way[-1]
            rows, way = row[way[1]], way[2:]

    def field(self, key):
        """The text of a field by the state."""
        if not key.startswith("/"):
            return self.state[key + ".field"]
        row, name = self.row(key)
        return row.get(name + ".field", row[name])

    # Receiving

    def wait(self, condition, timeout=None):
        """Handles frames until the condition holds; each wait has an end, since `recv` has a timeout."""
        while not condition():
            try:
                text = self.socket.recv(timeout=timeout or self.timeout)
            except ConnectionClosed as closed:
                self.close_code = closed.rcvd.code if closed.rcvd else 1006
                self.socket = None
                if condition():
                    return
                raise
            except TimeoutError:
                seen = f"state {str(self.state)[:2000]}, last frames {str(self.frames[-6:])[:2000]}"
                raise AssertionError(f"nothing came; {seen}") from None
            self.handle(json.loads(text))

    def settle(self):
        """Waits until everything is acknowledged, and frames under way at the answer have come."""
        self.wait(lambda: not self.sent)
        self.barrier()

    def barrier(self):
        self.pong = None
        self.send({"ping": 4711})
        self.wait(lambda: self.pong == 4711)

    def wait_closed(self):
        self.wait(lambda: self.close_code is not None)
        return self.close_code

    def handle(self, frame):
        self.frames.append(frame)
        if frame.get("screen"):
            return  # this client follows the first screen alone
        kind = next(iter(frame))
        getattr(self, "on_" + kind, lambda frame: None)(frame)

    def on_hello(self, frame):
        self.session, self.token = frame["hello"]["session"], frame["hello"]["token"]
        self.heartbeat, self.schema = frame["hello"]["heartbeat"], frame["hello"]["schema"]
        if self.resumed is None:
            self.resumed = "afresh"

    def on_snapshot(self, frame):
        self.state, self.position = frame["snapshot"], [frame["epoch"], frame["sequence"]]
        if self.edits:
            self.documents = {
                name: Document(self.field(name), revision) for name, revision in frame["revisions"].items()
            }

    def on_sequence(self, frame):
        assert frame["sequence"] == self.position[1] + 1, f"turn {frame['sequence']} after {self.position}"
        self.position = [self.position[0], frame["sequence"]]
        self.state = jsonpatch.apply_patch(self.state, frame.get("patch", []))
        for key in [key for key in self.documents if key.startswith("/") and self.row(key)[0] is None]:
            document = self.documents.pop(key)
            if document.pending:
                self.orphans.append(document.text)
        for key, change in frame.get("edits", {}).items():
            if key.startswith("/") and self.row(key)[0] is None:
                continue
            if "text" in change:
                first = change["revision"] - len(change["steps"])
                self.documents.setdefault(key, Document(change["text"], first)).begin(first)
            self.documents[key].follow(change["steps"], change["revision"])
        self.events += frame.get("events", [])

    def on_ack(self, frame):
        if "revision" in frame and frame["ack"] in self.sent:
            self.documents[self.keys[frame["ack"]]].assign(frame["ack"], frame["revision"])
        self.sent = {number: sent for number, sent in self.sent.items() if number > frame["ack"]}

    def on_error(self, frame):
        self.errors.append(frame["error"])

    def on_resumed(self, frame):
        resumed = frame["resumed"]
        for number, revision in resumed["own"]:
            if number in self.sent:
                self.documents[self.keys[number]].assign(number, revision)
        self.session, self.token = resumed["session"], resumed["token"]
        self.sent = {number: sent for number, sent in self.sent.items() if number > resumed["ack"]}
        self.resumed = resumed

    def on_pong(self, frame):
        self.pong = frame["pong"]
