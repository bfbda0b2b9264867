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
        _address = os.environ.get("MUSUBI_URL") or _start(os.environ["MUSUBI_GALLERY"])
    return _address.rstrip("/")


def fresh_room():
    """A room that no other test uses."""
    return f"foreign-{uuid.uuid4().hex[:12]}"


def _start(gallery):
    folder = tempfile.TemporaryDirectory(prefix="musubi-foreign-")
    process = subprocess.Popen(
        [gallery, "serve", "--port", "0", "--data", folder.name], stdout=subprocess.PIPE, text=True
    )

    def stop():
        process.terminate()
        process.wait(timeout=10)
        process.stdout.close()
        folder.cleanup()

    atexit.register(stop)
    for line in process.stdout:
        if line.startswith("listening "):
            return line.split()[1]
    raise RuntimeError(f"{gallery} ended without saying where it listens")
