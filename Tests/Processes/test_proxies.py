# SPDX-License-Identifier: Apache-2.0
"""A server behind nginx and behind Caddy, as deploy/ configures them: TLS, the visitor's address, and reloads under load."""

import asyncio
import sys
import unittest

from case import ProcessCase
from proxies import Caddy, Nginx, name
from servers import is_long
from wire import Page


async def answer_with_head(reader, writer):
    head = await reader.readuntil(b"\r\n\r\n")
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n" % len(head) + head)
    writer.close()


async def in_front_of(answer, proxy_type, test):
    """A proxy in front of something that answers requests."""
    upstream = await asyncio.start_server(answer, "127.0.0.1", 0)
    test.addAsyncCleanup(upstream.wait_closed)
    test.addCleanup(upstream.close)
    proxy = proxy_type(upstream.sockets[0].getsockname()[1])
    test.addAsyncCleanup(proxy.close)
    return await proxy.start()


class Proxies(ProcessCase):
    async def tap(self, page, taps, pause):
        for _ in range(taps):
            page.input("tap")
            await asyncio.sleep(pause * self.random.random())  # so that taps come all the time, and not at once

    async def reload_under_load(self, proxy_type):
        rooms, members, taps = (200, 5, 10) if is_long else (200, 5, 4)
        server = await self.server("--allow-host", name, "--trust-proxy", "127.0.0.1/32")
        proxy = proxy_type(server.port)
        self.addAsyncCleanup(proxy.close)
        await proxy.start()
        answer = await proxy.get("/number")
        self.assertTrue(answer.startswith("HTTP/1.1 200"), answer[:200])
        self.assertIn("max-age=31536000", answer)

        pages = [Page(proxy.port, "counter", str(number // members), self.random) for number in range(rooms * members)]
        for page in pages:
            page.tls, page.name = proxy.context, name
            self.addAsyncCleanup(page.close)
        for first in range(0, len(pages), 50):
            await asyncio.gather(*(page.open() for page in pages[first:first + 50]))

        tapping = asyncio.gather(*(self.tap(page, taps, 3) for page in pages))
        for _ in range(5 if is_long else 1):
            await asyncio.sleep(1)  # under way
            await proxy.reload()
        await tapping
        async with asyncio.timeout(120):
            for page in pages:
                await page.until(lambda: len(page.returns) > 1 and page.is_ready and not page.unconfirmed
                                 and page.state["label"] == str(members * taps), 120)

        self.assertEqual({page.starts for page in pages}, {1}, self.explain(server))
        self.assertEqual([page.errors for page in pages if page.errors], [])
        codes = sorted({closed.code for page in pages for closed in page.closings})
        print(f"\n{proxy_type.__name__}: {len(pages)} pages, {len(pages) * taps} inputs, each once; "
              f"{sum(len(page.returns) - 1 for page in pages)} returns after {codes}", file=sys.stderr)

    async def test_a_reload_of_nginx_loses_nothing(self):
        await self.reload_under_load(Nginx)

    async def test_a_reload_of_caddy_loses_nothing(self):
        await self.reload_under_load(Caddy)

    async def test_both_tell_the_visitors_address_and_no_claim_of_it(self):
        for proxy_type in (Nginx, Caddy):
            with self.subTest(proxy=proxy_type.__name__):
                proxy = await in_front_of(answer_with_head, proxy_type, self)

                answer = (await proxy.get("/", ["X-Forwarded-For: 192.0.2.6"])).lower().splitlines()

                self.assertIn("x-forwarded-for: 127.0.0.1", answer)
                self.assertIn("x-forwarded-proto: https", answer)
                self.assertIn(f"host: {name}:{proxy.port}", answer)

    async def test_both_pass_long_parts_of_files_on_as_they_come(self):
        size, begun = 4 << 20, asyncio.Queue()

        async def answer(reader, writer):
            await reader.readuntil(b"\r\n\r\n")
            begun.put_nowait(len(await reader.readexactly(1)))
            length = 1 + len(await reader.readexactly(size - 1))
            text = b"%d bytes" % length
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n" % len(text) + text)
            writer.close()

        for proxy_type in (Nginx, Caddy):
            with self.subTest(proxy=proxy_type.__name__):
                proxy = await in_front_of(answer, proxy_type, self)
                reader, writer = await asyncio.open_connection(
                    "127.0.0.1", proxy.port, ssl=proxy.context, server_hostname=name)
                head = f"PATCH /file HTTP/1.1\r\nHost: {name}\r\nContent-Length: {size}\r\nConnection: close\r\n\r\n"
                writer.write(head.encode() + bytes(size // 2))

                self.assertEqual(await asyncio.wait_for(begun.get(), 20), 1)
                writer.write(bytes(size // 2))
                answered = await asyncio.wait_for(reader.read(), 20)
                writer.close()

                self.assertTrue(answered.startswith(b"HTTP/1.1 200"), answered[:200])
                self.assertTrue(answered.endswith(b"%d bytes" % size), answered[-200:])

    async def test_the_server_believes_them(self):
        for proxy_type in (Nginx, Caddy):
            with self.subTest(proxy=proxy_type.__name__):
                server = await self.server("--trust-proxy", "127.0.0.1/32", "--log-level", "debug")
                proxy = proxy_type(server.port)
                self.addAsyncCleanup(proxy.close)
                await proxy.start()

                claims = ["X-Forwarded-For: 192.0.2.6", "Forwarded: for=192.0.2.6"]
                answer = await proxy.get("/healthz", claims, source="127.0.0.2")

                self.assertTrue(answer.startswith("HTTP/1.1 200"), answer[:200])
                await server.said("request", "path=/healthz", "address=127.0.0.2")


if __name__ == "__main__":
    unittest.main()
