# SPDX-License-Identifier: Apache-2.0
"""A package of `musubi new` in each style, as its README has it: each command, no warning, no finding, and its script.

And `musubi dev` in one of them."""

import json
import os
import queue
import re
import shutil
import signal
import statistics
import string
import subprocess
import threading
import time
import unittest
import urllib.error
import urllib.request
from pathlib import Path

from playwright.sync_api import expect, sync_playwright

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


def replace(file, old, new):
    text = file.read_text()
    assert old in text, f"{file} has no {old}"
    file.write_text(text.replace(old, new))


# A swift that builds no release, and notes what it was asked for.
debug_only = """#!/bin/bash
echo "$*" >>"$0.log"
words=()
while (($#)); do
  case $1 in
    --configuration) shift ;;
    --static-swift-stdlib) ;;
    *) words+=("$1") ;;
  esac
  shift
done
exec {} "${{words[@]}}"
"""

# What the screen needs to outlive its process.
stored = """
extension TeaViewModel: Restorable {
  struct State: Codable {
    let name: String
    let count: Int
  }

  convenience init(_ state: State?) {
    self.init()
    guard let state else { return }
    (name, count) = (state.name, state.count)
  }

  var state: State { State(name: name, count: count) }
}
"""

# A page that is open while its process is replaced: it keeps the session, and sees the new program.
stays = """
open a /tea?room=stay
type a.name "Ann"
tap a.wave
expect a.waves = "Waves: 1"
save session = a.session
within 60s expect a close 4002
resume a
expect a.greeting = "Welcome, Ann!"
expect a.waves = "Waves: 1"
expect a.session = $session
"""

comes = """
open b /tea?room=stay
expect b.greeting = "Hello, Ann!"
expect b.waves = "Waves: 1"
"""


crashes = """
open a /tea?room=crash
type a.name "Ann"
tap a.wave
expect a.count = "Waves: 1"
tap a.wave
within 5s expect a.count = "Waves: 2"
"""


class Dev:
    """A running `musubi dev`, and what it prints."""

    def __init__(self, command, folder, **more):
        self.process = subprocess.Popen(
            list(map(str, command)), cwd=folder, env=environment | more, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, start_new_session=True,
        )
        self.lines = queue.Queue()
        self.seen = []
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def wait_for(self, pattern):
        """Waits for the next line with the pattern, and returns its match."""
        deadline = time.monotonic() + 600
        while True:
            try:
                line = self.lines.get(timeout=max(0, deadline - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"no line has {pattern}:\n{''.join(self.seen[-60:])}") from None
            if line is None:
                raise AssertionError(f"it has ended without {pattern}:\n{''.join(self.seen[-60:])}")
            self.seen.append(line)
            if match := re.search(pattern, line):
                return match

    def has_said(self, pattern):
        """Whether one of the lines that have come has the pattern; those after it are still to be waited for."""
        while not self.lines.empty():
            line = self.lines.get()
            if line is None:
                raise AssertionError(f"it has ended without {pattern}:\n{''.join(self.seen[-60:])}")
            self.seen.append(line)
            if re.search(pattern, line):
                return True
        return False

    def server(self):
        """The process id of the server; a build may be its child as well."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        (server,) = [int(child) for child in children if "\0serve\0" in Path(f"/proc/{child}/cmdline").read_text()]
        return server

    def kill_server(self):
        """Kills the server when it has lived for more than a second, so that it starts again by itself."""
        os.kill(self.lasting_server(), signal.SIGKILL)

    def lasting_server(self):
        """The process id of the server once it has lived for more than a second, by the kernel's own clock."""
        server = self.server()
        ticks = os.sysconf("SC_CLK_TCK")
        began = int(Path(f"/proc/{server}/stat").read_text().rpartition(")")[2].split()[19]) / ticks
        while float(Path("/proc/uptime").read_text().split()[0]) - began < 1.1:
            time.sleep(0.01)
        return server

    def end(self):
        """Asks it to end, and returns its exit status."""
        self.process.terminate()
        status = self.process.wait(timeout=60)
        # Whoever is left holds the pipe open.
        self.reader.join(timeout=20)
        if self.reader.is_alive():
            os.killpg(self.process.pid, signal.SIGKILL)
            raise AssertionError("it has left a process behind")
        self.process.stdout.close()
        return status


class Page:
    """A page in Chromium, and the overlay that `musubi dev` lays over it."""

    def __init__(self, address):
        self.playwright = sync_playwright().start()
        self.browser = self.playwright.chromium.launch(
            executable_path=os.environ.get("MUSUBI_CHROMIUM", "/usr/bin/chromium"), args=["--no-sandbox"])
        self.violations = []
        self.page = self.browser.new_page(locale="en")
        self.page.set_default_timeout(120_000)
        self.page.on("console", lambda said: "Content Security Policy" in said.text and self.violations.append(said.text))
        self.page.goto(address)
        self.overlay = self.page.get_by_role("alert")

    def tells(self, *words):
        for one in words:
            expect(self.overlay).to_contain_text(re.compile(one), timeout=120_000)

    def tells_nothing(self):
        expect(self.overlay).to_have_count(0, timeout=120_000)

    def types_until(self, is_over):
        """Types one character after another until something is so, and returns all of them."""
        typed, deadline = [], time.monotonic() + 600
        while not is_over():
            assert time.monotonic() < deadline, f"{len(typed)} characters were not enough"
            typed.append(string.ascii_letters[len(typed) % 52])
            self.page.keyboard.press(typed[-1])
            self.page.wait_for_timeout(30)
        return "".join(typed)

    def close(self):
        self.browser.close()
        self.playwright.stop()
        return self.violations


class Visits:
    """Somebody who asks for the page again and again, and what went wrong."""

    def __init__(self, address):
        self.address, self.problems, self.ending = address, [], threading.Event()
        self.thread = threading.Thread(target=self.visit, daemon=True)
        self.thread.start()

    def visit(self):
        while not self.ending.wait(0.05):
            try:
                urllib.request.urlopen(self.address, timeout=120).close()
            except OSError as problem:
                self.problems.append(repr(problem))

    def end(self):
        self.ending.set()
        self.thread.join(timeout=180)
        return self.problems


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
            [*command, "--port", "0", "--no-open"], cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
            start_new_session=True,
        )
        try:
            address = next(line.split()[2] for line in server.stdout if line.startswith("musubi: serving "))
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

        # The editor has the names of the screen: those that stand there from the beginning, and new ones.
        names = folder / ".vscode/musubi.html-data.json"
        written = names.read_text()
        run("swift", "run", "musubi", "check", folder=folder)
        self.assertEqual(names.read_text(), written)

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

    def test_dev(self):
        """A change of Swift replaces the process under its pages, and nobody is refused; a mistake leaves the one before."""
        folder = self.make("observable")
        view_model, page = folder / "Sources/Tea/TeaViewModel.swift", folder / "Public/tea.html"
        view_model.write_text(view_model.read_text() + stored)
        replace(folder / "Sources/Tea/main.swift", "_ in\n  TeaViewModel()", "context in\n  TeaViewModel(try context.restored())")
        opener = place / "bin/xdg-open"
        opener.parent.mkdir(exist_ok=True)
        opener.write_text('#!/bin/sh\necho "$1" >>"$0.log"\n')
        opener.chmod(0o755)
        opened = opener.with_suffix(".log")
        opened.unlink(missing_ok=True)
        dev = Dev([root / ".build/debug/musubi", "dev", "--port", "0", "--", "--log-level", "warning"], folder,
                  DISPLAY=":0", PATH=f"{opener.parent}:{environment['PATH']}")
        try:
            self.address = dev.wait_for(r"musubi: serving (http://\S+)").group(1)
            inspector = dev.wait_for(r"musubi: inspector (http://127\.0\.0\.1:\d+/inspector)$").group(1)
            self.answers(inspector)
            browser = Page(self.address)
            self.addCleanup(browser.close)
            expect(browser.page.locator("html")).to_have_attribute("data-link", "live", timeout=60_000)
            self.needs_its_server(browser, page)
            # The builds to come write another program at its place.
            shutil.copy(place / "build/debug/Tea", place / "visitor")
            visits = Visits(self.address)
            staying = self.play("stays", stays)
            self.passes(self.play("comes", comes))
            server = dev.server()

            # Somebody types from before the edit until the new process serves: nothing of it is lost.
            field = browser.page.get_by_label("Name")
            field.press_sequentially("Tea ", delay=30)
            replace(view_model, "Hello, ", "Welcome, ")
            typed = "Tea " + browser.types_until(lambda: dev.has_said("musubi: replaced"))
            self.assertGreater(len(typed), 10)
            typed += browser.types_until(browser.page.get_by_text("Welcome, ").is_visible)
            field.press_sequentially(" pot", delay=30)
            typed += " pot"
            fresh = browser.browser.new_page(locale="en")
            fresh.goto(self.address)
            for shown in (browser.page, fresh):
                expect(shown.get_by_label("Name")).to_have_value(typed, timeout=60_000)
                expect(shown.get_by_text(f"Welcome, {typed}!", exact=True)).to_be_visible(timeout=60_000)
            fresh.close()
            self.passes(staying)
            self.assertNotEqual(dev.server(), server)
            self.answers(inspector)
            self.assertEqual(visits.end(), [])

            replace(view_model, "Welcome, ", "Welcome, \\(nobody)")
            dev.wait_for("error: .*nobody")
            dev.wait_for("musubi: it does not build; the process before goes on")
            browser.tells(r"does not build.*goes on with the program before", r"Sources/Tea/TeaViewModel\.swift:\d+.*nobody")
            self.greets("Welcome, Ann!")
            dev.kill_server()
            dev.wait_for(r"musubi: the process has ended \(signal 9\); it starts again$")
            self.greets("Welcome, Ann!")

            # The page does not fit the next build, which waits until it does.
            replace(view_model, '"waves"', '"count"')
            replace(view_model, "\\(nobody)", "dear ")
            dev.wait_for(r"Public/tea.html:\d+: .*waves")
            dev.wait_for("musubi: the process before goes on until the check passes")
            self.greets("Welcome, Ann!")
            browser.tells("do not fit", r"Public/tea\.html:\d+.*waves")
            # Whatever ends the process meanwhile: the program before goes on, and not the one that waits.
            dev.kill_server()
            dev.wait_for(r"musubi: the process has ended \(signal 9\); it starts again$")
            self.greets("Welcome, Ann!")
            replace(page, '"waves"', '"count"')
            dev.wait_for("musubi: replaced")
            self.greets("Welcome, dear Ann!")
            self.editor_gets(folder, ["count", "greeting", "name", "waveDisabled"])
            browser.tells_nothing()

            # A trap of the author's is told with his own line; a process that has lived for a second starts again.
            replace(view_model, "count += 1", "count += [1][count]")
            dev.wait_for("musubi: replaced")
            dev.lasting_server()
            self.play("crashes", crashes).communicate(timeout=300)
            dev.wait_for(r"musubi: Sources/Tea/TeaViewModel\.swift:\d+: Index out of range in TeaViewModel\.wave")
            # The record of its room has what has ended the process: it does so again.
            record = dev.wait_for(r"musubi: the last events of its room are in (\S+\.record)$").group(1)
            command = dev.wait_for(r"musubi: to run them again: (swift run Tea replay (\S+))$")
            self.assertEqual(command.group(2), record)
            dev.wait_for(rf"event ended the process.* record={re.escape(record)}$")
            self.assertIn('"wave"', (folder / record).read_text().splitlines()[-1])
            replay = subprocess.run(
                command.group(1).split(), cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, text=True, timeout=600)
            self.assertNotEqual(replay.returncode, 0)
            self.assertIn("Index out of range", replay.stdout)
            browser.tells("has crashed", r"Sources/Tea/TeaViewModel\.swift:\d+.*Index out of range")
            replace(view_model, "count += [1][count]", "count += 2")
            dev.wait_for("musubi: (replaced|serving)")
            browser.tells_nothing()

            # Nothing runs: a broken page keeps the program from its start.
            # A server that saw it would have the open page loaded again, of which half would come.
            server = dev.server()
            os.kill(server, signal.SIGSTOP)
            replace(page, '<html lang="en">', '<html lang="en" data-layout="_none.html">')
            os.kill(server, signal.SIGKILL)
            dev.wait_for("musubi: the process has ended .exit status 1.; it starts again with the next change")
            browser.tells("has ended", r"tea\.html.*_none\.html")
            browser.page.reload()
            browser.tells("has ended.*after the next change that works", r"tea\.html.*_none\.html")
            self.assertEqual(browser.page.title(), "The program has ended.")
            replace(page, ' data-layout="_none.html"', "")
            dev.wait_for("musubi: serving")
            expect(browser.page.locator("html")).to_have_attribute("data-link", "live", timeout=60_000)
            browser.tells_nothing()
            self.assertEqual(browser.violations, [])
            # Once, however often the process was replaced.
            self.assertEqual(opened.read_text(), self.address + "\n")
            self.assertNotIn("not Restorable", "".join(dev.seen))
            self.assertEqual("".join(dev.seen).count("musubi: inspector"), 1)
            self.answers(inspector)
        finally:
            self.assertEqual(dev.end(), 0)
        with self.assertRaises(urllib.error.URLError):
            urllib.request.urlopen(self.address, timeout=60)

        # There was never anything to serve, and the address says why.
        replace(view_model, "count += 2", "count += nothing")
        replace(view_model, "TeaViewModel: Restorable", "TeaViewModel")
        replace(folder / "Sources/Tea/main.swift", "TeaViewModel(try context.restored())", "TeaViewModel()")
        dev = Dev([root / ".build/debug/musubi", "dev", "--port", "0", "--no-open"], folder)
        try:
            address = dev.wait_for("musubi: it does not build; (http://\\S+) says so").group(1)
            with self.assertRaises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(urllib.request.Request(address, headers={"Accept": "text/html"}), timeout=60)
            self.assertEqual(refused.exception.code, 503)
            browser.page.goto(address)
            browser.tells("does not build", r"TeaViewModel\.swift:\d+.*nothing")
            replace(view_model, "count += nothing", "count += 3")
            dev.wait_for("not Restorable, begins again with each process: tea$")
            expect(browser.page.locator("html")).to_have_attribute("data-link", "live", timeout=60_000)
            browser.tells_nothing()
        finally:
            self.assertEqual(dev.end(), 0)

    def needs_its_server(self, browser, file):
        """A page that was opened as a file says so in both languages, and one that was served does not."""
        sentences = [
            "This page needs its server: swift run musubi dev",
            "このページにはサーバーが必要です。swift run musubi dev",
        ]
        for locale in ["en", "ja"]:
            page = browser.browser.new_page(locale=locale)
            page.goto(file.as_uri())
            for sentence in sentences:
                expect(page.get_by_text(sentence)).to_be_visible()
            page.goto(self.address)
            expect(page.locator("html")).to_have_attribute("data-link", "live", timeout=60_000)
            for sentence in sentences:
                expect(page.get_by_text(sentence)).to_have_count(1)
                expect(page.get_by_text(sentence)).to_be_hidden()
            page.close()

    def test_speed(self):
        """How long a change takes from its file to the open page, above the build alone: a figure, and no promise."""
        folder = self.make("inputs")
        view_model = folder / "Sources/Tea/TeaViewModel.swift"
        dev = Dev([root / ".build/debug/musubi", "dev", "--port", "0", "--", "--log-level", "warning"], folder)
        try:
            browser = Page(dev.wait_for(r"musubi: serving (http://\S+)").group(1))
            self.addCleanup(browser.close)
            (before, above, builds) = ("Who is there?", [], [])
            for number in range(10):
                browser.page.get_by_text(before, exact=True).wait_for()
                after = f"Who is number {number}?"
                began = time.monotonic()
                replace(view_model, before, after)
                # Looks at each frame that is shown: a locator would look after longer and longer pauses.
                browser.page.wait_for_function(
                    "text => document.body.textContent.includes(text)", arg=after, polling="raf", timeout=60_000)
                whole = time.monotonic() - began
                builds.append(float(dev.wait_for(r"musubi: replaced .*build: ([0-9.]+)").group(1)))
                above.append(whole - builds[-1])
                before = after
            print(f"\nsave to live again, above the build alone: median {1000 * statistics.median(above):.0f} ms of ten, "
                  f"{1000 * min(above):.0f} to {1000 * max(above):.0f}; builds {statistics.median(builds):.2f} s", flush=True)
        finally:
            self.assertEqual(dev.end(), 0)

    def answers(self, address):
        with urllib.request.urlopen(address, timeout=60) as page:
            self.assertEqual(page.status, 200)

    def editor_gets(self, folder, expected):
        """The editor's names come behind the process that serves: nobody waits for them but this test."""
        deadline = time.monotonic() + 60
        while True:
            lists = json.loads((folder / ".vscode/musubi.html-data.json").read_text())["valueSets"]
            names = [one["name"] for one in next(one["values"] for one in lists if one["name"] == "outputs")]
            if names == expected or time.monotonic() > deadline:
                return self.assertEqual(names, expected)
            time.sleep(0.1)

    def play(self, name, script):
        """Starts a script against the server."""
        file = place / f"{name}.musubi"
        file.write_text(script)
        command = [place / "visitor", "script", "--deadline", "60s", "--url", self.address, file]
        return subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def passes(self, script):
        printed, _ = script.communicate(timeout=300)
        self.assertEqual(script.returncode, 0, printed)

    def greets(self, sentence):
        self.passes(self.play("greets", f'open a /tea?room=$fresh\ntype a.name "Ann"\nexpect a.greeting = "{sentence}"\n'))

    def test_build(self):
        """`musubi build site` asks for a release with the Swift libraries in it, and writes the pages put together.

        A release takes minutes and is built by other steps, so that here the program is the debug one that is there."""
        folder = self.make("inputs")
        page, site = folder / "Public/tea.html", folder / "site"
        frame = page.read_text()
        (folder / "Public/_frame.html").write_text(
            re.sub(r"<main.*</main>", "<main></main>", frame, flags=re.S).replace(' data-screen="tea"', ""))
        page.write_text(
            '<!doctype html>\n<html lang="en" data-layout="_frame.html">\n<head></head>\n<body data-screen="tea">'
            + re.search(r"<main.*</main>", frame, re.S)[0].replace("</main>", '<p data-use="leaf"></p></main>')
            + "</body>\n</html>\n")
        (folder / "Public/_leaf.html").write_text('<template data-fragment="leaf"><b>Darjeeling</b></template>\n')
        plain = b"<!doctype html>\n<title>Plain</title>\r\n<p>as it is\n"
        (folder / "Public/plain.html").write_bytes(plain)
        picture = (root / "Tests/Scripts/studio.png").read_bytes()
        (folder / "Public/leaf.png").write_bytes(picture)

        swift = place / "debug-only/swift"
        swift.parent.mkdir(exist_ok=True)
        swift.write_text(debug_only.format(shutil.which("swift")))
        swift.chmod(0o755)
        asked = swift.with_suffix(".log")
        asked.unlink(missing_ok=True)
        command = ["env", f"PATH={swift.parent}:{environment['PATH']}", root / ".build/debug/musubi", "build", "site"]
        site.mkdir()
        (site / "mine.txt").write_text("stays")
        printed = run(*command, folder=folder)
        self.assertIn("built .build/release/Tea", printed)
        self.assertIn("files are in site.", printed)
        self.assertIn("build --product Tea --configuration release --static-swift-stdlib\n", asked.read_text())

        sent = (site / "index.html").read_text()
        for part in ("<title>Tea</title>", 'href="/musubi-base.css"', "<b>Darjeeling</b>", 'data-screen="tea"'):
            self.assertIn(part, sent)
        self.assertNotRegex(sent, "data-use|data-layout")
        self.assertEqual((site / "plain.html").read_bytes(), plain)
        self.assertEqual((site / "leaf.png").read_bytes(), picture)
        self.assertEqual((site / "mine.txt").read_text(), "stays")
        self.assertTrue((site / "musubi.js").exists())
        self.assertEqual(list(site.glob("_*")), [])

        # A page that cannot be put together leaves all as it is; the mistake has its place and its status.
        replace(page, 'data-use="leaf"', 'data-use="laef"')
        (folder / "Public/new.html").write_text("new")
        before = {file: file.read_bytes() for file in site.rglob("*") if file.is_file()}
        printed = run(*command, folder=folder, status=1)
        self.assertRegex(printed, r'Public/tea\.html:\d+: there is no fragment "laef"')
        self.assertEqual({file: file.read_bytes() for file in site.rglob("*") if file.is_file()}, before)

        # A program that does not build writes nothing either.
        replace(page, 'data-use="laef"', 'data-use="leaf"')
        replace(folder / "Sources/Tea/TeaViewModel.swift", "import Musubi\n", "import Musubi\nlet nothing: Int\n")
        printed = run(*command, folder=folder, status=1)
        self.assertRegex(printed, r"Sources/Tea/TeaViewModel\.swift:\d+:\d+: error: ")
        self.assertFalse((site / "new.html").exists())

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
