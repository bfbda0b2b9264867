# SPDX-License-Identifier: Apache-2.0
"""A page in a process of its own, beside an attack: what the server's loop works until each of its taps is acknowledged.

`bystander.py PORT PID ADDRESS`: a line for each tap, with the milliseconds of the processor that the first loop's thread has had,
and those that passed; until its input ends.
"""

import asyncio
import pathlib
import sys
import time

from wire import Wire


def loop_time(pid):
    """Where the system tells the nanoseconds of the processor that the thread of the first loop has had."""
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        if (task / "comm").read_text() == "musubi-0\n":
            return task / "schedstat"
    raise AssertionError(f"{pid} has no loop")


async def main(port, pid, address):
    file = loop_time(pid)
    wire = await Wire.connect(port, "/live/counter?room=bystander", address=address)
    asyncio.get_running_loop().add_reader(sys.stdin, sys.exit)
    for number in range(1, 1_000_000):
        worked, began = int(file.read_text().split()[0]), time.monotonic()
        wire.send({"input": number, "name": "tap"})
        while (await wire.receive()).get("ack") != number:
            pass
        print((int(file.read_text().split()[0]) - worked) / 1e6, 1000 * (time.monotonic() - began), flush=True)
        await asyncio.sleep(0.002)


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]))
