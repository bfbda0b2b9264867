# SPDX-License-Identifier: Apache-2.0
"""What the guide "What pages may load" says: the header fields, what works with them, and what the browser refuses."""

import re

from playwright.async_api import expect

from guides_test import guides, serve
from harness import eventually
from processes import root

guide = (root / "Sources/Musubi/Musubi.docc/SecurityPolicy.md").read_text()


def shown(after: str) -> dict:
    """The header fields of the block behind a sentence of the guide."""
    fields = {}
    for line in re.search(re.escape(after) + r"\n\n```\w*\n(.*?)```", guide, re.DOTALL)[1].replace("\n  ", " ").splitlines():
        name, _, value = line.partition(": ")
        fields[name.lower()] = value
    return fields


async def compare(case, page, address: str, fields: dict) -> None:
    answer = await page.request.get(address)
    host = re.match("http://([^/]+)", address)[1]
    for name, value in fields.items():
        got = answer.headers.get(name, "none")
        assert got == value.replace("HOST", host), f"{address}: {name}: {got}"


async def test_the_header_fields(case):
    """Every response has the strict policy; what an application has named, and a response of its own, are as shown."""
    tea, _ = await serve(case, "Tea", guides / "Tutorial/Public")
    page = await case.open(tea.url + "/tea")
    await compare(case, page, tea.url + "/tea", shown("Each response has these header fields; HOST is the name in the request:"))

    server, _ = await serve(case, "GuideExamples", guides / "Examples/Public")
    await compare(case, page, server.url + "/poster", shown("From then on all pages have this policy:"))
    await compare(case, page, server.url + "/poster/print", shown("This response alone has:"))


async def test_a_poster(case):
    """What is named works; the rest is refused, and the page tells it to the screen, which the log has."""
    case.allow("Content Security Policy|TrustedHTML|elsewhere.example")
    server, _ = await serve(case, "GuideExamples", guides / "Examples/Public")
    page = await case.open(server.url + "/poster")
    await expect(page.locator("#poster b")).to_have_text("red")
    await expect(page.locator("html[data-began]")).to_have_count(1)
    await expect(page.frame_locator("iframe").locator("#day")).to_have_text(re.compile("20[0-9][0-9]$"))
    await page.fill("[data-bind-value=words]", "<i>*Tea*</i>")
    await expect(page.locator("#poster")).to_have_text("<i>Tea</i>")

    await page.evaluate("""() => {
        new Image().src = "https://elsewhere.example/a.png";
        try { document.querySelector("#poster").innerHTML = "<i>Tea</i>"; } catch { }
    }""")
    refusals = page.locator("li[data-row]")
    await expect(refusals).to_have_count(2)
    texts = sorted(await refusals.all_inner_texts())
    assert texts == ["img-src https://elsewhere.example/a.png", "require-trusted-types-for trusted-types-sink"], texts
    # Of several within a second the log has the first one, whichever that is, and counts the others.
    await eventually(lambda: any("screen failed" in line and any(text in line for text in texts) for line in server.output))
