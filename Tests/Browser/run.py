# SPDX-License-Identifier: Apache-2.0
"""Runs the browser tests: every `async def test_...(case)` of the files `*_test.py` in a folder, two at a time.

A short run takes every other test of this folder, and the next commit takes the others; MUSUBI_LONG=1 and names of tests have all
run that are meant.
A test that fails runs once more, alone, with a browser of its own, unless too many fail: on a machine that other programs
share, a browser or its driver loses a request now and then. Both lines stay, and the sum says how many needed it.
Reads MUSUBI_GALLERY (.build/release/gallery), MUSUBI_CHROMIUM (/usr/bin/chromium) and MUSUBI_LONG.
"""

import argparse
import asyncio
import importlib
import os
import pathlib
import shutil
import subprocess
import sys
import time
import traceback

here = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(here))

from playwright.async_api import async_playwright  # noqa: E402

from harness import Case, reports, screenshots  # noqa: E402
from processes import gallery  # noqa: E402

# A test waits for conditions, each with a limit of its own; this one is for a test that waits for too many.
time_limit = 600 if "MUSUBI_LONG" not in os.environ else 1200

# So many tests may run again. More failures than that have a cause that does not go away.
max_repeats = 3


def print_outcome(verdict: str, began: float, name: str, test, details: str) -> None:
    """Prints the line of one test, and below it whatever explains a failure or a skip."""
    first = (test.__doc__ or "").splitlines()[0]
    print(f"{verdict}  {time.monotonic() - began:5.1f} s  {name:34} {first}", flush=True)
    if details:
        print("      " + details.replace("\n", "\n      "), flush=True)


def print_sum(outcomes: dict[str, str], repeated: list[str]) -> int:
    """Prints how the tests ended by name, and names those that failed and those that passed only when they ran again; returns
    the exit status."""
    verdicts = list(outcomes.values())
    counts = [f"{verdicts.count(verdict)} {word}" for verdict, word in
              (("pass", "passed"), ("FAIL", "failed"), ("skip", "skipped")) if verdict != "skip" or "skip" in verdicts]
    print("\n" + ", ".join(counts))
    for name in repeated:
        print(f"again: {name} failed once and passed when it ran again")
    failed = [name for name, verdict in outcomes.items() if verdict == "FAIL"]
    for name in failed:
        print(f"failed: {name}")
    return 1 if failed else 0


def collect(folder: pathlib.Path, wanted: list[str]) -> dict:
    """The tests by name, in the order of the files and of the lines in them."""
    tests = {}
    for file in sorted(folder.glob("*_test.py")):
        for name, test in vars(importlib.import_module(file.stem)).items():
            full = f"{file.stem.removesuffix('_test')}.{name.removeprefix('test_')}"
            if name.startswith("test_") and (not wanted or any(part in full for part in wanted)):
                tests[full] = test
    return tests


def count_commits() -> int:
    """How many commits there are, by which samples are chosen."""
    count = subprocess.run(["git", "rev-list", "--count", "HEAD"], cwd=here, capture_output=True, text=True).stdout.strip()
    return int(count or 0)


def sampled(tests: dict) -> dict:
    """Every other test, the others with the next commit."""
    print(f"every other of {len(tests)} tests; MUSUBI_LONG=1 runs all")
    return dict(list(tests.items())[count_commits() % 2::2])


async def run(name: str, test, browser) -> str:
    """Runs one test and prints its outcome, which it returns: `pass` or `FAIL`."""
    case, began, failure = Case(name, browser), time.monotonic(), ""
    try:
        async with asyncio.timeout(time_limit):
            await test(case)
    except Exception:  # an assertion, a limit, a browser that went away: all of them fail this test only
        failure = traceback.format_exc()
    details = failure
    try:
        if failure:
            details += await case.report()
    except Exception as error:  # a browser that went away can tell nothing
        details += f"no report: {error!r}"
    await case.close()
    details = "\n".join([*([details] if details else []), *case.problems])
    verdict = "FAIL" if details else "pass"
    print_outcome(verdict, began, name, test, details)
    return verdict


async def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="run only tests whose name contains one of these")
    parser.add_argument("--jobs", type=int, default=2, help="how many at a time (default: 2)")
    parser.add_argument("--list", action="store_true", help="print the names")
    parser.add_argument("--from", dest="folder", type=pathlib.Path, default=here, help="where they are (default: here)")
    options = parser.parse_args()
    sys.path.insert(0, str(options.folder.resolve()))
    tests = collect(options.folder, options.names)
    if options.list:
        print(*tests, sep="\n")
        return 0
    if not tests:
        sys.exit(f"run.py: no test has a name like {options.names}")
    if options.folder == here and not os.access(gallery, os.X_OK):
        sys.exit(f"run.py: {gallery} is missing; build it: deploy/test --only release")
    if not options.names and options.folder == here and "MUSUBI_LONG" not in os.environ:
        tests = sampled(tests)
    for folder in (reports, *([] if options.names or options.folder != here else [screenshots])):
        shutil.rmtree(folder, ignore_errors=True)

    turn = asyncio.Semaphore(options.jobs)
    async with async_playwright() as playwright:

        async def launch():
            # Without a sandbox of its own because CI runs as root; it opens nothing but loopback.
            return await playwright.chromium.launch(
                executable_path=os.environ.get("MUSUBI_CHROMIUM", "/usr/bin/chromium"), args=["--no-sandbox"])

        async def in_turn(name, test):
            async with turn:
                return await run(name, test, browser)

        browser = await launch()
        verdicts = dict(zip(tests, await asyncio.gather(*(in_turn(*each) for each in tests.items()))))
        await browser.close()
        failed = [name for name in tests if verdicts[name] == "FAIL"]
        for name in failed if len(failed) <= max_repeats else []:
            browser = await launch()
            verdicts[name] = await run(name, tests[name], browser)
            await browser.close()
    return print_sum(verdicts, [name for name in failed if verdicts[name] == "pass"])


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
