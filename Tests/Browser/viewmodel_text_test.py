# SPDX-License-Identifier: Apache-2.0
"""Texts that a ViewModel changes while people type them, over a bad network: nothing is lost, doubled or out of order."""

import asyncio

from playwright.async_api import expect

from harness import lost_network

# 100 different small letters that each have one capital; in two halves for two people.
letters = [chr(code) for code in range(0x3B1, 0x3CA) if code != 0x3C2] + [chr(code) for code in range(0x430, 0x450)]
letters += [chr(code) for code in range(0x561, 0x585)] + [chr(code) for code in range(0x61, 0x69)]
typed = "".join(letters[:100]) * 2


async def open_capitals(case, server):
    page = await case.live(server, "/capitals?room=test")
    return page, page.locator("textarea")


async def write(page, field, text: str) -> None:
    await field.focus()
    await page.keyboard.type(text, delay=30)


async def cut_now_and_then(proxy) -> None:
    """Three connections in ten go while somebody types: about one in every two seconds."""
    for _ in range(3):
        await asyncio.sleep(2)
        proxy.cut()


async def settle(fields, length: int) -> list[str]:
    """Waits until all show texts of this length, in capitals; and the same."""
    for field in fields:
        await field.evaluate("""(field, length) => new Promise((done) => {
          const look = () => field.value.length >= length && field.value === field.value.toUpperCase()
            ? done() : setTimeout(look, 50);
          look();
        })""", length)
    texts = [await field.input_value() for field in fields]
    assert all(text == texts[0] for text in texts), texts
    return texts


async def test_capitals_alone(case):
    """200 characters, 30 ms apart, 500 ms of latency, cut connections: each arrives as a capital, once and in order."""
    case.allow(lost_network)
    server = await case.serve_test_screens()
    proxy = await case.proxy(server, delay=0.5)
    page, field = await open_capitals(case, proxy)

    await asyncio.gather(write(page, field, typed), cut_now_and_then(proxy))

    await expect(field).to_have_value(typed.upper())
    _, seen = await open_capitals(case, server)
    await expect(seen).to_have_value(typed.upper())
    assert await field.evaluate("field => field.selectionStart") == len(typed)


async def test_capitals_together(case):
    """The same with a second typist: both texts are whole, in capitals and in order, and both pages show the same."""
    case.allow(lost_network)
    server = await case.serve_test_screens()
    proxy = await case.proxy(server, delay=0.5)
    texts = ["".join(letters[:50]) * 4, "".join(letters[50:100]) * 4]
    pages = [await open_capitals(case, proxy), await open_capitals(case, server)]

    await asyncio.gather(*(write(*page, text) for page, text in zip(pages, texts)), cut_now_and_then(proxy))

    shown, _ = await settle([field for _, field in pages], 400)
    for text in texts:
        assert "".join(letter for letter in shown if letter in text.upper()) == text.upper(), shown
    assert len(shown) == 400, shown
