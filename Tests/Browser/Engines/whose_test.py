# SPDX-License-Identifier: Apache-2.0
"""Whose page it is, in each engine: form controls and pages that a browser keeps on its own tell nobody anything."""

import contextlib

from harness import lost_network
from webdriver import CONTROL

draft, heading, status = "#draft", "h1", "[role=status]"
# All that can be read of a page, and what its tab has stored.
all_there_is = """[document.title, document.body.innerText, ...[...document.querySelectorAll("input")].map(({ value }) => value),
    ...Object.entries(sessionStorage).flat(), ...Object.entries(localStorage).flat()].join()"""


async def sign_in(visitor, name: str) -> None:
    """Another tab of the same browser has signed in, or out, if there is no name."""
    await visitor.run("document.cookie = arguments[0]", f"visitor={name}; path=/" + ("" if name else "; max-age=0"))


@contextlib.asynccontextmanager
async def ann(case, url: str):
    """Ann's page with a draft of hers; nobody is signed in in the end."""
    visitor, = await case.visitors(url)
    try:
        await sign_in(visitor, "ann")
        await visitor.reload()
        await visitor.shows(heading, "Diary of ann")
        await visitor.write(draft, "private draft")
        await visitor.click("#write")
        await visitor.counts("li", 2)
        yield visitor
    finally:
        await sign_in(visitor, "")


async def has_nothing_of_hers(visitor) -> None:
    seen = await visitor.run(f"return {all_there_is}")
    assert "private" not in seen and "ann" not in seen, seen


async def test_somebody_else(case):
    """Bob, who has logged in where Ann was, sees nothing of hers, and undo brings nothing of it back."""
    server = await case.serve_test_screens()
    proxy = await case.proxy(server)
    case.allow(lost_network)
    async with ann(case, proxy.url + "/diary") as visitor:
        await sign_in(visitor, "bob")
        proxy.cut()

        await visitor.shows(heading, "Diary of bob")
        await visitor.until(True, f"document.querySelector('{status}').innerText.startsWith('Somebody else is signed in now.')")
        await visitor.is_live()
        await has_nothing_of_hers(visitor)
        await visitor.click(draft)
        await visitor.press("z", holding=CONTROL)
        await has_nothing_of_hers(visitor)
        await visitor.write(draft, "mine")
        await visitor.click("#write")
        await visitor.counts("li", 2)
        await visitor.shows(draft, "mine")


async def test_back_after_a_log_out(case):
    """Whoever goes back to Ann's page after she has logged out sees nothing of hers, however the browser has kept it."""
    server = await case.serve_test_screens()
    async with ann(case, server.url + "/diary") as visitor:
        await visitor.open(server.url + "/controls")
        await sign_in(visitor, "")

        await visitor.back()

        await visitor.shows(heading, "Diary of nobody")
        await visitor.is_live()
        await has_nothing_of_hers(visitor)
        await visitor.shows(draft, "")


async def test_signed_out(case):
    """Ann is signed out while she types; the text stays in its field, and is sent when she has signed in again and reloads."""
    server = await case.serve_test_screens()
    proxy = await case.proxy(server)
    case.allow(lost_network)
    async with ann(case, proxy.url + "/diary") as visitor:
        await sign_in(visitor, "mallory")
        proxy.cut()
        await visitor.until(True, f"document.querySelector('{status}').innerText.startsWith('You are signed out.')")
        await visitor.write(draft, " and more")

        await sign_in(visitor, "ann")
        await visitor.reload()

        await visitor.shows(draft, "private draft and more")
        await visitor.is_live()
        await visitor.click("#write")
        await visitor.counts("li", 3)
        await visitor.shows("li:last-of-type span", "private draft and more")
