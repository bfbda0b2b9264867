# SPDX-License-Identifier: Apache-2.0
"""The server under test: MUSUBI_URL if it is set, else one that is started from MUSUBI_GALLERY."""

import atexit
import os
import subprocess
import tempfile
import uuid

_address = None


def address():
    """Where the server listens, as http://HOST:PORT."""
    global _address
    if _address is None:
        _address = os.environ.get("MUSUBI_URL") or _start()
    return _address.rstrip("/")


def fresh_room():
    """A room that no other test uses."""
    return f"foreign-{uuid.uuid4().hex[:12]}"


class Gallery:
    """A gallery of a test's own, with its data in a folder that outlives it."""

    def __init__(self, data, *options, port=0):
        command = [os.environ["MUSUBI_GALLERY"], "serve", "--port", str(port), "--data", str(data), *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
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
    gallery = Gallery(folder.name, "--conformance-echo", "/echo")

    def stop():
        gallery.stop()
        folder.cleanup()

    atexit.register(stop)
    return gallery.address
