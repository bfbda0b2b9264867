# SPDX-License-Identifier: Apache-2.0
"""What happens to a page whose network or server is bad, away, or not its own."""

import asyncio
import random
import re
import shutil

from playwright.async_api import expect

from harness import NumberPage, eventually, lost_network


async def test_killed_and_restarted(case):
    """A server killed and started again gets its pages back, and the typing while it was away."""
    case.allow(lost_network)
    server = await case.serve()
    first, second = await case.number(server), await case.number(server)
    await first.retype("42")
    await second.shows("42")

    await server.kill()
    await first.is_away()
    await second.is_away()
    await first.type_at_end("7")
    await expect(first.field).to_have_value("427")
    await expect(first.status).to_have_text(re.compile(r"\w"))
    await case.serve(port=server.port)

    await first.is_live()
    await second.is_live()
    await first.shows("427")
    await second.shows("427")


async def test_a_cut_connection(case):
    """Characters typed while the connection is cut arrive once, and the page says that it waits."""
    case.allow(lost_network)
    server = await case.serve()
    proxy = await case.proxy(server)
    page, observer = await case.number(proxy), await case.number(server)
    await page.retype("abc")
    await observer.shows("abc")

    proxy.is_refusing = True
    proxy.cut()
    await page.is_away()
    await page.type_at_end("def")
    await expect(page.field).to_have_value("abcdef")
    await expect(page.status).to_have_text(re.compile(r"\w"))
    await observer.shows("abc")
    proxy.is_refusing = False

    await page.is_live()
    await page.shows("abcdef")
    await observer.shows("abcdef")


async def test_typing_over_a_bad_network(case):
    """200 characters at 30 ms intervals, 500 ms away, the connection cut three times: all arrive, in order."""
    case.allow(lost_network)
    server = await case.serve()
    proxy = await case.proxy(server, delay=0.5)
    page, observer = await case.number(proxy), await case.number(server)
    seed = random.randrange(1 << 32)
    letters = random.Random(seed).choices("abcdefghijklmnopqrstuvwxyz0123456789", k=200)
    text = "".join(letters)
    print(f"      typing over a bad network: seed {seed}")

    for start in range(0, 200, 50):
        await page.type_at_end(text[start:start + 50], interval=0.03)
        if start < 150:
            await eventually(proxy.cut)  # as soon as there is a connection
            await page.is_away()

    await observer.shows("0" + text)
    await page.shows("0" + text)
    caret = await page.field.evaluate("field => field.selectionStart")
    assert caret == 201, f"the caret is at {caret}"
    await expect(page.html).to_have_attribute("data-link", "live")


async def foreign_copy(case, server) -> object:
    """A file server's copies of the pages and of the client, whose number page names the server."""
    folder = await case.written_pages()
    page = folder / "number.html"
    text, count = re.subn("<body", f'<body data-server="ws://127.0.0.1:{server.port}"', page.read_text(), count=1)
    assert count == 1, "number.html has no <body> to put data-server on"
    page.write_text(text)
    return folder


async def test_a_foreign_file_server(case):
    """A page from a file server that knows nothing of Musubi works with `data-server` and `--allow-origin`."""
    folder = case.folder()
    files = await case.serve_files(folder)
    server = await case.serve("--allow-origin", files.url)
    shutil.copytree(await foreign_copy(case, server), folder, dirs_exist_ok=True)

    page = await case.number(files, "/number.html?room=test")
    own = await case.number(server)
    await page.retype("42")
    await own.shows("42")
    await own.retype("43")

    await page.shows("43")


async def test_a_refused_origin(case):
    """Without `--allow-origin` the page says that it is not available; its author reads why in the console."""
    case.allow(r"WebSocket connection to .* failed: .*403")
    case.allow(r"Failed to load resource: .*403")  # how the page finds out why: a script cannot see the handshake
    server = await case.serve()
    files = await case.serve_files(await foreign_copy(case, server))

    page = NumberPage(await case.open(files.url + "/number.html?room=test"))

    await expect(page.status).to_contain_text("This page is not available at the moment.")
    async with page.page.expect_console_message(lambda message: f"127.0.0.1:{files.port}" in message.text, timeout=60_000):
        pass  # it is told with each attempt


async def test_a_clean_shutdown(case):
    """A server that is asked to end does so with pages open, and they come back to the next one."""
    case.allow(lost_network)
    server = await case.serve()
    page = await case.number(server)
    await page.retype("42")

    status = await server.stop()
    await page.is_away()
    await case.serve(port=server.port)

    assert status == 0, f"exit status {status}"
    await page.is_live()
    await page.type_at_end("1")
    await expect(page.label).to_have_text(re.compile("1$"))
