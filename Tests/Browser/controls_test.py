# SPDX-License-Identifier: Apache-2.0
"""Controls that a person is in the middle of setting while the server sends another value: nothing jumps under a hand."""

import asyncio

from playwright.async_api import expect


async def two_people(case):
    server = await case.serve_test_screens()
    return [await case.live(server, "/controls") for _ in range(2)]


async def has_come(page, name: str, value) -> None:
    """Waits until the page has got a value, whether or not it shows it."""
    def is_there() -> bool:
        return any(step["path"] == f"/{name}" and step.get("value") == value
                   for frame in page.frames_received for step in frame.get("patch", []))
    while not is_there():
        await asyncio.sleep(0.02)  # a page that is not drawn has no animation frame to wait for


async def set_volume(page, value: int) -> None:
    await page.locator("#volume").evaluate("""(range, value) => {
      range.value = value;
      for (const type of ["input", "change"]) range.dispatchEvent(new Event(type, { bubbles: true }));
    }""", value)


async def handle(page) -> tuple[float, float, float]:
    """The track of the range: its left end, its width and its middle line."""
    box = await page.locator("#volume").bounding_box()
    return box["x"], box["width"], box["y"] + box["height"] / 2


async def test_an_open_list(case):
    """A list that is open keeps its choice; what the server sent shows when it is closed without a choice."""
    one, other = await two_people(case)
    course = one.locator("#course")
    await course.click()

    await other.locator("#course").select_option("glazing")
    await has_come(one, "course", "glazing")
    await expect(course).to_have_value("taster")
    await one.keyboard.press("Escape")
    await one.locator("#draft").focus()

    await expect(course).to_have_value("glazing")


async def test_a_choice_in_an_open_list(case):
    """Who chooses after somebody else has the last word, on both pages."""
    one, other = await two_people(case)
    course = one.locator("#course")
    await course.click()
    await other.locator("#course").select_option("glazing")
    await has_come(one, "course", "glazing")

    await one.keyboard.press("ArrowDown")
    await one.keyboard.press("Enter")

    for page in (one, other):
        await expect(page.locator("#course")).to_have_value("wheel")


async def test_a_dragged_handle(case):
    """A handle stays under the pointer while others move theirs, and where it is let go is what counts."""
    one, other = await two_people(case)
    volume = one.locator("#volume")
    left, width, middle = await handle(one)
    await one.mouse.move(left + width * 0.3, middle)
    await one.mouse.down()
    await one.mouse.move(left + width * 0.4, middle, steps=4)
    under_hand = await volume.input_value()
    assert 30 < int(under_hand) < 50

    await expect(other.locator("#volume")).to_have_value(under_hand)
    await set_volume(other, 90)
    await has_come(one, "volume", 90)
    await expect(volume).to_have_value(under_hand)
    await one.mouse.move(left + width * 0.6, middle, steps=4)
    await one.mouse.up()

    chosen = await volume.input_value()
    assert 50 < int(chosen) < 70
    await expect(other.locator("#volume")).to_have_value(chosen)
    await expect(volume).to_have_value(chosen)


async def test_a_handle_let_go(case):
    """A handle that is let go without another move goes to what others have set meanwhile."""
    one, other = await two_people(case)
    left, width, middle = await handle(one)
    await one.mouse.move(left + width * 0.4, middle)
    await one.mouse.down()
    under_hand = await one.locator("#volume").input_value()
    await expect(other.locator("#volume")).to_have_value(under_hand)
    await set_volume(other, 90)
    await has_come(one, "volume", 90)

    await one.mouse.up()

    for page in (one, other):
        await expect(page.locator("#volume")).to_have_value("90")


async def test_half_a_date(case):
    """A date that is half typed is not replaced by another's; when it is whole it counts, on both pages."""
    one, other = await two_people(case)
    day = one.locator("#day")
    await day.focus()
    await one.keyboard.type("05")
    await other.locator("#day").fill("2031-12-24")
    await has_come(one, "day", "2031-12-24")
    await expect(day).to_have_value("2030-05-01")

    await one.keyboard.type("172032")
    await one.locator("#draft").focus()

    for page in (one, other):
        await expect(page.locator("#day")).to_have_value("2032-05-17")


async def test_a_handle_moved_by_keys_on_a_slow_network(case):
    """Each key goes on from where the one before has left the handle, whatever the answers to earlier keys say."""
    server = await case.serve_test_screens()
    page = await case.live(await case.proxy(server, delay=0.1), "/controls")
    volume = page.locator("#volume")
    await expect(volume).to_have_value("10")
    await volume.focus()

    for _ in range(30):
        await page.keyboard.press("ArrowRight")
        # As long as a key that is held; answers to the first ones come meanwhile.
        await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    await expect(volume).to_have_value("40")
    await has_come(page, "volume", 40)
    await expect(volume).to_have_value("40")


async def test_a_value_that_is_not_accepted(case):
    """A number that the ViewModel bounds, and a tick that it ignores, give way to what it has, though that has not changed."""
    server = await case.serve_test_screens()
    page = await case.live(server, "/controls")
    travellers, agreed = page.locator("#travellers"), page.locator("#agreed")
    await expect(travellers).to_have_value("9")

    await travellers.fill("12")
    await travellers.press("Enter")
    await expect(travellers).to_have_value("9")
    await agreed.click()
    await expect(agreed).not_to_be_checked()

    assert [frame["value"] for frame in page.frames_sent if frame.get("name") in ("travellers", "agreed")] == [12, True]
