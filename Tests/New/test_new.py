# SPDX-License-Identifier: Apache-2.0
"""A package of `musubi new` in each style, as its README has it: each command, no warning, no finding, and its script."""

import os
import re
import shutil
import signal
import subprocess
import time
import unittest
import urllib.request
from pathlib import Path

root = Path(__file__).resolve().parents[2]
# All styles share what SwiftPM builds: their packages have one path, one after the other.
place = root / ".build/new"
environment = os.environ | {"SWIFTPM_BUILD_DIR": str(place / "build"), "MUSUBI_PORT": "0"}


def run(*command, folder=place, status=0):
    """Runs a command to its end, and returns all that it prints."""
    done = subprocess.run(
        command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, timeout=900,
    )
    if done.returncode != status:
        raise AssertionError(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout[-4000:]}")
    return done.stdout


class NewPackage(unittest.TestCase):
    def make(self, style, *options):
        shutil.rmtree(place / "Tea", ignore_errors=True)
        place.mkdir(parents=True, exist_ok=True)
        run(root / ".build/debug/musubi", "new", "Tea", "--style", style, *options)
        return place / "Tea"

    def commands(self, folder):
        """The commands of the README's block, word by word."""
        block = re.search(r"## Three commands\n\n```\n(.*?)```", (folder / "README.md").read_text(), re.S).group(1)
        lines = [line.split() for line in block.splitlines()]
        self.assertEqual(len(lines), 3)
        return lines

    def serve(self, command, folder):
        """Starts a server, and returns its page."""
        server = subprocess.Popen(
            command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
            start_new_session=True,
        )
        try:
            address = next(line.split()[-1] for line in server.stdout if line.startswith("listening "))
            with urllib.request.urlopen(address + "/", timeout=60) as page:
                text = page.read().decode()
            for file in re.findall(r'(?:src|href)="(/[^"]+)"', text):
                urllib.request.urlopen(address + file, timeout=60).close()
            return text
        finally:
            os.killpg(server.pid, signal.SIGTERM)
            server.wait(timeout=60)
            server.stdout.close()

    def try_style(self, style, *options):
        began = time.monotonic()
        folder = self.make(style, *options)
        test, check, serve = self.commands(folder)

        built = run(*test, folder=folder)
        self.assertNotIn("warning:", built)
        self.assertRegex(built, r"Test run with 2 tests .* passed")
        self.assertIn("The pages fit the screens.", run(*check, folder=folder))
        self.assertIn('data-screen="tea"', self.serve(serve, folder))
        run("swift", "run", "Tea", "script", "--deadline", "60s", "Tests", folder=folder)
        run("swift", "format", "lint", "--strict", "--recursive", "Sources", "Tests", "Package.swift", folder=folder)

        # A slip in the page is found with its line, and the attributes of the editor are those of the check.
        page = folder / "Public/tea.html"
        page.write_text(page.read_text().replace('data-bind-text="waves"', 'data-bind-text="wave"'))
        found = run(*check, folder=folder, status=1)
        self.assertRegex(found, r'Public/tea.html:\d+: data-bind-text="wave": .* Did you mean waves')
        print(f"\n{style}: {time.monotonic() - began:.0f} s", flush=True)

    def test_inputs(self):
        self.try_style("inputs")

    def test_outlets(self):
        self.try_style("outlets")

    def test_states(self):
        self.try_style("states")

    def test_observable(self):
        self.try_style("observable")

    def test_repository(self):
        """By address and tag, as a package depends on Musubi that has no folder of it beside it."""
        clone = place / "Musubi.git"
        shutil.rmtree(clone, ignore_errors=True)
        place.mkdir(parents=True, exist_ok=True)
        run("git", "clone", "--quiet", "--bare", str(root), str(clone))
        run("git", "-C", str(clone), "tag", "--force", "0.0.1", "HEAD")
        self.try_style("inputs", "--url", clone.as_uri(), "--tag", "0.0.1")


if __name__ == "__main__":
    unittest.main()
