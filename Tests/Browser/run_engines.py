# SPDX-License-Identifier: Apache-2.0
"""Runs the tests of the folder Engines in Chromium, Firefox and WebKit, by WebDriver: every `async def test_...(case)`.

A short run takes each test to one engine, and the next commit takes it to another one; MUSUBI_LONG=1, `--engine` and names of tests
have it run in all that are meant.
Each engine has two browsers with profiles of their own. A test that a driver cannot run is skipped, with its reason. A test that
fails runs once more with fresh browsers, as in run.py.
Reads MUSUBI_GALLERY (.build/release/gallery), MUSUBI_CHROMIUM (/usr/bin/chromium).
"""

import argparse
import asyncio
import os
import pathlib
import sys
import time
import traceback

here = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(here), str(here / "Engines")]

from engines import Unable, engines  # noqa: E402
from processes import gallery  # noqa: E402
from run import collect, count_commits, max_repeats, print_outcome, print_sum  # noqa: E402
from visitors import VisitorsCase  # noqa: E402

# A test waits for conditions, each with a limit of its own; this one is for a test that waits for too many.
time_limit = 300


async def run(name: str, test, browsers: list) -> str:
    """Runs one test in one engine and prints its outcome, which it returns: `pass`, `FAIL` or `skip`."""
    case, began, verdict, details = VisitorsCase(name, browsers), time.monotonic(), "pass", ""
    try:
        async with asyncio.timeout(time_limit):
            await test(case)
    except Unable as reason:
        verdict, details = "skip", str(reason)
    except Exception:  # an assertion, a limit, a browser that went away: all of them fail this test only
        verdict, details = "FAIL", traceback.format_exc()
    try:
        if verdict == "FAIL":
            details += await case.report()
    except Exception as error:  # a browser that went away can tell nothing
        details += f"no photograph: {error!r}"
    await case.close()
    if case.problems:
        verdict, details = "FAIL", "\n".join([details, *case.problems])
    print_outcome(verdict, began, name, test, details)
    return verdict


async def run_engine(engine: str, tests: dict) -> dict[str, str]:
    """Runs tests in two fresh browsers of one engine; returns their outcomes by name."""
    browsers = [engines[engine]() for _ in range(2)]
    try:
        started = await asyncio.gather(*(browser.start() for browser in browsers), return_exceptions=True)
        failures = [repr(failure) for failure in started if isinstance(failure, BaseException)]
        if failures:
            print(f"FAIL  {engine} does not start: {', '.join(failures)}")
            return dict.fromkeys(tests, "FAIL")
        return {name: await run(f"{engine}.{name}", test, browsers) for name, test in tests.items()}
    finally:
        await asyncio.gather(*(browser.close() for browser in browsers))


async def run_with_repeats(engine: str, tests: dict, turn: asyncio.Semaphore) -> tuple[dict[str, str], list[str]]:
    """Runs tests in one engine, and those that fail once more; returns all outcomes by name, and the names of the repeated
    ones that passed then."""
    async with turn:
        verdicts = await run_engine(engine, tests)
        failed = {name: test for name, test in tests.items() if verdicts[name] == "FAIL"}
        again = await run_engine(engine, failed) if 0 < len(failed) <= max_repeats else {}
    passed = [f"{engine}.{name}" for name in again if again[name] == "pass"]
    return {f"{engine}.{name}": verdict for name, verdict in (verdicts | again).items()}, passed


def sampled(tests: dict) -> dict[str, dict]:
    """Each test in one engine, another one with each commit; by engine."""
    first, names = count_commits(), list(engines)
    print(f"each test in one engine, from {names[first % len(names)]} on; MUSUBI_LONG=1 runs all in each")
    chosen = {engine: {} for engine in engines}
    for number, name in enumerate(tests):
        chosen[names[(first + number) % len(names)]][name] = tests[name]
    return chosen


async def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="run only tests whose name contains one of these")
    parser.add_argument("--engine", action="append", choices=list(engines), help="run in this one; may be repeated")
    parser.add_argument("--jobs", type=int, default=2, help="how many engines at a time (default: 2)")
    parser.add_argument("--list", action="store_true", help="print the names")
    options = parser.parse_args()
    tests = collect(here / "Engines", options.names)
    if options.list:
        print(*tests, sep="\n")
        return 0
    if not tests:
        sys.exit(f"run_engines.py: no test has a name like {options.names}")
    if not os.access(gallery, os.X_OK):
        sys.exit(f"run_engines.py: {gallery} is missing; build it: deploy/test --only release")
    turn = asyncio.Semaphore(options.jobs)
    is_whole = options.engine or options.names or os.environ.get("MUSUBI_LONG")
    chosen = dict.fromkeys(options.engine or engines, tests) if is_whole else sampled(tests)
    outcomes = await asyncio.gather(
        *(run_with_repeats(engine, some, turn) for engine, some in chosen.items()))
    return print_sum({name: verdict for verdicts, _ in outcomes for name, verdict in verdicts.items()},
                     [name for _, names in outcomes for name in names])


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
