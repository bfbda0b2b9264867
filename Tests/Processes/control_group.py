# SPDX-License-Identifier: Apache-2.0
"""A control group of its own for a server: what it may take of the machine's memory."""

import os
import pathlib
import tempfile
import time


class ControlGroup:
    """A group with a limit, and another one without a limit in it, whose processes must keep to that, too.

    Raises RuntimeError where the machine grants none.
    """

    def __init__(self, limit):
        top = pathlib.Path("/sys/fs/cgroup")
        self.is_second = not (top / "memory").is_dir()
        try:
            self.group = pathlib.Path(tempfile.mkdtemp(prefix="musubi-", dir=top if self.is_second else top / "memory"))
        except OSError as error:
            raise RuntimeError(f"no control group: {error}") from error
        self.inner = self.group / "inner"
        try:
            if self.is_second:
                self.write("cgroup.subtree_control", "+memory")
            self.inner.mkdir()
            self.write("memory.max" if self.is_second else "memory.limit_in_bytes", limit)
            swap = "memory.swap.max" if self.is_second else "memory.memsw.limit_in_bytes"
            if (self.group / swap).exists():
                self.write(swap, 0 if self.is_second else limit)
        except OSError as error:
            self.close()
            raise RuntimeError(f"no control group: {error}") from error

    def write(self, name, value):
        (self.group / name).write_text(f"{value}\n")

    @property
    def entering(self):
        """A command that enters the group and becomes what follows."""
        return ["sh", "-c", f'echo $$ >"{self.inner}/cgroup.procs" && exec "$@"', "sh"]

    @property
    def kills(self):
        """How many processes the kernel has killed in it because there was no memory."""
        name = "memory.events" if self.is_second else "memory.oom_control"
        return sum(int(line.split()[1]) for group in (self.group, self.inner) for line in (group / name).read_text().splitlines()
                   if line.startswith("oom_kill "))

    def close(self):
        """Takes it away; its processes have ended."""
        deadline = time.monotonic() + 30
        for group in (self.inner, self.group):
            while group.exists():
                try:
                    os.rmdir(group)
                except OSError:
                    if time.monotonic() > deadline:
                        raise
                    time.sleep(0.1)  # its last process is ending
