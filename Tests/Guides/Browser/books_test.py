# SPDX-License-Identifier: Apache-2.0
"""The books of the guide "Addresses": two screens on top of each other, each with an address of its own."""

import re

from playwright.async_api import expect

from guides_test import guides, serve

shelf, chapter = "select", "[data-bind-text=chapter]"


async def ends_with(page, address: str) -> None:
    await expect(page).to_have_url(re.compile(re.escape(address) + "$"))


async def test_books(case):
    """Shelf and word stand in the address together; an opened book has its chapter there, and one way back."""
    server, _ = await serve(case, "GuideExamples", guides / "Examples/Public")
    page = await case.open(server.url + "/books?word=o")
    await ends_with(page, "/books?word=o&shelf=all")
    await page.select_option(shelf, "unread")
    await ends_with(page, "/books?word=o&shelf=unread")
    await expect(page.locator("[data-row]")).to_have_text("Botchan")

    # Ctrl and a click open it in a tab of its own.
    await expect(page.locator("[data-row] a")).to_have_attribute("href", "/books/2")
    await page.click("text=Botchan")
    await ends_with(page, "/books/2?chapter=1")
    for number in (2, 3):
        await page.click("text=Next chapter")
        await ends_with(page, f"/books/2?chapter={number}")
    await page.go_back()
    await expect(page.locator(chapter)).to_have_text("2")
    await page.reload()
    await expect(page.locator(chapter)).to_have_text("2")
    await page.go_forward()
    await expect(page.locator(chapter)).to_have_text("3")
    await page.click("[data-back]")
    await ends_with(page, "/books?word=o&shelf=unread")
    await expect(page.locator(shelf)).to_have_value("unread")

    await page.go_back()
    await ends_with(page, "/books?word=o&shelf=all")
    await expect(page.locator(shelf)).to_have_value("all")
    await expect(page.locator("[data-row]")).to_have_count(2)
    await page.select_option(shelf, "read")
    await page.click("text=Kokoro")
    await ends_with(page, "/books/1?chapter=1")
    # At once it may end the page before the answer.
    await page.evaluate("void setTimeout(() => history.go(-2))")
    await expect(page.locator("h1")).to_have_text("Books")
    other = await case.open(server.url + "/books/3?chapter=4")
    await expect(other.locator(chapter)).to_have_text("4")
    await expect(other.locator("#musubi-inspector")).to_have_count(0)
