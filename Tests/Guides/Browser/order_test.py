# SPDX-License-Identifier: Apache-2.0
"""The order of the guide "Inputs and outputs": its rows are ViewModels."""

from playwright.async_api import expect

from guides_test import guides, serve


async def test_order(case):
    """A tap in a row is its own; two people type into one row's text; a row that goes takes nothing of the others with it."""
    server, _ = await serve(case, "GuideExamples", guides / "Examples/Public")
    one, other = [await case.open(server.url + "/order?room=3") for _ in range(2)]
    await one.click("text=Sencha")
    await other.click("text=Darjeeling")
    rows = one.locator("li")
    await expect(rows).to_have_count(2)
    await rows.nth(1).locator("text=One more").click()
    await expect(other.locator("li").nth(1).locator("[data-bind-text=cups]")).to_have_text("2")
    await expect(other.locator("[data-bind-text=total]")).to_have_text("3")

    wish = "[data-bind-value=wish]"
    await rows.nth(1).locator(wish).press_sequentially("hot")
    await expect(other.locator("li").nth(1).locator(wish)).to_have_value("hot")
    await other.locator("li").nth(1).locator(wish).press("End")
    await other.locator("li").nth(1).locator(wish).press_sequentially(", please")
    await rows.nth(1).locator(wish).press("Home")
    await rows.nth(1).locator(wish).press_sequentially("very ")
    for page in (one, other):
        await expect(page.locator("li").nth(1).locator(wish)).to_have_value("very hot, please")

    await rows.nth(0).locator("text=Remove").click()
    for page in (one, other):
        await expect(page.locator("li")).to_have_count(1)
        await expect(page.locator("li").locator(wish)).to_have_value("very hot, please")
        await expect(page.locator("[data-bind-text=total]")).to_have_text("2")
        await expect(page.locator("#musubi-inspector")).to_have_count(0)
