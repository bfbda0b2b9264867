# SPDX-License-Identifier: Apache-2.0
"""A server on loopback that answers as Wikipedia's search API does, or as badly as a test wants it to."""

import http.server
import json
import threading
import urllib.parse


def answer(*titles):
    """What the real API answers, down to the members that nobody needs."""
    hits = [
        {
            "ns": 0,
            "title": title,
            "pageid": 100 + number,
            "size": 3000,
            "wordcount": 300,
            "snippet": f'About <span class="searchmatch">{title}</span> &amp; more,\n&quot;so&#039;s&quot;',
            "timestamp": "2024-01-01T00:00:00Z",
        }
        for number, title in enumerate(titles)
    ]
    found = {"searchinfo": {"totalhits": 4711}, "search": hits}
    return json.dumps({"batchcomplete": True, "continue": {"sroffset": 20, "continue": "-||"}, "query": found})


class Wikipedia:
    """Finds the word itself, unless a word was given a reply of its own; a reply may wait for a gate."""

    def __init__(self):
        self.replies = {}  # word -> (status, body), or a body that is cut
        self.gates = {}  # word -> threading.Event
        self.asked = []
        self.answered = []
        self._change = threading.Condition()
        wikipedia = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                wikipedia._reply(self)

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self):
        for gate in self.gates.values():
            gate.set()
        self._server.shutdown()
        self._server.server_close()

    def hold(self, word):
        """Lets the answer to a word wait until `set` is called on what this returns."""
        gate = self.gates[word] = threading.Event()
        return gate

    def wait(self, condition, timeout=60):
        with self._change:
            if not self._change.wait_for(condition, timeout):
                raise AssertionError(f"asked {self.asked}, answered {self.answered}")

    def _note(self, words, word):
        with self._change:
            words.append(word)
            self._change.notify_all()

    def _reply(self, handler):
        url = urllib.parse.urlsplit(handler.path)
        query = dict(urllib.parse.parse_qsl(url.query))
        word = query.get("srsearch", "")
        self._note(self.asked, word)
        if word in self.gates:
            self.gates[word].wait(60)
        status, body = self.replies.get(word, (200, answer(word)))
        if url.path != "/w/api.php" or query.get("action") != "query" or query.get("list") != "search":
            status, body = 404, "{}"
        body = body.encode()
        try:
            handler.send_response(abs(status))
            handler.send_header("Content-Type", "application/json; charset=utf-8")
            # A negative status stands for an answer that breaks off.
            handler.send_header("Content-Length", str(len(body) + (100 if status < 0 else 0)))
            handler.end_headers()
            handler.wfile.write(body)
        except OSError:
            pass  # the search was given up
        handler.close_connection = True
        self._note(self.answered, word)
