# SPDX-License-Identifier: Apache-2.0
"""The server under test: MUSUBI_URL if it is set, else one that is started from MUSUBI_GALLERY, with TLS if MUSUBI_TLS is."""

import atexit
import os
import subprocess
import tempfile
import uuid

import certificates

_address = None


def address():
    """Where the server listens, as http://HOST:PORT."""
    global _address
    if _address is None:
        _address = os.environ.get("MUSUBI_URL") or _start()
    return _address.rstrip("/")


def context():
    """How a client speaks with it; None without TLS."""
    return certificates.context_for_threads() if address().startswith("https:") else None


def fresh_room():
    """A room that no other test uses."""
    return f"foreign-{uuid.uuid4().hex[:12]}"


class Gallery:
    """A gallery, or another program, of a test's own, with its data in a folder that outlives it."""

    def __init__(self, data, *options, port=0, log=None, program="MUSUBI_GALLERY"):
        command = [os.environ[program], "serve", "--port", str(port), "--data", str(data)]
        command += ["--max-restart-wait", "0", *map(str, options)]  # tests kill it often
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
        for line in self.process.stdout:
            if line.startswith("listening "):
                self.address = line.split()[1]
                return
        raise RuntimeError(f"{command} ended without saying where it listens")

    def kill(self):
        """Ends it as a power failure would."""
        self.process.kill()
        self._wait()

    def stop(self):
        if self.process.returncode is None:
            self.process.terminate()
            self._wait()

    def _wait(self):
        self.process.wait(timeout=60)
        self.process.stdout.close()


def _start():
    folder = tempfile.TemporaryDirectory(prefix="musubi-foreign-")
    options = ["--conformance-echo", "/echo"]
    if os.environ.get("MUSUBI_TLS"):
        certificate, key = certificates.make(folder.name, "foreign")
        options += ["--tls-certificate", certificate, "--tls-key", key]
    gallery = Gallery(folder.name, *options)

    def stop():
        gallery.stop()
        folder.cleanup()

    atexit.register(stop)
    return gallery.address
