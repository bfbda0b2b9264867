# SPDX-License-Identifier: Apache-2.0
"""Inputs that a page holds back (`data-debounce`, `data-throttle`) leave at once, and first, when the person is done."""

from playwright.async_api import expect


async def two_people(case):
    server = await case.serve_test_screens()
    return [await case.live(server, "/controls") for _ in range(2)]


async def type_slowly(case, text: str):
    """Two pages of one room; one has typed a text that is not sent for a minute."""
    one, other = await two_people(case)
    await one.locator("#draft").focus()
    await one.keyboard.type(text)
    assert not names_sent(one), names_sent(one)
    return one, other


def names_sent(page) -> list[str]:
    """The names of the inputs that the page has sent, in order."""
    return [frame["name"] for frame in page.frames_sent if "input" in frame]


async def test_a_click(case):
    """A click sends earlier typing first, in the same order: the ViewModel reads the whole text."""
    one, other = await type_slowly(case, "clicked")
    await one.locator("#plain").click()
    for page in (one, other):
        await expect(page.locator("#sent")).to_have_text("clicked")
        await expect(page.locator("#draft")).to_have_value("clicked")
    assert names_sent(one) == ["draft", "send"], names_sent(one)


async def test_enter(case):
    """Enter in the field submits its form, with the text."""
    one, other = await type_slowly(case, "entered")
    await one.keyboard.press("Enter")
    await expect(other.locator("#sent")).to_have_text("entered")
    assert names_sent(one) == ["draft", "send"], names_sent(one)


async def test_a_submit(case):
    """A form that is submitted without a key or a click."""
    one, other = await type_slowly(case, "submitted")
    await one.locator("form").evaluate("(form) => form.requestSubmit()")
    await expect(other.locator("#sent")).to_have_text("submitted")
    assert names_sent(one) == ["draft", "send"], names_sent(one)


async def test_another_control(case):
    """The text leaves with the focus, and before inputs elsewhere."""
    one, other = await type_slowly(case, "left behind")
    await one.keyboard.press("Tab")
    await expect(other.locator("#draft")).to_have_value("left behind")
    await one.locator("#volume").press("ArrowRight")
    await expect(other.locator("#volume")).to_have_value(await one.locator("#volume").input_value())
    assert names_sent(one) == ["draft", "volume"], names_sent(one)


async def test_leaving_the_page(case):
    """The text is there for the others when the person has gone elsewhere."""
    one, other = await type_slowly(case, "gone")
    await one.goto("about:blank")
    await expect(other.locator("#draft")).to_have_value("gone")


async def test_a_throttle(case):
    """The first typing goes out at once, and the rest with the next click, or with the page."""
    one, other = await two_people(case)
    await one.locator("#said").focus()
    await one.keyboard.type("word")
    await expect(other.locator("#said")).to_have_value("w")
    assert names_sent(one) == ["said"], names_sent(one)

    await one.locator("#press").click()
    await expect(other.locator("#said")).to_have_value("word")
    assert names_sent(one) == ["said", "said", "press"], names_sent(one)

    await one.locator("#said").focus()
    await one.keyboard.press("End")
    await one.keyboard.type(" by word")
    assert names_sent(one) == ["said", "said", "press"], names_sent(one)
    await one.goto("about:blank")
    await expect(other.locator("#said")).to_have_value("word by word")
