# SPDX-License-Identifier: Apache-2.0
"""The form: every kind of control, by hand, by keyboard, and over a slow network."""

import re

from playwright.async_api import expect


def receipt(page):
    return page.locator(".receipt")


def button(page):
    return page.locator("form .button")


async def fill_in(page):
    await page.locator("#name").fill("Ann")
    await page.locator("#day").fill("2999-12-31")
    await page.get_by_label(re.compile("apron")).check()
    await expect(button(page)).to_be_enabled()


async def test_every_control(case):
    """Checkbox, radio, select, number, date, text area and segments reach the server, and a reload shows them again."""
    server = await case.serve()
    page = await case.live(server, "/form")
    await expect(button(page)).to_be_disabled()

    await fill_in(page)
    await page.locator("#people").fill("3")
    await page.locator("#course").select_option("glazing")
    await page.get_by_label("I have been here before").check()
    await page.get_by_label("Afternoon").check(force=True)
    await page.locator("#remarks").fill("two\nlines")
    await expect(button(page)).to_be_enabled()
    await page.wait_for_function("sessionStorage !== null && !document.querySelector('[data-pending]')")
    await page.reload()

    await expect(page.locator("#name")).to_have_value("Ann")
    await expect(page.locator("#people")).to_have_value("3")
    await expect(page.locator("#day")).to_have_value("2999-12-31")
    await expect(page.locator("#course")).to_have_value("glazing")
    await expect(page.get_by_label("I have been here before")).to_be_checked()
    await expect(page.get_by_label("Afternoon")).to_be_checked()
    await expect(page.locator("#remarks")).to_have_value("two\nlines")
    await expect(page.get_by_label(re.compile("apron"))).to_be_checked()


async def test_enter_sends_the_form(case):
    """Enter in a field sends a complete form, once, and nothing while it is not; the form is empty afterwards."""
    server = await case.serve()
    page = await case.live(server, "/form")
    await page.locator("#name").fill("Ann")
    await page.locator("#name").press("Enter")
    await expect(receipt(page)).to_be_hidden()

    await fill_in(page)
    await page.locator("#people").fill("2")
    await page.locator("#people").press("Enter")

    await expect(receipt(page)).to_be_visible()
    await expect(receipt(page)).to_contain_text("Ann")
    await expect(receipt(page)).to_contain_text("December 31, 2999")
    await expect(page.locator("#name")).to_have_value("")
    await expect(page.locator("#people")).to_have_value("1")
    await expect(page.locator("#day")).to_have_value("")
    await expect(page.get_by_label(re.compile("apron"))).not_to_be_checked()
    await expect(button(page)).to_be_disabled()


async def test_what_is_wrong_is_said_at_the_field(case):
    """Each field tells its problem, is marked as invalid, and the button waits; emptied fields count."""
    server = await case.serve()
    page = await case.live(server, "/form")
    await fill_in(page)

    for field, wrong, right in (("name", " ", "Bob"), ("people", "12", "8"), ("people", "", "1"),
                                ("day", "2000-01-01", "2999-01-01")):
        control, problem = page.locator(f"#{field}"), page.locator(f"#{field}-problem")
        await control.fill(wrong)
        await expect(problem).to_be_visible()
        await expect(control).to_have_attribute("aria-invalid", "true")
        await expect(button(page)).to_be_disabled()
        await control.fill(right)
        await expect(problem).to_be_hidden()
        await expect(control).to_have_attribute("aria-invalid", "false")
        await expect(button(page)).to_be_enabled()


async def test_a_slow_network_shows(case):
    """A control whose input has not reached the server is marked after a moment, until it has."""
    server = await case.serve()
    proxy = await case.proxy(server)
    page = await case.live(proxy, "/form")
    await fill_in(page)
    proxy.hold("up")

    await button(page).click()
    await expect(page.locator("form")).to_have_attribute("data-pending", "")
    await expect(receipt(page)).to_be_hidden()
    proxy.release()
    await expect(receipt(page)).to_be_visible()
    await expect(page.locator("form")).not_to_have_attribute("data-pending", "")

    box = page.get_by_label(re.compile("apron"))
    proxy.hold("up")
    await box.check()
    await expect(box).to_have_attribute("data-pending", "")
    proxy.release()
    await expect(box).not_to_have_attribute("data-pending", "")
    await expect(box).to_be_checked()


async def test_only_the_keyboard(case):
    """The whole form can be filled in and sent by the keyboard."""
    server = await case.serve()
    page = await case.live(server, "/form")
    await page.locator("#name").focus()
    keyboard = page.keyboard

    await keyboard.type("Ann")
    await keyboard.press("Tab")
    await keyboard.press("ArrowUp")
    await expect(page.locator("#people")).to_have_value("2")
    await keyboard.press("Tab")
    await keyboard.type("12312999")
    await page.locator("[name=part]:checked").focus()
    await keyboard.press("ArrowRight")
    await expect(page.get_by_label("Afternoon")).to_be_checked()
    await keyboard.press("Tab")
    await keyboard.press("ArrowDown")
    await expect(page.locator("#course")).to_have_value("wheel")
    await page.get_by_label(re.compile("apron")).focus()
    await keyboard.press("Space")
    await expect(button(page)).to_be_enabled()
    await keyboard.press("Tab")
    await expect(button(page)).to_be_focused()
    await keyboard.press("Enter")

    await expect(receipt(page)).to_contain_text("Ann")
