# SPDX-License-Identifier: Apache-2.0
"""The process is replaced under a storm of visitors: none is refused, none is reset. The test plays systemd."""

import asyncio
import unittest

from case import ProcessCase
from servers import Server, is_long
from wire import Closed, Refused, Wire, frame


class Storm:
    """Visitors that come all the time, each on a connection of its own."""

    def __init__(self, port):
        self.port = port
        self.visits, self.failures = 0, []
        self.is_over = False

    async def run(self, visit):
        while not self.is_over:
            try:
                await visit()
                self.visits += 1
            except (OSError, Refused, Closed, AssertionError) as error:
                self.failures.append(repr(error))

    async def screen(self):
        """Opens a screen, sees its state, and goes."""
        wire = await Wire.connect(self.port, "/live/counter?room=storm")
        for kind in ("hello", "snapshot"):
            assert kind in (got := await wire.receive()), got
        wire.writer.write(frame(8, b"\x03\xe9"))
        wire.writer.close()

    async def file(self):
        """Loads a page's file."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(b"GET /number HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        answer = await reader.read()
        writer.close()
        assert answer.startswith(b"HTTP/1.1 200"), answer[:80]
        assert answer.endswith(b"</html>\n"), answer[-80:]


class Deploy(ProcessCase):
    maxDiff = None

    async def replace_under_storm(self, loops, times):
        server = await self.server("--loops", str(loops), listener=Server.listening())
        storm = Storm(server.port)
        visitors = [asyncio.ensure_future(storm.run(storm.screen)) for _ in range(30)]
        visitors += [asyncio.ensure_future(storm.run(storm.file)) for _ in range(10)]

        for _ in range(times):
            before = storm.visits
            while storm.visits < before + 200 and not storm.failures:
                await asyncio.sleep(0.01)  # until so many have been served by this process
            self.assertEqual(await server.stop(), 0, self.explain(server))
            await server.start()
        storm.is_over = True
        await asyncio.gather(*visitors)

        self.assertEqual(storm.failures, [], self.explain(server))

    async def test_nobody_is_refused_or_reset_with_one_loop(self):
        await self.replace_under_storm(1, 20 if is_long else 3)

    async def test_nobody_is_refused_or_reset_with_several_loops_on_one_socket(self):
        await self.replace_under_storm(3, 20 if is_long else 3)


if __name__ == "__main__":
    unittest.main()
