# SPDX-License-Identifier: Apache-2.0
"""A text too long for the server stays in its control, says so as long as it is, and ends no session."""

from playwright.async_api import expect

message = "[data-too-long]"


async def is_marked(page, field, text: str) -> None:
    note = page.locator(message)
    await expect(note).to_have_text(text)
    await expect(field).to_have_attribute("aria-invalid", "true")
    assert await note.get_attribute("id") in await field.get_attribute("aria-describedby")
    assert await field.evaluate("field => field.validationMessage") == text


async def is_clean(page, field) -> None:
    await expect(page.locator(message)).to_have_count(0)
    await expect(field).not_to_have_attribute("aria-invalid", "true")
    assert await field.evaluate("field => field.validationMessage") == ""


async def test_a_shared_text(case):
    """A text over the limit is not shared, and says so lastingly, also after a reload; it goes on once it fits."""
    server = await case.serve()
    page, witness = await case.live(server, "/note?room=long"), await case.live(server, "/note?room=long")
    field = page.locator("textarea")
    await field.focus()
    await page.keyboard.insert_text("start ")
    await expect(witness.locator("textarea")).to_have_value("start ")

    await page.keyboard.insert_text("x" * 270_018)
    await is_marked(page, field, "Not shared: 7,880 characters too long.")
    await expect(page.locator("[role=status]")).to_have_text("Not shared: 7,880 characters too long.")
    for width in (1280, 390):
        await page.set_viewport_size({"width": width, "height": 900})
        await case.photograph(page, f"note-too-long-{width}")
    await page.keyboard.insert_text("y")
    await is_marked(page, field, "Not shared: 7,881 characters too long.")
    await page.reload()
    await is_marked(page, field, "Not shared: 7,881 characters too long.")
    assert len(await field.input_value()) == 270_025
    await expect(witness.locator("textarea")).to_have_value("start ")

    await field.evaluate("field => field.setSelectionRange(200, field.value.length)")
    await field.press("Delete")
    await expect(witness.locator("textarea")).to_have_value("start " + "x" * 194)
    await is_clean(page, field)


async def test_a_value(case):
    """A value that no frame can hold ends no session, now or after a reload; in both languages."""
    server = await case.serve_test_screens()
    page = await case.live(server, "/controls")
    field = page.locator("#wish")
    text = "結び目" * 10_000
    # {"input":1,"name":"wish","value":"…"}, and 65,536 bytes are the limit.
    over = -(-(90_000 + 36 - 65_536) // 3)

    await field.focus()
    await page.keyboard.insert_text(text)
    await is_marked(page, field, f"Not sent: {over:,} characters too long.")
    assert await field.evaluate("field => field.labels[0].textContent.trim()") == "Wish"
    await page.reload()
    await expect(page.locator("html")).to_have_attribute("data-link", "live")
    await is_marked(page, field, f"Not sent: {over:,} characters too long.")
    await expect(field).to_have_value(text)
    await page.evaluate("document.documentElement.lang = 'ja', dispatchEvent(new Event('languagechange'))")
    await is_marked(page, field, f"送信されていません（{over:,}文字超過）。")
    assert not any(frame.get("name") == "wish" for frame in page.frames_sent)
    sessions = {(frame.get("hello") or frame.get("resumed"))["session"]
                for frame in page.frames_received if "hello" in frame or "resumed" in frame}
    assert len(sessions) == 1, sessions

    await field.fill("short")
    await is_clean(page, field)
    await expect(page.locator("#wish-length")).to_have_text("5")
