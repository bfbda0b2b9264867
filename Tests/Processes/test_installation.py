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
import time
import unittest

from machine import Machine
from proxies import certificate
from servers import root

gallery = pathlib.Path(os.environ.get("MUSUBI_GALLERY", root / ".build/release/gallery"))


def say(text):
    print(text, file=sys.stderr, flush=True)


def made_package(folder, version, *options):
    """Makes a package, and returns its path."""
    # The umask of who keeps files private is no business of the package's.
    done = subprocess.run([root / "deploy/package", "--output", folder, "--version", version, *options], cwd=root,
                          capture_output=True, text=True, umask=0o077)
    assert done.returncode == 0, done.stderr
    return pathlib.Path(done.stdout.splitlines()[-1])


class MachineCase(unittest.TestCase):
    """Tests that share a machine, and a folder that it sees."""

    systemd = True

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
        try:
            cls.machine.start(cls.systemd)
        except RuntimeError as error:
            say(f"\nnot run: {error}")
            raise unittest.SkipTest(str(error)) from error
        if cls.systemd and not cls.machine.has_systemd:
            say(f"\nwithout systemd: {cls.machine.why_not}")

    @classmethod
    def prepare(cls):
        """Makes the files that the machine needs, before it starts."""


class Units(unittest.TestCase):
    """The files in the judgement of systemd's own tools."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        place = pathlib.Path(self.folder.name)
        program = place / "usr/lib/musubi/gallery"
        program.parent.mkdir(parents=True)
        shutil.copy("/bin/true", program)
        self.units = [place / f"gallery{end}" for end in (".service", ".socket", "-admin.socket")]
        for unit in self.units:
            text = (root / f"deploy/{unit.name.replace('gallery', 'musubi')}").read_text()
            text = text.replace("Service=musubi.service", "Service=gallery.service")
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


class Upgrade(unittest.TestCase):
    """What the package's script asks of systemd, with stand-ins for systemd's commands."""

    def asked(self, open_before, open_after):
        """The commands in order, of a machine whose sockets are open there before and after `daemon-reload`."""
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder)
            (place / "listens").write_text(open_before)
            (place / "next").write_text(open_after)
            stand_ins = {
                "systemctl": """case $1 in
                    daemon-reload) echo reload >>"$0.log"; cp "$place/next" "$place/listens" ;;
                    is-active) grep --quiet "^$3 " "$place/listens" ;;
                    show) sed --quiet "s/^$3 /Listen=/p" "$place/listens" ;;
                    esac""",
                "deb-systemd-invoke": 'echo "$*" >>"$place/systemctl.log"', "deb-systemd-helper": "", "systemd-sysusers": "",
            }
            for name, text in stand_ins.items():
                (place / name).write_text(f"#!/bin/sh\n{text}\n")
                (place / name).chmod(0o755)
            script = (root / "deploy/debian/postinst").read_text()
            script = script.replace("@NAME@", "tea").replace("/run/systemd/system", folder)
            environment = {"PATH": f"{folder}:/usr/bin:/bin", "place": folder}
            done = subprocess.run(["sh", "-c", script, "postinst", "configure", "1.0"], env=environment, capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            return (place / "systemctl.log").read_text().splitlines()

    def test_a_socket_stays_open_whose_address_stays(self):
        opened = "tea.socket 127.0.0.1:8080 (Stream)\ntea-admin.socket 127.0.0.1:9090 (Stream)\n"
        for before in ("", opened):
            self.assertEqual(self.asked(before, before), ["reload", "start tea.socket", "restart tea.service"])

    def test_one_with_another_address_is_opened_there(self):
        opened = "tea.socket 127.0.0.1:8080 (Stream)\ntea-admin.socket 127.0.0.1:9090 (Stream)\n"
        stop = "stop tea.service tea.socket tea-admin.socket"
        for after in (opened.replace("127.0.0.1:8080", "0.0.0.0:8080"), opened.replace("9090", "9091")):
            self.assertEqual(self.asked(opened, after), ["reload", stop, "start tea.socket", "restart tea.service"])


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
        if not machine.has_systemd:
            self.skipTest(f"without systemd apt-get does not end in the namespace; here: {machine.why_not}")
        machine.run(f"apt-get install --yes {self.old}")
        self.assertEqual(machine.run("stat -c '%a %U' /etc/musubi/gallery.conf").strip(), "600 root")
        self.assertIn("musubi-gallery", machine.run("getent passwd musubi-gallery"))
        machine.run("test -L /etc/systemd/system/sockets.target.wants/gallery.socket")
        machine.run("test -L /etc/systemd/system/multi-user.target.wants/gallery.service")
        machine.run("systemctl is-active gallery.socket")
        machine.until("curl --fail --silent http://127.0.0.1:8080/healthz")
        first = machine.run("systemctl show --property=MainPID --value gallery").strip()
        self.check_the_process(first)
        # It has no network of its own, and metrics nevertheless.
        self.assertIn("musubi_connections", machine.run("curl --fail --silent http://127.0.0.1:9090/metrics"))
        self.assertIn("403", machine.run("curl --silent --head -H 'Host: evil.example' http://127.0.0.1:9090/metrics"))

        # As if the old version had none: the new one brings it along.
        machine.run("systemctl stop gallery-admin.socket")
        # The operator's settings outlive an upgrade that brings others.
        machine.run("echo MUSUBI_SESSION_LIFETIME=77 >>/etc/musubi/gallery.conf")
        machine.run(f"dpkg --force-confdef --force-confold --install {self.new}")
        self.assertIn("LIFETIME=77", machine.run("cat /etc/musubi/gallery.conf"))
        machine.until("curl --fail --silent http://127.0.0.1:8080/healthz")
        second = machine.run("systemctl show --property=MainPID --value gallery").strip()
        self.assertNotIn(second, ("0", first))
        machine.until("curl --fail --silent http://127.0.0.1:9090/healthz")
        # Where its port is taken, the pages are served as ever.
        machine.run("systemctl stop gallery.service gallery.socket gallery-admin.socket")
        machine.run("systemd-run --unit taken python3 -m http.server --bind 127.0.0.1 9090")
        machine.until("curl --fail --silent --output /dev/null http://127.0.0.1:9090/")
        machine.run("systemctl start gallery.socket gallery.service")
        machine.until("curl --fail --silent http://127.0.0.1:8080/healthz")
        self.assertEqual(machine.run("systemctl is-active gallery-admin.socket || true").strip(), "failed")
        machine.run("systemctl stop taken")
        second = machine.run("systemctl show --property=MainPID --value gallery").strip()
        settings = machine.run(f"tr '\\0' '\\n' </proc/{second}/environ")
        self.assertIn("MUSUBI_SESSION_LIFETIME=77", settings)

        machine.run("dpkg --remove musubi-gallery")
        machine.run("test -e /etc/musubi/gallery.conf && test ! -e /usr/lib/musubi/gallery")
        self.assertEqual(machine.run("systemctl is-active gallery.service gallery.socket || true").split(), ["inactive"] * 2)
        self.assertIn(machine.run("systemctl is-active gallery-admin.socket || true").strip(), ("inactive", "failed"))
        machine.run("test -e /var/lib/musubi/gallery/sessions.sqlite")
        machine.run("dpkg --purge musubi-gallery")
        # Elsewhere files of other programs come and go while it looks.
        left = machine.run("find /etc /usr/lib/systemd /var/lib -path '*musubi*' -print -o -path '*/systemd/*gallery*' -print")
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


class OtherRoot(MachineCase):
    """What `dpkg --root` does to a folder in which nothing runs, systemd neither: an image that is being made."""

    systemd = False
    prepare = classmethod(Installation.prepare.__func__)

    def dpkg(self, *words):
        return self.machine.run(" ".join(["dpkg --root=/target --force-confdef --force-confold", *map(str, words)]))

    def files(self):
        """Kind, mode, owner and path of each file that a package could leave, without dpkg's own and the users' lists."""
        found = self.machine.run("cd /target && find etc var lib/systemd usr/lib/systemd usr/lib/sysusers.d usr/lib/musubi usr/share/musubi"
                                 " -xdev -printf '%y %m %u %p -> %l\\n' 2>/dev/null || true")
        own = re.compile(r" (var/lib/dpkg|var/log|var/cache|etc/(passwd|shadow|group|gshadow|subuid|subgid|\.pwd\.lock))\b")
        # The place for the state of deb-systemd-helper is that program's.
        return {line for line in found.splitlines() if not own.search(line) and "deb-systemd-helper-masked ->" not in line}

    def test_install_upgrade_remove_and_purge(self):
        machine = self.machine
        machine.run("mkdir /target && mount --bind / /target && mount --rbind /dev /target/dev && rm -rf /target/run/*")
        machine.run("mkdir -p /target/etc/systemd/system && test ! -e /target/run/systemd/system")
        before = self.files()

        self.dpkg("--install", self.old)
        self.assertEqual(self.dpkg("--verify musubi-gallery"), "")
        self.assertIn("ok installed 1.0", machine.run("dpkg-query --admindir=/target/var/lib/dpkg -Wf '${Status} ${Version}' musubi-gallery"))
        self.assertEqual(
            machine.run("dpkg-query --admindir=/target/var/lib/dpkg -Wf '${Conffiles}' musubi-gallery").split()[0::2], ["/etc/musubi/gallery.conf"])
        self.assertRegex(machine.run("grep ^musubi-gallery: /target/etc/passwd"), "/var/lib/musubi/gallery:.*nologin")
        new = self.files() - before
        for words in ("f 600 root etc/musubi/gallery.conf", "f 755 root usr/lib/musubi/gallery", "f 644 root usr/lib/sysusers.d/musubi-gallery.conf",
                      "l 777 root etc/systemd/system/sockets.target.wants/gallery.socket",
                      "l 777 root etc/systemd/system/multi-user.target.wants/gallery.service"):
            self.assertTrue(any(line.startswith(f"{words} -> ") for line in new), f"{words}: {new}")
        for unit in ("gallery.service", "gallery.socket", "gallery-admin.socket"):
            self.assertEqual(machine.run(f"stat -c '%a %U' /target/lib/systemd/system/{unit}").strip(), "644 root")
        open_to_all = [line for line in new if line[0] != "l" and int(line.split()[1], 8) & 0o022]
        self.assertEqual(open_to_all, [], "nobody but root may change what is installed")

        # What the operator has set outlives an upgrade: settings, and that a unit is not to start.
        machine.run("echo MUSUBI_SESSION_LIFETIME=77 >>/target/etc/musubi/gallery.conf")
        machine.run("systemctl --root=/target disable gallery.service")
        self.dpkg("--install", self.new)
        self.assertIn("ok installed 2.0", machine.run("dpkg-query --admindir=/target/var/lib/dpkg -Wf '${Status} ${Version}' musubi-gallery"))
        self.assertIn("LIFETIME=77", machine.run("cat /target/etc/musubi/gallery.conf"))
        self.assertIn("New in 2.0", machine.run("cat /target/etc/musubi/gallery.conf.dpkg-dist"))
        self.assertEqual(machine.run("stat -c %a /target/etc/musubi/gallery.conf*").split(), ["600", "600"])
        machine.run("test -L /target/etc/systemd/system/sockets.target.wants/gallery.socket")
        machine.run("test ! -L /target/etc/systemd/system/multi-user.target.wants/gallery.service")

        machine.run("install -D -m 600 /dev/null /target/var/lib/musubi/gallery/sessions.sqlite")
        self.dpkg("--remove musubi-gallery")
        machine.run("test -e /target/etc/musubi/gallery.conf && test -e /target/var/lib/musubi/gallery/sessions.sqlite")
        machine.run("test ! -e /target/usr/lib/musubi && test ! -e /target/usr/share/musubi && test ! -e /target/lib/systemd/system/gallery.service")
        self.dpkg("--purge musubi-gallery")
        self.assertEqual(sorted(self.files() ^ before), [])


# Stand-ins for commands that reach the Internet, a compiler or a builder; each says so.
replacements = r"""
not_run() { echo "not run: $*"; }
swift() { not_run swift "$@"; }
docker() { not_run docker "$@"; }
scp() { not_run "scp, a copy instead"; cp "${@:1:$#-1}" /root; }
apt-get() { case "$*" in *musubi-*) command apt-get "$@" ;; *) not_run apt-get "$@" ;; esac; }
certbot() {
  not_run certbot "$@"
  mkdir -p /etc/letsencrypt/live/example.org
  cp "$site"/site.crt /etc/letsencrypt/live/example.org/fullchain.pem
  cp "$site"/site.key /etc/letsencrypt/live/example.org/privkey.pem
}
"""


class Guide(MachineCase):
    """The page "From your machine to a server", command by command."""

    @classmethod
    def prepare(cls):
        release = root / ".build/release/Tea"
        assert release.exists(), f"{release} missing; build it: deploy/test --only release"
        tea = cls.folder / "Tea"
        shutil.copytree(root / "Tests/Guides/Tutorial", tea)
        (tea / ".build/release").mkdir(parents=True)
        os.link(release, tea / ".build/release/Tea")
        (cls.folder / "Musubi").symlink_to(root)
        certificate(cls.folder)

    def test_every_command_does_what_the_page_says(self):
        if not self.machine.has_systemd:
            self.skipTest(f"the page is about a machine with systemd; here: {self.machine.why_not}")
        page = (root / "Sources/Musubi/Musubi.docc/Deployment.md").read_text()
        blocks = re.findall(r"^```\n# on (your machine|the server)(?:, in ([^\n]*))?\n(.*?)^```", page, re.M | re.S)
        self.assertEqual(len(blocks), page.count("```") // 2)
        self.machine.run("echo 127.0.0.1 example.org >>/etc/hosts")
        self.machine.run(f"cp {self.folder}/site.crt /usr/local/share/ca-certificates/ && update-ca-certificates")

        for place, folder, commands in blocks:
            folder = "/root" if place == "the server" else self.folder / ("Tea" if folder == "Tea" else "")
            printed = self.machine.run(f"site={self.folder}\n{replacements}\n{commands}", folder=folder)
            for line in printed.splitlines():
                if line.startswith("not run"):
                    say(f"\n{line}")
            self.assertEqual(printed.splitlines().count("ok"), commands.count("/healthz"), printed)
            self.assertEqual(printed.count("The server on port 8080 is well."), commands.count("tea health"), printed)
        self.machine.run("test ! -e /etc/musubi/tea.conf && test ! -e /var/lib/musubi/tea && test ! -e /usr/lib/musubi/tea")


class Container(MachineCase):
    """The Dockerfile: built where something can, else looked at, and its stages replayed."""

    @staticmethod
    def instructions():
        """The words and texts of the Dockerfile, comments and continued lines resolved."""
        text = re.sub(r"^#.*\n", "", (root / "deploy/Dockerfile").read_text(), flags=re.M).replace("\\\n", " ")
        return [line.split(maxsplit=1) for line in text.splitlines() if line.strip()]

    def test_it_keeps_the_rules(self):
        instructions = self.instructions()
        of = lambda word: [text for each, text in instructions if each == word]

        bases = [text.split()[0] for text in of("FROM")]
        self.assertTrue(all(base == "scratch" or re.search(r":\d[\w.]*-", base) for base in bases), f"versions are named: {bases}")
        self.assertEqual(bases[-1], "scratch")
        self.assertRegex(of("USER")[-1], r"^[1-9]\d*:[1-9]\d*$")
        self.assertEqual(json.loads(of("HEALTHCHECK")[0].split("CMD ")[1]), [*json.loads(of("ENTRYPOINT")[0]), "health"])
        stages = [text.split(" AS ")[1] for text in of("FROM") if " AS " in text]
        for text in of("COPY"):
            source = re.match(r"--from=(\w+)", text)
            self.assertTrue(source is None or source[1] in stages, text)
        libraries = re.search(r"^build_packages=\((.*?)\)", (root / "deploy/lib.sh").read_text(), re.M)[1].split()
        self.assertEqual([package for package in libraries if package not in of("RUN")[0].split()], [])
        options = re.search(r"^release=\((.*?)\)", (root / "deploy/lib.sh").read_text(), re.M)[1]
        self.assertIn(options, of("RUN")[1])

    def check_the_image(self, builder):
        """Builds it, and says of the image what the replay says of its stages."""
        def run(*words, check=True):
            done = subprocess.run([builder, *words], cwd=root, capture_output=True, text=True)
            self.assertFalse(check and done.returncode, f"{words}: {done.stdout[-2_000:]}{done.stderr[-2_000:]}")
            return (done.stdout + done.stderr).strip()

        run("build", "--tag", "musubi-test", "--file", "deploy/Dockerfile", ".")
        self.addCleanup(run, "image", "rm", "--force", "musubi-test", check=False)
        size = int(run("image", "inspect", "--format", "{{.Size}}", "musubi-test")) // 1_000_000
        say(f"the image has {size} MB")
        self.assertLess(size, 120)
        name = run("run", "--detach", "musubi-test").splitlines()[-1]
        self.addCleanup(run, "rm", "--force", name, check=False)
        health = json.loads(next(text for word, text in self.instructions() if word == "HEALTHCHECK").split("CMD ")[1])
        deadline = time.monotonic() + 60
        while "is well" not in (said := run("exec", name, *health, check=False)):
            self.assertLess(time.monotonic(), deadline, said)
            time.sleep(0.2)
        self.assert_is_no_root(pathlib.Path("/proc", run("inspect", "--format", "{{.State.Pid}}", name), "status").read_text())

    def assert_is_no_root(self, status):
        """The process has the Dockerfile's user and group, real, effective, saved and of files, and no other."""
        user, group = next(text for word, text in self.instructions() if word == "USER").split(":")
        self.assertRegex(status, rf"Uid:\t{user}\t{user}\t{user}\t{user}\nGid:\t{group}\t{group}\t{group}\t{group}\n")

    def test_it_is_built_or_replayed(self):
        builder = next((each for each in ("docker", "podman") if shutil.which(each)
                        and subprocess.run([each, "info"], capture_output=True).returncode == 0), None)
        if builder:
            say(f"\nthe container is built by {builder}")
            return self.check_the_image(builder)
        say("\nno builder runs here (docker, podman): the stages of the Dockerfile are replayed")
        instructions = self.instructions()
        of = lambda word: [text for each, text in instructions if each == word]
        machine = self.machine
        machine.run(f"mkdir -p /src/.build/release && cp {gallery} /src/.build/release/ && cp -R {root}/Public /src/")

        machine.run("PRODUCT=gallery; " + of("RUN")[2], folder="/src")

        size = int(machine.run("du -s --block-size=1000000 /image").split()[0])
        say(f"the image has {size} MB")
        self.assertLess(size, 120)
        machine.run("mkdir -p /image/dev /image/proc && mount --bind /dev /image/dev && mount -t proc -o ro proc /image/proc")
        environment = f"env -i {of('ENV')[0]}"
        inside = f"{environment} /usr/sbin/chroot --userspec={of('USER')[0]} /image"
        words = json.loads(of("ENTRYPOINT")[0]) + json.loads(of("CMD")[-1])
        health = " ".join(json.loads(of("HEALTHCHECK")[0].split("CMD ")[1]))
        machine.run(f"{inside} {' '.join(words)} >/tmp/log 2>&1 & echo $! >/tmp/pid")
        self.assertIn("is well", machine.until(f"{inside} {health} || {{ cat /tmp/log; false; }}"))
        self.assert_is_no_root(machine.run("cat /proc/$(cat /tmp/pid)/status"))
        self.assertEqual(machine.run("stat -c '%a %u' /image/data/sessions.sqlite").split()[1], "65532")
        status = machine.run(
            "curl --silent --output /dev/null --write-out '%{http_code}' --max-time 3 -H 'Connection: Upgrade' -H 'Upgrade: websocket'"
            " -H 'Sec-WebSocket-Version: 13' -H 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==' -H 'Sec-WebSocket-Protocol: musubi.v1'"
            " http://127.0.0.1:8080/live/number || true")
        self.assertEqual(status, "101")
        machine.run("kill -TERM $(cat /tmp/pid)")
        machine.until("! kill -0 $(cat /tmp/pid)")
        self.assertIn("not well", machine.run(f"{inside} {health}", check=False))


if __name__ == "__main__":
    unittest.main()
