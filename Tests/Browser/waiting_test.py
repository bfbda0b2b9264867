# SPDX-License-Identifier: Apache-2.0
"""What waits for the server: a person sees it, it has bounds, and a duplicated tab does not send it twice."""

from playwright.async_api import expect

from harness import lost_network
from wake_test import hide_or_show

# How a person sees that a control cannot be used.
looks = """(control) => {
  const { borderTopStyle, backgroundColor, color, opacity, cursor } =
    getComputedStyle(control.closest("label") ?? control);
  return [borderTopStyle, backgroundColor, color, opacity, cursor].join();
}"""


def lose(proxy) -> None:
    proxy.is_refusing = True
    proxy.cut()


async def is_away(page) -> None:
    await expect(page.locator("html")).not_to_have_attribute("data-link", "live")


async def is_live(page) -> None:
    await expect(page.locator("html")).to_have_attribute("data-link", "live")


async def test_too_many_bytes(case):
    """A queue that is full by its bytes makes every control unusable, and looks it; all works again once it has drained."""
    case.allow(lost_network)
    server = await case.serve()
    proxy = await case.proxy(server)
    page = await case.live(proxy, "/form")
    name, remarks = page.locator("#name"), page.locator("#remarks")
    box, course, level = page.locator("[type=checkbox]"), page.locator("#course"), page.get_by_label("Nothing yet")
    button, day = page.locator("form .button"), page.locator("#day")
    await name.fill("Ann")
    await day.fill("2999-12-31")
    await box.check()
    await expect(button).to_be_enabled()
    await remarks.evaluate("field => field.removeAttribute('maxlength')")
    await remarks.focus()
    controls = [name, remarks, day, box, course, level, page.locator("#people"), button]
    before = [await control.evaluate(looks) for control in controls]

    lose(proxy)
    await is_away(page)
    text = "".join(chr(97 + index % 26) for index in range(90_000))
    await remarks.fill(text)

    await expect(page.locator("html")).to_have_attribute("data-full", "")
    await expect(page.locator("[role=status]")).to_contain_text("Too many changes are waiting.")
    for control in (name, remarks, day):
        await expect(control).to_have_js_property("readOnly", True)
        await expect(control).to_have_attribute("aria-disabled", "true")
    for control in (box, course, level):
        await expect(control).to_be_disabled()
    await expect(page.locator("form")).to_have_attribute("aria-disabled", "true")
    for control, look in zip(controls, before):
        assert await control.evaluate(looks) != look, f"{await control.get_attribute('id')} looks as if it could be used"
    await expect(remarks).to_be_focused()
    await page.keyboard.type("more")
    await page.locator("label.check").click(force=True)
    await expect(remarks).to_have_value(text)
    await expect(box).to_be_checked()
    for width in (1280, 390):
        await page.set_viewport_size({"width": width, "height": 900})
        await case.photograph(page, f"form-full-{width}")

    proxy.is_refusing = False
    await is_live(page)
    await expect(page.locator("html")).not_to_have_attribute("data-full", "")
    for control, look in zip(controls, before):
        assert await control.evaluate("control => control.readOnly || control.disabled || control.ariaDisabled") in (False, None)
        await expect(control).to_have_css("opacity", "1")
        assert await control.evaluate(looks) == look
    await remarks.press("Control+End")
    await page.keyboard.type("!")
    await course.select_option("glazing")
    await expect(page.locator("[role=status]")).to_have_text("")
    await page.reload()
    await expect(remarks).to_have_value(text + "!")
    await expect(course).to_have_value("glazing")
    await expect(box).to_be_checked()


async def test_too_many_inputs(case):
    """A queue that is full by its count disables the buttons visibly; each press that was taken has its effect, once."""
    case.allow(lost_network)
    server = await case.serve_test_screens()
    proxy = await case.proxy(server)
    page, witness = await case.live(proxy, "/controls"), await case.live(server, "/controls")
    press = page.locator("#press")
    # What the author has made unusable stays so.
    await page.locator("#plain").evaluate("button => button.setAttribute('aria-disabled', 'true')")

    lose(proxy)
    await is_away(page)
    await press.evaluate("button => { for (let count = 0; count < 1100; count += 1) button.click(); }")

    await expect(press).to_have_attribute("aria-disabled", "true")
    await expect(page.locator("[role=status]")).to_contain_text("Too many changes are waiting.")
    proxy.is_refusing = False
    await is_live(page)
    await expect(press).not_to_have_attribute("aria-disabled", "true")
    await expect(witness.locator("#presses")).to_have_text("1000")
    await press.click()
    await expect(witness.locator("#presses")).to_have_text("1001")
    await expect(page.locator("#presses")).to_have_text("1001")
    await expect(page.locator("#plain")).to_have_attribute("aria-disabled", "true")


async def test_in_the_language_of_the_page(case):
    """The status line speaks the language that the page is in."""
    case.allow(lost_network)
    server = await case.serve()
    proxy = await case.proxy(server)
    page = await case.live(proxy, "/form", locale="ja")
    status = page.locator("[role=status]")

    lose(proxy)
    await is_away(page)
    await page.locator("#name").fill("花子")

    await expect(status).to_have_text("サーバーに接続できません。再接続しています。 1件の変更がまだサーバーに届いていません。")
    for width in (1280, 390):
        await page.set_viewport_size({"width": width, "height": 900})
        await case.photograph(page, f"form-offline-ja-{width}")
    await page.locator("[data-speak=en]").click()
    await page.locator("#people").fill("2")
    await expect(status).to_contain_text("No connection to the server. Trying again. 2 changes have not reached the server yet.")
    proxy.is_refusing = False
    await is_live(page)
    await expect(status).to_have_text("")


async def wait_with_changes(case):
    """A page of three changes that wait, hidden, and one that sees what comes of them."""
    case.allow(lost_network)
    server = await case.serve_test_screens()
    proxy = await case.proxy(server)
    page, witness = await case.live(proxy, "/controls"), await case.live(server, "/controls")
    lose(proxy)
    await is_away(page)
    await page.locator("#draft").fill("typed")
    await page.locator("#press").dblclick()
    await expect(page.locator("[role=status]")).to_contain_text("3 changes have not reached the server yet.")
    await page.evaluate(hide_or_show, "hidden")
    return proxy, page, witness


async def has_each_once(page) -> None:
    await expect(page.locator("#draft")).to_have_value("typed")
    await expect(page.locator("#presses")).to_have_text("2")


async def test_the_duplicate_comes_first(case):
    """What waits in a tab that sleeps is sent once, though its duplicate is loaded first; then both go on."""
    proxy, page, witness = await wait_with_changes(case)
    copy = await case.copy_tab(page)

    developer = await page.context.new_cdp_session(page)
    await developer.send("Page.setWebLifecycleState", {"state": "frozen"})
    proxy.is_refusing = False
    await copy.goto(page.url)
    await is_live(copy)
    await has_each_once(copy)
    await has_each_once(witness)

    await developer.send("Page.setWebLifecycleState", {"state": "active"})
    await page.evaluate(hide_or_show, "visible")
    await is_live(page)
    await copy.locator("#press").click()
    await expect(page.locator("#presses")).to_have_text("3")
    await page.locator("#press").click()
    for each in (page, copy, witness):
        await expect(each.locator("#presses")).to_have_text("4")
        await expect(each.locator("#draft")).to_have_value("typed")


async def test_the_duplicate_comes_while_the_tab_tries(case):
    """So it is if the hidden tab is awake, and finds its server in the same moment."""
    proxy, page, witness = await wait_with_changes(case)
    copy = await case.copy_tab(page)

    proxy.is_refusing = False
    await copy.goto(page.url)
    await is_live(copy)
    await has_each_once(copy)
    await has_each_once(witness)
    await page.evaluate(hide_or_show, "visible")
    await is_live(page)

    await page.locator("#press").click()
    for each in (page, copy, witness):
        await expect(each.locator("#presses")).to_have_text("3")
        await expect(each.locator("#draft")).to_have_value("typed")


async def test_the_duplicate_comes_last(case):
    """A tab that is looked at again sends what waits itself; its duplicate begins with nothing."""
    proxy, page, witness = await wait_with_changes(case)
    copy = await case.copy_tab(page)

    await page.evaluate(hide_or_show, "visible")
    proxy.is_refusing = False
    await is_live(page)
    await has_each_once(witness)
    await copy.goto(page.url)
    await is_live(copy)
    await has_each_once(copy)
    await page.locator("#press").click()
    await copy.locator("#press").click()

    for each in (page, copy, witness):
        await expect(each.locator("#presses")).to_have_text("4")
        await expect(each.locator("#draft")).to_have_value("typed")
