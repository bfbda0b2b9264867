# SPDX-License-Identifier: Apache-2.0
"""`musubi bench`: visitors who play a script against the gallery."""

import re
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree
from pathlib import Path

root = Path(__file__).resolve().parents[2]

visit = """\
open a /number?room=$fresh
open b like a
tap a.roll
settle
expect a.label = b.label
type b.number "42"
expect a.label = "42"
"""


class Bench(unittest.TestCase):
    def test_bench(self):
        """Visitors open pages, tap and type; the table and the chart have each step, and the server has no complaint."""
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "visit.musubi").write_text(visit)
            server = subprocess.Popen(
                [root / ".build/debug/gallery", "serve", "--port", "0"], cwd=root, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            try:
                address = next(line.split()[-1] for line in server.stdout if line.startswith("listening "))
                done = subprocess.run(
                    [root / ".build/debug/musubi", "bench", address, "visit.musubi", "--visitors", "5", "--for", "5s",
                     "--deadline", "60s", "--chart", "visit.svg"],
                    cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                    timeout=120)
            finally:
                server.terminate()
                server.wait(timeout=60)
                server.stdout.close()
            self.assertEqual(done.returncode, 0, done.stdout)
            self.assertRegex(done.stdout, r"^5 visitors for 5 s at \S+: [1-9]\d* rounds? passed, 0 failed")
            for number, step in enumerate(visit.splitlines(), 1):
                self.assertRegex(done.stdout, rf"(?m)^{number}  {re.escape(step)} +[1-9]\d* ")
            chart = xml.etree.ElementTree.parse(Path(folder) / "visit.svg")
            bars = chart.findall(".//{http://www.w3.org/2000/svg}circle")
            self.assertEqual(len(bars), len(visit.splitlines()))


if __name__ == "__main__":
    unittest.main()
