# SPDX-License-Identifier: Apache-2.0
"""A page whose visitor may not do everything: what is forbidden cannot be used, and the server takes it from nobody."""

from playwright.async_api import expect

from visitor_test import open_as

# The elements of inputs that have a rule.
ruled = ["#next", "#title", "#post", "li button"]


async def may(page, *, use: bool) -> None:
    """The page shows that the visitor may work at the desk, or may not."""
    for selector in ruled:
        element = page.locator(selector).first
        await (expect(element).to_be_enabled() if use else expect(element).to_be_disabled())
        marks = await element.get_attribute("data-forbidden")
        assert (marks is None) == use, (selector, marks)
    await expect(page.locator("#stand")).to_be_enabled()


async def test_who_may(case):
    """A host by role works at the desk, others look; rows that come later are theirs to look at as well."""
    server = await case.serve_test_screens()
    ann = await open_as(case, server, "ann", "/desk", rights="host")
    bob = await open_as(case, server, "bob", "/desk")
    await may(ann, use=True)
    await may(bob, use=False)

    await ann.locator("#post").click()
    await ann.locator("#title").fill("Agenda 結び")
    await expect(bob.locator("li span")).to_have_text(["Card 1", "Card 2"])
    await expect(bob.locator("#title")).to_have_value("Agenda 結び")
    await expect(bob.locator("li button").last).to_be_disabled()
    await case.photograph(bob, "rights-forbidden")

    await ann.locator("li button").first.click()
    await expect(bob.locator("li span")).to_have_text(["Card 2"])
    await bob.locator("#look").click()
    await expect(ann.locator("#looks")).to_have_text("1")


async def test_forged(case):
    """Somebody enables a forbidden button by the browser's tools: it is disabled again, and a forged tap changes nothing."""
    server = await case.serve_test_screens()
    page = await open_as(case, server, "bob", "/desk")
    await may(page, use=False)

    await page.evaluate("document.querySelector('#next').disabled = false")
    await expect(page.locator("#next")).to_be_disabled()
    await page.evaluate("""() => {
      const next = document.querySelector("#next");
      next.removeAttribute("disabled");
      next.click();
    }""")
    await expect(page.locator("[role=status]")).to_have_text("You may not do that here.")
    await expect(page.locator("#page")).to_have_text("0")
    await page.locator("#look").click()
    await expect(page.locator("#looks")).to_have_text("1")


async def test_changing(case):
    """Who sits down may use the desk at once, until somebody else sits there; what the screen disables stays disabled."""
    server = await case.serve_test_screens()
    ann = await open_as(case, server, "ann", "/desk")
    bob = await open_as(case, server, "bob", "/desk")
    await may(ann, use=False)

    await ann.locator("#sit").click()
    await may(ann, use=True)
    await may(bob, use=False)
    await ann.locator("#next").click()
    await ann.locator("#next").click()
    await expect(ann.locator("#page")).to_have_text("2")
    await expect(ann.locator("#next")).to_be_disabled()
    assert await ann.locator("#next").get_attribute("data-forbidden") is None

    await bob.locator("#sit").click()
    await expect(ann.locator("#title")).to_be_disabled()
    await expect(bob.locator("#title")).to_be_enabled()
    await expect(bob.locator("#next")).to_be_disabled()
    assert await bob.locator("#next").get_attribute("data-forbidden") is None


async def test_coming_back(case):
    """A page that comes back with other roles shows what those may; nobody who is not signed in may sit down."""
    server = await case.serve_test_screens()
    proxy = await case.proxy(server)
    page = await open_as(case, proxy, "ann", "/desk")
    await may(page, use=False)
    await page.context.add_cookies([{"name": "rights", "value": "host", "url": proxy.url}])
    proxy.cut()
    await may(page, use=True)
    await page.reload()
    await may(page, use=True)

    nobody = await open_as(case, server, "", "/desk")
    await expect(nobody.locator("#sit")).to_be_disabled()
    await expect(nobody.locator("#stand")).to_be_enabled()
