# SPDX-License-Identifier: Apache-2.0
"""Measures a screen like Musubi's number screen on three Python frameworks, and Musubi by the same client.

One connection types eight digits; the answer is the frame that brings them back for the label. Prints one JSON object
per line. `musubi-bench --peers` starts it, with a running Musubi. Writes: .venv-peers/.
"""

import argparse
import json
import os
import pathlib
import socket
import statistics
import subprocess
import sys
import time
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
ENVIRONMENT = HERE.parent.parent / ".venv-peers"
IDLE = 50

sys.path.insert(0, str(HERE.parent / "Foreign"))


def prepare():
    """The Python of an environment with the frameworks; makes it if it is not there or not this one."""
    wanted, stamp = HERE / "requirements.txt", ENVIRONMENT / "requirements.txt"
    python = ENVIRONMENT / "bin" / "python"
    if not stamp.exists() or stamp.read_text() != wanted.read_text():
        print(f"installing into {ENVIRONMENT} from PyPI", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", "--clear", ENVIRONMENT], check=True)
        subprocess.run(
            [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", wanted], check=True)
        stamp.write_text(wanted.read_text())
    return python


class Server:
    """A framework's server on its own core."""

    def __init__(self, python, name, core):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.process = subprocess.Popen(
            [python, HERE / f"app_{name}.py", str(self.port)], cwd=HERE, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, preexec_fn=lambda: os.sched_setaffinity(0, {core}))
        deadline = time.monotonic() + 60
        while True:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{self.port}/", timeout=5).read()
                return
            except OSError:
                if self.has_ended(within=0.1) or time.monotonic() > deadline:
                    raise RuntimeError(f"{name} does not answer") from None

    def has_ended(self, within):
        try:
            self.process.wait(within)
            return True
        except subprocess.TimeoutExpired:
            return False

    def stop(self):
        self.process.terminate()
        self.process.wait(10)


def processor_seconds(process):
    fields = pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def anonymous_bytes(process):
    for line in pathlib.Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) * 1024
    raise RuntimeError("this kernel does not tell RssAnon")


def exchange(page, in_flight, seconds):
    """Types for a while, `in_flight` texts ahead; the number of answers, and the bytes that came."""
    sent = answered = page.typed
    received = page.received
    deadline = time.monotonic() + seconds
    while True:
        goes_on = time.monotonic() < deadline
        while goes_on and sent - answered < in_flight:
            sent += 1
            page.type(sent, f"{sent:08d}")
        if sent == answered:
            break
        text = page.frame()
        # A framework may skip texts that were overtaken: the newest one that has come answers all before it.
        for number in range(sent, answered, -1):
            if page.shows(text, f"{number:08d}"):
                answered = number
                break
    count = answered - page.typed
    page.typed = answered
    return count, page.received - received


def measure(name, version, process, pages, arguments):
    before = anonymous_bytes(process)
    idle = [pages() for _ in range(IDLE)]
    for page in idle:
        page.settle()
    memory = (anonymous_bytes(process) - before) / IDLE
    for page in idle:
        page.close()
    for in_flight in [1, 16]:
        page = pages()
        page.settle()
        exchange(page, in_flight, arguments.seconds / 3)
        rates, costs, busy, sizes = [], [], [], []
        for _ in range(arguments.repeats):
            own, theirs, start = time.process_time(), processor_seconds(process), time.monotonic()
            count, received = exchange(page, in_flight, arguments.seconds)
            elapsed = time.monotonic() - start
            rates.append(count / elapsed)
            costs.append((processor_seconds(process) - theirs) / count * 1e6)
            busy.append((time.process_time() - own) / elapsed)
            sizes.append(received / count)
        page.close()
        rate = statistics.median(rates)
        print(json.dumps({
            "peer": name, "version": version, "work": f"echo, 1 connection, {in_flight} in flight",
            "perSecond": rate, "spread": (max(rates) - min(rates)) / rate,
            "serverMicroseconds": statistics.median(costs), "clientBusy": statistics.median(busy),
            "bytes": statistics.median(sizes), "memoryPerSession": memory,
        }), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--musubi", type=int, required=True, help="the port of a running Musubi")
    parser.add_argument("--musubi-pid", type=int, required=True)
    parser.add_argument("--server-core", type=int, default=0)
    parser.add_argument("--load-core", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    import wires

    python = prepare()
    os.sched_setaffinity(0, {arguments.load_core})
    measure("Musubi", "", arguments.musubi_pid, lambda: wires.Musubi(arguments.musubi), arguments)
    versions = dict(line.split("==") for line in (HERE / "requirements.txt").read_text().split() if "==" in line)
    for name, title, wire in [("nicegui", "NiceGUI", wires.NiceGUI), ("bokeh", "Bokeh", wires.Bokeh),
                              ("shiny", "Shiny", wires.Shiny)]:
        server = Server(python, name, arguments.server_core)
        try:
            measure(title, versions[name], server.process.pid, lambda: wire(server.port), arguments)
        finally:
            server.stop()


if __name__ == "__main__":
    main()
