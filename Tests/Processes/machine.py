# SPDX-License-Identifier: Apache-2.0
"""A Debian of its own for a test: this machine's files, of which it changes a copy, its own network, and systemd as process 1."""

import os
import pathlib
import shlex
import signal
import subprocess
import tempfile
import time

# Changes are in memory and go with the namespaces; systemd cannot set the kernel's parameters, which are read-only or masked.
entering = r"""
set -e
mount --make-rprivate /
mount -t tmpfs none "$1"
mkdir "$1/changes" "$1/work" "$1/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/changes,workdir=$1/work" "$1/root"
cd "$1/root"
mount -t proc proc proc
mount -o bind,ro proc/sys proc/sys
mount -t sysfs -o ro sysfs sys
mount -t cgroup2 cgroup2 sys/fs/cgroup
mount -t tmpfs -o mode=755 none run
mount -t tmpfs -o mode=1777 none tmp
mount --rbind /dev dev
ip link set lo up
rm -rf usr/sbin/policy-rc.d var/log/journal etc/systemd/system/*.wants
for unit in systemd-sysctl systemd-modules-load systemd-udevd systemd-udev-trigger systemd-remount-fs; do
  ln -sf /dev/null "etc/systemd/system/$unit.service"
done
shift
# Not chroot: from within one the kernel grants no user namespace, which the unit asks for.
mkdir old
pivot_root . old
umount --lazy old
rmdir old
# As a container's manager does: systemd hands credentials over by mounts that it makes elsewhere.
mount --make-rshared /
exec env -i container=test PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"
"""


class Machine:
    """Commands run in it as root; it goes with all that runs in it."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="musubi-machine-")
        self.process = None
        self.has_systemd = True
        self.why_not = ""
        groups = pathlib.Path("/sys/fs/cgroup")
        unified = groups / "unified" if (groups / "unified").is_dir() else groups
        self.group = unified / pathlib.Path(self.folder).name

    def start(self, systemd=True):
        """Starts systemd in it; a process that only waits if that does not come up, or is not wanted. Raises RuntimeError if there are
        no namespaces."""
        try:
            if not systemd:
                raise RuntimeError("not wanted")
            self.enter("/lib/systemd/systemd", "--unit=basic.target", "--log-target=journal")
            self.wait_for_systemd()
        except RuntimeError as error:
            self.why_not, self.has_systemd = str(error), False
            self.end()
            self.enter("/bin/sleep", "infinity")
        return self

    def enter(self, *command):
        try:
            self.group.mkdir(exist_ok=True)  # else systemd's groups would lie among this machine's
        except OSError as error:
            raise RuntimeError(f"no control group: {error}") from error
        script = f'echo $$ >{shlex.quote(str(self.group / "cgroup.procs"))} && exec "$@"'
        self.process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", "sh", "-c", script, "sh", "unshare", "--mount", "--pid", "--cgroup", "--ipc", "--uts", "--net", "--fork", "--kill-child",
             "sh", "-c", entering, "sh", self.folder, *command],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise RuntimeError(f"no namespaces: {self.process.stderr.read().strip()}")
            try:
                children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
                if children and os.readlink(f"/proc/{children[0]}/exe").endswith(pathlib.Path(command[0]).name):
                    self.init = children[0]
                    return
            except OSError:
                pass  # it has just ended, as the next round finds
            time.sleep(0.05)
        raise RuntimeError("no namespaces within a minute")

    def wait_for_systemd(self):
        deadline = time.monotonic() + 120
        state = ""
        while time.monotonic() < deadline and self.process.poll() is None:
            state = self.run("systemctl is-system-running", check=False).strip()
            if state in ("running", "degraded"):
                return
            time.sleep(0.2)
        raise RuntimeError(f"systemd does not come up in a namespace: {state}")

    def command(self, text, folder="/"):
        """The words that run a text of Bash in it."""
        return ["nsenter", "--target", self.init, "--mount", "--pid", "--cgroup", "--ipc", "--uts", "--net", "--root",
                f"--wd=/proc/{self.init}/root{folder}", "env", "-i", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                "HOME=/root", "LC_ALL=C.UTF-8", "DEBIAN_FRONTEND=noninteractive", "bash", "-euo", "pipefail", "-c", text]

    def run(self, text, check=True, folder="/"):
        """Runs a text of Bash, and returns its output."""
        done = subprocess.run(self.command(text, folder), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=180)
        if check and done.returncode:
            raise AssertionError(f"{text}\nended with {done.returncode}:\n{done.stdout}\n{self.journal()}")
        return done.stdout

    def journal(self):
        """The last lines of the journal."""
        return self.run("journalctl --lines 30 --no-pager", check=False) if self.has_systemd else ""

    def until(self, text, time_limit=60):
        """Runs a text again and again until it succeeds."""
        deadline = time.monotonic() + time_limit
        while True:
            try:
                return self.run(text)
            except AssertionError:
                if time.monotonic() > deadline:
                    raise
            time.sleep(0.1)

    def end(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        if self.process:
            self.process.wait()
            self.process.stderr.close()
        deadline = time.monotonic() + 30
        while self.group.exists() and time.monotonic() < deadline:
            try:
                for group, *_ in sorted(os.walk(self.group), key=lambda entry: -len(entry[0])):
                    os.rmdir(group)
            except OSError:
                time.sleep(0.1)  # its last processes are ending

    def close(self):
        self.end()
        os.rmdir(self.folder)
