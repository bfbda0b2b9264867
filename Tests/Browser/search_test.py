# SPDX-License-Identifier: Apache-2.0
"""The search screen in the browser over a server that answers as Wikipedia does."""

import asyncio
import re
import sys

from playwright.async_api import expect

from processes import root

sys.path.insert(0, str(root / "Tests/Foreign"))

from wikipedia import Wikipedia  # noqa: E402


async def search(case):
    """A gallery that asks a Wikipedia of the test, and a page behind a proxy."""
    wikipedia = Wikipedia()

    async def close():
        await asyncio.to_thread(wikipedia.close)

    case._closing.append(close)
    server = await case.serve("--search", "wikipedia", "--wikipedia", wikipedia.url)
    proxy = await case.proxy(server)
    return wikipedia, proxy, await case.live(proxy, "/search")


async def test_found_articles_link_to_wikipedia(case):
    """Typing without a pause is one request; rows have a link and plain text."""
    wikipedia, proxy, page = await search(case)

    proxy.hold("up")  # all keys reach the server at once, however long the browser takes for each
    await page.locator("#word").press_sequentially("Mount Fuji")
    proxy.release()

    row = page.locator(".rows .row")
    await expect(row.locator("a")).to_have_text("Mount Fuji")
    await expect(row.locator("a")).to_have_attribute("href", f"{wikipedia.url}/wiki/Mount_Fuji")
    await expect(row).to_contain_text('About Mount Fuji & more, "so\'s"')
    assert wikipedia.asked == ["Mount Fuji"], wikipedia.asked


async def test_waiting_and_a_late_answer(case):
    """While an answer is waited for the page says so; a late one of an older word is never shown."""
    wikipedia, _, page = await search(case)
    gate = wikipedia.hold("older")

    await page.locator("#word").fill("older")
    await expect(page.locator(".busy")).to_be_visible()
    await page.locator("#word").fill("newer")
    await expect(page.locator(".rows .row a")).to_have_text("newer")
    await expect(page.locator(".busy")).to_be_hidden()
    gate.set()
    await asyncio.to_thread(wikipedia.wait, lambda: "older" in wikipedia.answered)
    await page.locator("#word").fill("newest")

    await expect(page.locator(".rows .row a")).to_have_text("newest")
    rows = [row["title"] for frame in page.frames_received for operation in frame.get("patch", [])
            for row in (operation.get("value") if isinstance(operation.get("value"), list) else [])]
    assert "older" not in rows


async def test_an_error_and_the_way_back(case):
    """An answer that is no JSON is told in the page's language; the next word works, and the error goes."""
    wikipedia, _, page = await search(case)
    wikipedia.replies["bad"] = (200, "<html>a hotel's page</html>")
    error = page.locator(".error")

    await page.locator("#word").fill("bad")
    await expect(error).to_have_text(re.compile("cannot be read"), use_inner_text=True)
    await page.locator("[data-speak=ja]").click()
    await expect(error).to_have_text(re.compile("読み取れません"), use_inner_text=True)
    await page.locator("#word").fill("good")

    await expect(page.locator(".rows .row a")).to_have_text("good")
    await expect(error).to_be_hidden()
