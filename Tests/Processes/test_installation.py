# SPDX-License-Identifier: Apache-2.0
"""The Debian package and the units, on a machine of their own with systemd; the container, as far as it goes without a builder."""

import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest

from machine import Machine
from servers import root

gallery = pathlib.Path(os.environ.get("MUSUBI_GALLERY", root / ".build/release/gallery"))


def say(text):
    print(text, file=sys.stderr, flush=True)


def made_package(folder, version, *options):
    """Makes a package, and returns its path."""
    done = subprocess.run([root / "deploy/package", "--output", folder, "--version", version, *options], cwd=root,
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return pathlib.Path(done.stdout.splitlines()[-1])


class MachineCase(unittest.TestCase):
    """Tests that share a machine, and a folder that it sees."""

    @classmethod
    def setUpClass(cls):
        if os.geteuid() != 0:
            raise unittest.SkipTest("namespaces of another machine need root")
        # Not below /tmp, of which the machine has its own.
        (root / ".build").mkdir(exist_ok=True)
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="machine-", dir=root / ".build"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.prepare()
        cls.machine = Machine()
        cls.addClassCleanup(cls.machine.close)
        cls.machine.start()
        if not cls.machine.has_systemd:
            say(f"\nwithout systemd: {cls.machine.why_not}")

    @classmethod
    def prepare(cls):
        """Makes what the machine needs, before it sees this machine's files."""


class Units(unittest.TestCase):
    """What systemd's own tools say of the files."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        place = pathlib.Path(self.folder.name)
        program = place / "usr/lib/musubi/gallery"
        program.parent.mkdir(parents=True)
        shutil.copy("/bin/true", program)
        self.units = [place / f"gallery.{kind}" for kind in ("service", "socket")]
        for unit in self.units:
            text = (root / f"deploy/musubi{unit.suffix}").read_text()
            unit.write_text(text.replace("ExecStart=/usr", f"ExecStart={place}/usr"))
        (place / "gallery.service.d").mkdir()
        shutil.copy(root / "deploy/tls.conf", place / "gallery.service.d")

    def test_verify_finds_nothing(self):
        done = subprocess.run(["systemd-analyze", "verify", *self.units], capture_output=True, text=True)

        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_the_exposure_is_at_most_one(self):
        done = subprocess.run(["systemd-analyze", "security", "--offline=true", "--threshold=10", "--json=short", self.units[0]],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        weak = [entry["json_field"] for entry in json.loads(done.stdout) if not entry["set"]]
        say(f"\nnot restricted: {' '.join(weak)}")


class Installation(MachineCase):
    @classmethod
    def prepare(cls):
        cls.old = made_package(cls.folder, "1.0", "--program", gallery)
        # The second one shares the program of the first: stripping 90 MB again tests nothing.
        cls.new = cls.folder / "new.deb"
        parts = cls.folder / "parts"
        subprocess.run(["dpkg-deb", "--raw-extract", cls.old, parts], check=True)
        control = parts / "DEBIAN/control"
        control.write_text(control.read_text().replace("Version: 1.0", "Version: 2.0"))
        with (parts / "etc/musubi/gallery.conf").open("a") as settings:
            settings.write("\n# New in 2.0.\n")
        subprocess.run(["dpkg-deb", "--root-owner-group", "-Zzstd", "--build", parts, cls.new], check=True, stdout=subprocess.DEVNULL)

    def test_install_upgrade_remove_and_purge(self):
        machine = self.machine
        machine.run(f"apt-get install --yes {self.old}")
        self.assertEqual(machine.run("stat -c '%a %U' /etc/musubi/gallery.conf").strip(), "600 root")
        self.assertIn("musubi-gallery", machine.run("getent passwd musubi-gallery"))
        machine.run("test -L /etc/systemd/system/sockets.target.wants/gallery.socket")
        machine.run("test -L /etc/systemd/system/multi-user.target.wants/gallery.service")
        if machine.has_systemd:
            machine.run("systemctl is-active gallery.socket")
            machine.until("curl --fail --silent http://127.0.0.1:8080/healthz")
            first = machine.run("systemctl show --property=MainPID --value gallery").strip()
            self.check_the_process(first)
        else:
            say("not run here: the service itself")

        # The operator's settings outlive an upgrade that brings others.
        machine.run("echo MUSUBI_SESSION_LIFETIME=77 >>/etc/musubi/gallery.conf")
        machine.run(f"dpkg --force-confdef --force-confold --install {self.new}")
        self.assertIn("LIFETIME=77", machine.run("cat /etc/musubi/gallery.conf"))
        if machine.has_systemd:
            machine.until("curl --fail --silent http://127.0.0.1:8080/healthz")
            second = machine.run("systemctl show --property=MainPID --value gallery").strip()
            self.assertNotIn(second, ("0", first))
            settings = machine.run(f"tr '\\0' '\\n' </proc/{second}/environ")
            self.assertIn("MUSUBI_SESSION_LIFETIME=77", settings)

        machine.run("dpkg --remove musubi-gallery")
        machine.run("test -e /etc/musubi/gallery.conf && test ! -e /usr/lib/musubi/gallery")
        if machine.has_systemd:
            self.assertEqual(machine.run("systemctl is-active gallery.service gallery.socket || true").split(), ["inactive"] * 2)
            machine.run("test -e /var/lib/musubi/gallery/sessions.sqlite")
        machine.run("dpkg --purge musubi-gallery")
        left = machine.run("find / -xdev -path /proc -prune -o -path '*musubi*' -not -path '/work/*' -path '/etc/*' -print"
                           " -o -path '/var/lib/musubi*' -print -o -path '/etc/systemd/*gallery*' -print")
        self.assertEqual(left, "")

    def check_the_process(self, pid):
        """The service runs as its own user, in its sandbox, and keeps its data to itself."""
        status = self.machine.run(f"cat /proc/{pid}/status")
        self.assertRegex(status, r"NoNewPrivs:\s1")
        self.assertRegex(status, r"Seccomp:\s2")
        self.assertRegex(status, r"CapEff:\s0000000000000000")
        self.assertEqual(self.machine.run(f"stat -c %U /proc/{pid}").strip(), "musubi-gallery")
        self.assertEqual(self.machine.run("stat -c '%a %U' /var/lib/musubi/gallery").strip(), "700 musubi-gallery")
        limits = self.machine.run(f"cat /proc/{pid}/limits")
        self.assertRegex(limits, r"Max core file size +0 +0")
        most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        self.assertRegex(limits, rf"Max open files +{min(65_536, most)} ")


if __name__ == "__main__":
    unittest.main()
