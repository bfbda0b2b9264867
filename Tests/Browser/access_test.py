# SPDX-License-Identifier: Apache-2.0
"""What axe, the accessibility checker, finds on the pages: nothing, in both languages and in the states they get into."""

from axe_playwright_python.async_playwright import Axe
from playwright.async_api import expect

from harness import everywhere, shows_everything

axe = Axe()


def broken_rules(response: dict) -> list[str]:
    """Every rule that a page breaks, with the elements that break it."""
    return [f"{rule['id']} ({rule['help']}): {[node['html'][:160] for node in rule['nodes']]}"
            for rule in response["violations"]]


async def judge(page, state: str) -> None:
    """Fails with every rule that the page breaks."""
    broken = broken_rules((await axe.run(page)).response)
    assert not broken, f"{state}: " + "\n".join(broken)


async def each_page(case, locale):
    case.allow("status of 404")  # the page for addresses that lead nowhere
    server = await case.serve_contents(3)
    page = await case.open("about:blank", locale=locale)
    for path in everywhere:
        await page.goto(server.url + path)
        await shows_everything(page)
        await judge(page, f"{path} in {locale}")


async def test_axe_in_english(case):
    """Every page, in English."""
    await each_page(case, "en")


async def test_axe_in_japanese(case):
    """Every page, in Japanese."""
    await each_page(case, "ja")


async def test_axe_in_the_dark(case):
    """Every page in dark colours, where contrasts are others."""
    case.allow("status of 404")
    server = await case.serve_contents(3)
    page = await case.open("about:blank", color_scheme="dark")
    for path in everywhere:
        await page.goto(server.url + path)
        await shows_everything(page)
        await judge(page, f"{path} in the dark")


async def test_axe_in_the_states_of_pages(case):
    """A dialog, an error, results and none, a form half filled in and a receipt, an entry that is not there."""
    server = await case.serve_contents(3)
    page = await case.live(server, "/contents")

    await page.locator("#title").fill("only a title")
    await page.locator("#title").press("Enter")
    await expect(page.locator(".error")).to_be_visible()
    await judge(page, "an error")
    await page.locator("[data-on-click=delete]").first.click()
    await expect(page.locator("dialog[open]")).to_be_visible()
    await judge(page, "a dialog")

    await page.goto(server.url + "/contents/99")
    await expect(page.locator("[data-not-found]")).to_be_visible()
    await judge(page, "an entry that is not there")

    await page.goto(server.url + "/search")
    await page.locator("#word").fill("tokyo")
    await expect(page.locator(".row").first).to_be_visible()
    await judge(page, "results")
    await page.locator("#word").fill("xyzzy")
    await expect(page.locator("[data-bind-shown=nothingFound]")).to_be_visible()
    await judge(page, "no results")

    await page.goto(server.url + "/form")
    await page.locator("#people").fill("9")
    await expect(page.locator("#people-problem")).to_be_visible()
    await judge(page, "a form half filled in")
    await page.locator("#people").fill("2")
    await page.locator("#name").fill("Ann")
    await page.locator("#day").fill("2099-01-01")
    await page.locator(".check input").check()
    await page.locator("form .button").click()
    await expect(page.locator(".receipt")).to_be_visible()
    await judge(page, "a receipt")
