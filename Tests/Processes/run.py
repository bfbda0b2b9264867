# SPDX-License-Identifier: Apache-2.0
"""Runs the tests of processes: two files `test_*.py` at a time, each in a Python of its own, whose output is shown when it ends.

Most tests wait, for a server that starts or a page that comes back: two at a time take half of the time, and leave a processor to
each. A test that fails runs once more, alone, unless too many fail: on a machine that other programs share, a wait is too short
now and then. Both outputs stay, and the sum says which needed it. Nothing runs again where something was lost that was acknowledged.
"""

import argparse
import asyncio
import pathlib
import re
import sys
import time

here = pathlib.Path(__file__).resolve().parent

# So many tests may run again. More failures than that have a cause that does not go away.
max_repeats = 3

# What a test says when something is missing, or is there twice, that was acknowledged.
loss = "LOST: "

# What unittest says of a test, or of a class that could not be prepared.
failed_test = re.compile(r"^(?:FAIL|ERROR): (?:\S+ \((test_\S+)\)|setUpClass \((test_\S+)\))", re.MULTILINE)


async def run(name: str) -> tuple[bool, list[str], bool]:
    """Runs a file, a class or a test and shows its output; tells whether it passed, the names of the tests that failed, and whether
    one has found a loss."""
    began = time.monotonic()
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "unittest", "--verbose", name, cwd=here,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT)
    output = (await process.communicate())[0].decode(errors="replace")
    passed = process.returncode == 0
    print(f"{'pass' if passed else 'FAIL'}  {time.monotonic() - began:5.1f} s  {name}\n{output}", flush=True)
    return passed, list(dict.fromkeys(test or group for test, group in failed_test.findall(output))), loss in output


async def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="run only these: test_kill, or test_kill.Kill.test_…")
    parser.add_argument("--jobs", type=int, default=2, help="how many at a time (default: 2)")
    options = parser.parse_args()
    names = options.names or [file.stem for file in sorted(here.glob("test_*.py"))]

    turn = asyncio.Semaphore(options.jobs)

    async def in_turn(name):
        async with turn:
            return await run(name)

    outcomes = dict(zip(names, await asyncio.gather(*(in_turn(name) for name in names))))
    # A file that ends without the name of a test, by a signal perhaps, runs again as a whole.
    failed = [test for name, (passed, tests, _) in outcomes.items() if not passed for test in tests or [name]]
    repeats = len(failed) <= max_repeats and not any(is_lost for _, _, is_lost in outcomes.values())
    again = {name: (await run(name))[0] for name in failed} if repeats else {}
    lost = [name for name in failed if not again.get(name)]
    print(f"{len(names)} files, {len(failed)} tests failed, {len(failed) - len(lost)} of them passed when they ran again")
    for name in failed:
        print(f"again: {name} failed once and passed when it ran again" if again.get(name) else f"failed: {name}")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
