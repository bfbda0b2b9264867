# SPDX-License-Identifier: Apache-2.0
"""Runs the tests of the folder Engines in Chromium, Firefox and WebKit, by WebDriver: every `async def test_...(case)`.

Each engine has two browsers with profiles of their own. What a driver cannot do is skipped, with its reason.
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
from run import collect  # noqa: E402
from visitors import VisitorsCase  # noqa: E402

# A test waits for conditions, each with a limit of its own; this one is for a test that waits for too many.
patience = 300


async def run(name: str, test, browsers: list) -> str:
    """Runs one test in one engine and prints its line, and below it whatever explains a failure or a skip."""
    case, began, verdict, details = VisitorsCase(name, browsers), time.monotonic(), "pass", ""
    try:
        async with asyncio.timeout(patience):
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
    print(f"{verdict}  {time.monotonic() - began:5.1f} s  {name:34} {(test.__doc__ or '').splitlines()[0]}")
    if details:
        print("      " + details.replace("\n", "\n      "))
    sys.stdout.flush()
    return verdict


async def run_engine(engine: str, tests: dict, turn: asyncio.Semaphore) -> list[str]:
    async with turn:
        browsers = [engines[engine]() for _ in range(2)]
        try:
            started = await asyncio.gather(*(browser.start() for browser in browsers), return_exceptions=True)
            for failure in started:
                if isinstance(failure, BaseException):
                    print(f"FAIL  {engine} does not start: {failure!r}")
                    return ["FAIL"]
            return [await run(f"{engine}.{name}", test, browsers) for name, test in tests.items()]
        finally:
            await asyncio.gather(*(browser.close() for browser in browsers))


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
    verdicts = await asyncio.gather(*(run_engine(engine, tests, turn) for engine in options.engine or engines))
    total = [verdict for some in verdicts for verdict in some]
    print(f"\n{total.count('pass')} passed, {total.count('FAIL')} failed, {total.count('skip')} skipped")
    return 1 if "FAIL" in total else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
