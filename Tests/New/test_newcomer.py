# SPDX-License-Identifier: Apache-2.0
"""A newcomer: the README's first package and the tutorial, command by command as they are written, and usual mistakes.

In a clone of what is committed, which is built anew."""

import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import unittest
import urllib.request
from pathlib import Path

from test_new import Dev, replace

root = Path(__file__).resolve().parents[2]
place = root / ".build/newcomer"
clone = place / "Musubi"
# One folder for what SwiftPM builds of the clone and of the packages beside it; the tool finds its sources around it.
environment = {"SWIFTPM_BUILD_DIR": str(clone / ".build"), "MUSUBI_PORT": "0", "DISPLAY": "", "WAYLAND_DISPLAY": ""}
placeholder = "<the address of Musubi's repository>"


def steps(document):
    """The files and the commands of a document in its order: a path with the file's text, or None with a block of lines."""
    block = r"(?:^\*\*`([^`]+)`\*\*\n\n)?^```(\w*)\n(.*?)^```$"
    for path, language, text in re.findall(block, document, re.M | re.S):
        if path or not language:
            yield path or None, text


def tutorial():
    return steps((root / "Sources/Musubi/Musubi.docc/Tutorial.md").read_text())


class Shell:
    """Does one line after the other, in the folder to which `cd` has led."""

    def __init__(self):
        self.folder = place

    def run(self, line, status=0):
        """Runs a line to its end, and returns all that it prints."""
        words = shlex.split(line.replace(placeholder, shlex.quote(str(root))))
        if words[0] == "cd":
            self.folder /= words[1]
            return ""
        if words[0] == "apt-get":
            states = [subprocess.run(["dpkg-query", "--status", name], capture_output=True) for name in words[2:]]
            if all(b"ok installed" in state.stdout for state in states):
                print(f"\nleft out, since all are there: {line}", flush=True)
                return ""
            words.insert(2, "--yes")
        done = subprocess.run(
            words, cwd=self.folder, env=os.environ | environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, timeout=1800,
        )
        if done.returncode != status:
            raise AssertionError(f"{line} ended with {done.returncode}:\n{done.stdout[-4000:]}")
        return done.stdout

    def start(self, line):
        """Starts what runs until somebody ends it."""
        return Dev(shlex.split(line), self.folder, **environment)


def get(address):
    with urllib.request.urlopen(address, timeout=60) as response:
        return response.read().decode()


class Newcomer(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        Shell().run(cls.clones())

    @staticmethod
    def clones():
        """The command of the tutorial that makes the clone."""
        [line] = [line for path, text in tutorial() if not path for line in text.splitlines() if placeholder in line]
        return line

    def package(self):
        """A package of `musubi new`, and a shell in its folder."""
        shell = Shell()
        shutil.rmtree(place / "Tea", ignore_errors=True)
        shell.run("swift build --package-path Musubi --product musubi")
        shell.run(f"{clone}/.build/debug/musubi new Tea")
        shell.run("cd Tea")
        return shell

    def test_first_package(self):
        """The block of the README, and a mistake in Swift that `musubi dev` tells."""
        section = (clone / "README.md").read_text().split("\n## Begin your own\n")[1]
        (path, block), *_ = steps(section)
        self.assertIsNone(path)
        shutil.rmtree(place / "Tea", ignore_errors=True)
        *lines, last = block.splitlines()
        shell = Shell()
        for line in lines:
            printed = shell.run(line)
            self.assertNotIn("warning:", printed)
        self.assertRegex(printed, r"Test run with 2 tests .* passed")

        self.assertTrue(last.endswith("musubi dev"), last)
        dev = shell.start(last)
        try:
            address = dev.wait_for(r"musubi: serving (http://\S+)").group(1)
            self.assertIn('data-screen="tea"', get(address))
            view_model = shell.folder / "Sources/Tea/TeaViewModel.swift"
            replace(view_model, "count + 1", "cont + 1")
            dev.wait_for(r"Sources/Tea/TeaViewModel\.swift:\d+:\d+: error: cannot find 'cont' in scope")
            dev.wait_for("musubi: it does not build; the process before goes on")
            self.assertIn('data-screen="tea"', get(address))
            replace(view_model, "cont + 1", "count + 1")
            dev.wait_for("musubi: (replaced|serving)")
            dev.process.send_signal(signal.SIGINT)
            self.assertEqual(dev.process.wait(timeout=60), 0)
        finally:
            dev.end()

    def test_tutorial(self):
        """Each file and each command of the tutorial, in its order."""
        shutil.rmtree(place / "Tea", ignore_errors=True)
        shell = Shell()
        for path, text in tutorial():
            if path:
                (shell.folder / path).parent.mkdir(parents=True, exist_ok=True)
                (shell.folder / path).write_text(text)
                continue
            for line in text.splitlines():
                if line == self.clones():
                    continue
                if " serve" in line:
                    self.serve(shell, line)
                    continue
                printed = shell.run(line)
                self.assertNotIn("warning:", printed)
                if line == "swift test":
                    self.assertRegex(printed, r"Test run with 4 tests .* passed")
        # What it has the reader try at the end of its sixth part.
        replace(shell.folder / "Public/tea.html", '"clock"', '"clok"')
        self.assertRegex(shell.run("swift run Tea check", status=1), r"Public/tea\.html:\d+: .*clok.* Did you mean clock\?")

    def serve(self, shell, line):
        server = shell.start(line)
        try:
            address = server.wait_for(r"^listening (http://\S+)").group(1)
            self.assertIn('data-screen="tea"', get(address + "/tea"))
            self.assertIn("--allow-origin", shell.run("swift run Tea serve --help"))
        finally:
            self.assertEqual(server.end(), 0)

    def test_mistakes(self):
        """What a newcomer writes wrongly, and the words that lead on."""
        shell = self.package()
        page = shell.folder / "Public/tea.html"
        whole = page.read_text()
        field = '<input type="text" autocomplete="off" data-bind-value="name">'
        slips = [
            ('data-bind-text="waves"', 'data-bind-text="wavs"', "has no output of that name. Did you mean waves?"),
            ('data-on-click="wave"', 'data-on-click="waive"', "has no input of that name. Did you mean wave?"),
            ("data-on-click=", "data-on-clik=", "there is no attribute data-on-clik. Did you mean data-on-click?"),
            ('<p data-bind-text="greeting">', '<p data-bind-value="greeting">', "does nothing on <p>: only form controls"),
            (f"<label>Name {field}</label>", f"Name {field}", "<input> has no label; write a <label> around it"),
            (field, '<input type="checkbox" data-bind-checked="name">', "the control sends true or false, but the input"),
            ('data-screen="tea"', 'data-screen="te"', 'the application has no screen "te".'),
        ]
        shell.run("swift build")
        for right, wrong, words in slips:
            with self.subTest(wrong):
                page.write_text(whole)
                replace(page, right, wrong)
                line = 1 + next(index for index, text in enumerate(page.read_text().splitlines()) if wrong in text)
                printed = shell.run("swift run Tea check", status=1)
                [found] = [text for text in printed.splitlines() if text.startswith(f"Public/tea.html:{line}: ")]
                self.assertIn(words, found)
        self.assertIn('names the screen "te"', shell.run("swift run Tea serve", status=1))
        page.unlink()
        missing = 'Public/tea.html:1: there is no such file, but it is the page of the screen "tea".'
        self.assertIn(missing, shell.run("swift run Tea check", status=1))
        self.assertIn("tea.html", shell.run("swift run Tea serve", status=1))
        page.write_text(whole)
        self.assertIn("The pages fit the screens.", shell.run("swift run Tea check"))

        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            for command, words in {
                "swift run Tea serve": f"Port {port} on 127.0.0.1 is taken by another program; choose another with --port",
                "swift run musubi dev": f"port {port} cannot be listened on: Address already in use; name another one by --port",
            }.items():
                self.assertIn(words, shell.run(f"{command} --port {port}", status=1))

        shell = Shell()
        tool = f"{clone}/.build/debug/musubi"
        self.assertIn("/Tea exists, and is not empty.", shell.run(f"{tool} new Tea", status=1))
        for name, words in {
            "Tea-Shop": "cannot name a Swift module", "class": "is a word of the language Swift",
            "Foundation": "is the name of a module that every program has",
        }.items():
            self.assertIn(words, shell.run(f"{tool} new {name}", status=2))
            self.assertFalse((place / name).exists())
        self.assertIn("did you mean serve?", shell.run(f"{clone}/.build/debug/Tea serv", status=2))

    def test_record(self):
        """A session is recorded, replayed and made a test, which passes until the ViewModel is another one."""
        shell = self.package()
        server = shell.start("swift run Tea serve --record records")
        try:
            address = server.wait_for(r"^listening (http://\S+)").group(1)
            shell.run(f"swift run Tea script --url {address} Tests")
        finally:
            self.assertEqual(server.end(), 0)
        [record] = (shell.folder / "records").glob("tea-*.record")
        replay = f"swift run Tea replay records/{record.name}"
        self.assertRegex(shell.run(replay), r"All \d+ turns are the same, after \d+ events\.")

        test = shell.folder / "Tests/TeaTests/SessionTests.swift"
        printed = shell.run(f"{replay} --to-test Tests/TeaTests/{test.name}")
        self.assertIn("Look at how it makes the screen.", printed)
        # The guide has the reader look at that line, and exclude the record.
        last = '.product(name: "MusubiTesting", package: "Musubi"),\n      ]'
        replace(shell.folder / "Package.swift", last, f'{last}, exclude: ["{record.name}"]')
        printed = shell.run("swift test")
        self.assertNotIn("warning:", printed)
        self.assertRegex(printed, r"Test run with 3 tests .* passed")

        replace(shell.folder / "Sources/Tea/TeaViewModel.swift", "Hello, ", "Welcome, ")
        printed = shell.run(replay, status=1)
        self.assertRegex(printed, r"Turn \d+ is the first that differs, [0-9.]+ s after the room was made:")
        self.assertRegex(printed, r'output    greeting\n  recorded  "Hello, .*"\n  today     "Welcome, .*"')
        self.assertIn("Tea: there is no file nofile.", shell.run("swift run Tea replay nofile", status=2))


if __name__ == "__main__":
    unittest.main()
