# SPDX-License-Identifier: Apache-2.0
"""Loads of musubi-bench that another process makes, as one on a second machine does."""

import json
import pathlib
import socket
import subprocess
import tempfile
import unittest

from servers import program, root

bench = pathlib.Path(program).parent / "musubi-bench"


class LoadFromElsewhere(unittest.TestCase):
    def setUp(self):
        self.server = subprocess.Popen(
            [bench, "--load-server", "tcp://127.0.0.1:0"], stdout=subprocess.PIPE, text=True, cwd=root)
        self.addCleanup(self.end)
        self.url = self.server.stdout.readline().split()[3].rstrip(",")
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def end(self):
        self.server.kill()
        self.server.wait()
        self.server.stdout.close()

    def measure(self, *words, url=None):
        """Runs a benchmark; what it wrote, and its rows."""
        file = pathlib.Path(self.folder.name, "rows.json")
        short = ["--seconds", "1", "--repeats", "1", "--in-flight", "1", "--json", str(file)]
        done = subprocess.run(
            [bench, *words, *short, "--load", url or self.url], capture_output=True, text=True, cwd=root,
            timeout=120)
        rows = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
        return done, rows

    def connect(self):
        host, port = self.url.removeprefix("tcp://").split(":")
        connection = socket.create_connection((host, int(port)), timeout=60)
        self.addCleanup(connection.close)
        return connection.makefile("rw")

    def test_one_benchmark_after_the_other(self):
        """All three servers are measured by it, with the CPU time that only the other side knows."""
        for words in (["echo", "--connections", "4"], ["join", "--connections", "4"]):
            done, rows = self.measure(*words)

            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertIn("load on another machine (", done.stdout)
            measured = [row for row in rows if row.get("mode") == words[0] and "server" in row]
            self.assertEqual({row["server"] for row in measured}, {"epoll", "lws", "musubi"})
            for row in measured:
                self.assertGreater(row["perSecond"], 0, row)
                self.assertGreater(row["serverMicrosecondsPerEvent"], 0, row)

    def test_what_it_does_not_understand_ends_the_connection_alone(self):
        with self.connect() as stream:
            self.assertGreater(json.loads(stream.readline())["maxConnections"], 0)
            stream.write("please\n")
            stream.flush()
            self.assertEqual(stream.readline(), "")
        with self.connect() as stream:
            stream.readline()
            stream.write(json.dumps({"run": {"load": 7, "limit": {"seconds": {"_0": 1}}}}) + "\n")
            stream.flush()
            self.assertEqual(json.loads(stream.readline()), {"error": "there is no load 7"})
            stream.write(json.dumps({"rest": {"load": 7, "seconds": 100_000}}) + "\n")
            stream.flush()
            self.assertEqual(json.loads(stream.readline()), {"error": "A run takes at most 3600 seconds."})

    def test_nobody_makes_loads_there(self):
        self.end()
        done, rows = self.measure("echo")

        self.assertEqual(done.returncode, 1)
        self.assertIn(f"{self.url} cannot be reached: Connection refused", done.stderr)

    def test_peers_makes_its_load_itself(self):
        done, rows = self.measure("peers")

        self.assertEqual(done.returncode, 1)
        self.assertIn("peers makes its load itself", done.stderr)


if __name__ == "__main__":
    unittest.main()
