# SPDX-License-Identifier: Apache-2.0
"""A quiz of the gallery with 200 players, all on pages of their own: a script that is written here."""

import os
import pathlib
import subprocess
import tempfile
import unittest

from servers import root

gallery = pathlib.Path(os.environ.get("MUSUBI_GALLERY", root / ".build/release/gallery"))
players = [f"p{number}" for number in range(200)]
questions = 5


def together(steps) -> list[str]:
    return ["parallel", *(f"  {step}" for step in steps), "end"]


def script() -> str:
    """A quiz from its beginning to the table; each page looks at each result."""
    lines = ["open h /quiz?room=$fresh as host", "tap h.host"]
    lines += [f"open {player} /quiz?room=$fresh as {player}" for player in players]
    lines += together(f"tap {player}.join" for player in players)
    lines += ["settle", f"expect h.scene.players = {len(players)}", f"expect h.table.count = {len(players)}"]
    for question in range(questions):
        lines += ["tap h.next", "settle", "expect p0.scene.isOpen = true"]
        lines += ["tap p0.choices[0].answer", "settle", "expect h.choices[0].votes = 1", "expect p1.choices[0].votes = 0"]
        lines += together(f"tap {player}.choices[{number % 4}].answer" for number, player in enumerate(players))
        lines += ["settle", "expect h.scene.isClosed = true", f"expect h.scene.answers = {len(players)}"]
        lines += [f"expect {player}.choices[{choice}].votes = 50" for player in players for choice in range(4)]
    lines += ["tap p7.next", "expect p7 error not-allowed", "tap h.next"]
    lines += [f"expect {player}.table.count = {len(players)}" for player in players]
    lines += ["expect h.table[0].place = 1", "expect h.table[199].points < 60"]
    return "\n".join(lines) + "\n"


class Quiz(unittest.TestCase):
    def test_200_players(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "quiz.musubi"
            file.write_text(script())
            outcome = subprocess.run(
                [gallery, "script", "--deadline", "60s", file, "--", "--max-connections-per-peer", "300"],
                cwd=root, capture_output=True, text=True, timeout=600, check=False)
        self.assertEqual(outcome.returncode, 0, outcome.stdout[-3000:])


if __name__ == "__main__":
    unittest.main()
