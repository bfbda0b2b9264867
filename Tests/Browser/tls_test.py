# SPDX-License-Identifier: Apache-2.0
"""The server's own TLS in a browser."""

import sys

from playwright.async_api import expect

from harness import lost_network
from processes import root

sys.path.append(str(root / "Tests/Foreign"))

import certificates  # noqa: E402


async def test_pages_work_over_tls_and_come_back(case):
    """Over https the page loads, types, and resumes after its server has been replaced."""
    files = [str(file) for file in certificates.make(case.folder(), "browser")]
    options = ("--tls-certificate", files[0], "--tls-key", files[1])
    server = await case.serve(*options)
    case.allow(lost_network)  # while the server is replaced
    page = await case.live(server, "/number.html?room=tls", ignore_https_errors=True)

    await page.locator("[data-bind-value=number]").fill("42")
    await expect(page.locator("[data-bind-text=label]")).to_have_text("42")
    assert await page.evaluate("location.protocol") == "https:"

    await server.stop()
    await case.serve(*options, port=server.port)
    await expect(page.locator("html")).to_have_attribute("data-link", "live")
    await page.locator("[data-bind-value=number]").fill("43")
    await expect(page.locator("[data-bind-text=label]")).to_have_text("43")
