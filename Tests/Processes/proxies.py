# SPDX-License-Identifier: Apache-2.0
"""nginx and Caddy with the files of deploy/, whose ports, paths and name of the site a test has replaced."""

import asyncio
import pathlib
import ssl
import subprocess
import tempfile

from servers import Server, root

name = "example.org"


def certificate(folder):
    """A pair for the name of the site, which signs itself."""
    files = folder / "site.crt", folder / "site.key"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
         "-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}", "-out", files[0], "-keyout", files[1]],
        check=True, capture_output=True)
    return files


class Proxy:
    """A proxy in front of a port; its clients trust `context`."""

    def __init__(self, upstream):
        self.folder = tempfile.TemporaryDirectory(prefix="musubi-proxy-")
        self.place = pathlib.Path(self.folder.name)
        self.place.chmod(0o755)  # nginx's workers are another user
        self.upstream, self.port = upstream, Server.free_port()
        self.certificate, self.key = certificate(self.place)
        self.context = ssl.create_default_context(cafile=self.certificate)
        self.process = None

    def write(self, file, replacements):
        """Writes the file of deploy/ with other ports and paths, each of which must be in it."""
        text = (root / "deploy" / file).read_text()
        for old, new in replacements.items():
            assert old in text, f"deploy/{file} no longer has {old!r}"
            text = text.replace(old, str(new))
        self.file = self.place / file
        self.file.write_text(text)

    async def start(self):
        self.log = (self.place / "log").open("wb")
        self.process = await asyncio.create_subprocess_exec(
            *self.command(), stdin=asyncio.subprocess.DEVNULL, stdout=self.log, stderr=self.log, env=self.environment())
        async with asyncio.timeout(60):
            while not await self.answers():
                assert self.process.returncode is None, (self.place / "log").read_text()
                await asyncio.sleep(0.05)  # nothing tells when it listens
        return self

    async def answers(self):
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", self.port)
            writer.close()
            return True
        except OSError:
            return False

    async def close(self):
        if self.process and self.process.returncode is None:
            self.process.terminate()
            await self.process.wait()
        if self.process:
            self.log.close()
        self.folder.cleanup()

    async def call(self, *command):
        process = await asyncio.create_subprocess_exec(
            *command, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
            env=self.environment())
        output, _ = await process.communicate()
        assert process.returncode == 0, output.decode()

    async def get(self, path, headers=(), source=None):
        """The answer that a browser gets, as text with its head."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port, ssl=self.context, server_hostname=name,
                                                       local_addr=(source, 0) if source else None)
        lines = [f"GET {path} HTTP/1.1", f"Host: {name}:{self.port}", "Connection: close", *headers, "", ""]
        writer.write("\r\n".join(lines).encode())
        answer = await reader.read()
        writer.close()
        return answer.decode(errors="replace")


class Nginx(Proxy):
    def __init__(self, upstream):
        super().__init__(upstream)
        self.write("nginx.conf", {
            "/run/nginx.pid": self.place / "pid", "/var/log/nginx": self.place,
            "/etc/letsencrypt/live/example.org/fullchain.pem": self.certificate,
            "/etc/letsencrypt/live/example.org/privkey.pem": self.key,
            "listen 80;": f"listen 127.0.0.1:{Server.free_port()};", "listen 443 ssl;": f"listen 127.0.0.1:{self.port} ssl;",
            "127.0.0.1:8080": f"127.0.0.1:{upstream}",
            "worker_shutdown_timeout 10s": "worker_shutdown_timeout 1s"})

    def command(self):
        return ["/usr/sbin/nginx", "-c", self.file, "-g", "daemon off;"]

    def environment(self):
        return {}

    async def reload(self):
        await self.call("/usr/sbin/nginx", "-c", self.file, "-s", "reload")


class Caddy(Proxy):
    def __init__(self, upstream):
        super().__init__(upstream)
        self.admin = f"127.0.0.1:{Server.free_port()}"
        self.write("Caddyfile", {
            "\tgrace_period 10s": f"\tgrace_period 1s\n\tadmin {self.admin}\n\tauto_https disable_redirects\n\thttps_port {self.port}",
            "example.org {": f"example.org {{\n\ttls {self.certificate} {self.key}\n\tbind 127.0.0.1",
            "127.0.0.1:8080": f"127.0.0.1:{upstream}"})

    def command(self):
        return ["caddy", "run", "--config", self.file, "--adapter", "caddyfile"]

    def environment(self):
        return {"HOME": str(self.place), "PATH": "/usr/bin:/bin"}

    async def reload(self):
        await self.call("caddy", "reload", "--force", "--address", self.admin, "--config", self.file, "--adapter", "caddyfile")
