# SPDX-License-Identifier: Apache-2.0
"""A server without `--data` writes nothing anywhere."""

import asyncio
import os
import pathlib
import signal
import tempfile
import unittest

from servers import program, root


class NoData(unittest.IsolatedAsyncioTestCase):
    async def test_without_data_no_file_appears(self):
        with tempfile.TemporaryDirectory(prefix="musubi-processes-") as name:
            home = pathlib.Path(name)
            places = {variable: str(home / variable) for variable in ("HOME", "TMPDIR", "XDG_DATA_HOME", "XDG_STATE_HOME")}
            for place in places.values():
                os.mkdir(place)
            process = await asyncio.create_subprocess_exec(
                program, "serve", "--port", "0", "--public", str(root / "Public"), cwd=home / "HOME",
                env={**os.environ, **places, "MUSUBI_DATA": ""}, stdout=asyncio.subprocess.PIPE)
            try:
                line = await asyncio.wait_for(process.stdout.readline(), 300)
                self.assertTrue(line.startswith(b"listening "), line)
            finally:
                process.send_signal(signal.SIGTERM)
                await asyncio.wait_for(process.wait(), 60)

            written = [str(file) for place in places.values() for file in pathlib.Path(place).rglob("*")]
            self.assertEqual(written, [])


if __name__ == "__main__":
    unittest.main()
