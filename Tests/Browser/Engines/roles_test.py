# SPDX-License-Identifier: Apache-2.0
"""A page whose visitor may not do everything, in each engine: what is forbidden cannot be used, and follows its visitor's rights."""

import contextlib

from harness import lost_network
from whose_test import sign_in

# The elements of inputs that have a rule, also in a row.
ruled = ["#next", "#title", "#post", "li button"]


@contextlib.asynccontextmanager
async def people(case, server):
    """Ann, who is a host, and Bob, who is none, at one desk; nobody is signed in in the end."""
    visitors = await case.visitors(server.url + "/desk", server.url + "/desk")
    try:
        for visitor, name in zip(visitors, ["ann", "bob"]):
            await sign_in(visitor, name)
            if name == "ann":
                await visitor.run("document.cookie = 'rights=host; path=/'")
            await visitor.open(server.url + "/desk")
        yield visitors
    finally:
        for visitor in visitors:
            await sign_in(visitor, "")
            await visitor.run("document.cookie = 'rights=; path=/; max-age=0'")


async def may(visitor, *, use: bool) -> None:
    """The page shows that the visitor may work at the desk, or may not."""
    for selector in ruled:
        await visitor.until([not use, not use], """(({ disabled, dataset }) => [disabled, "forbidden" in dataset])
            (document.querySelector(arguments[0]))""", selector)
    await visitor.until(False, "document.querySelector('#stand').disabled")


async def test_who_may(case):
    """A host by role works at the desk, others look; rows that come later are theirs to look at as well."""
    server = await case.serve_test_screens()
    async with people(case, server) as (ann, bob):
        await may(ann, use=True)
        await may(bob, use=False)

        await ann.click("#post")
        await ann.write("#title", "結び")
        await bob.counts("li span", 2)
        await bob.until(True, "document.querySelector('#title').value.includes('結び')")
        await may(bob, use=False)

        await ann.click("li button")
        await bob.counts("li span", 1)


async def test_forged_and_changing(case):
    """A button that somebody enables is disabled again, and a forged tap is refused; who sits down may use it at once."""
    server = await case.serve_test_screens()
    async with people(case, server) as (_, bob):
        await may(bob, use=False)
        await bob.run("document.querySelector('#next').disabled = false")
        await bob.until(True, "document.querySelector('#next').disabled")
        await bob.run("const next = document.querySelector('#next'); next.removeAttribute('disabled'); next.click()")
        await bob.shows("[role=status]", "You may not do that here.")
        await bob.shows("#page", "0")

        await bob.click("#sit")
        await may(bob, use=True)
        await bob.click("#next")
        await bob.shows("#page", "1")


async def test_a_room_for_hosts(case):
    """Who may not enter a room reads so, and is in it once that has changed; in English and in Japanese."""
    server = await case.serve_test_screens()
    case.allow(lost_network)
    case.allow("403")
    async with people(case, server) as (ann, bob):
        await ann.open(server.url + "/desk?room=office")
        await bob.browser.open(server.url + "/desk?room=office")
        await bob.shows("[role=status]", "You may not open this page. Trying again.")
        await bob.photograph("forbidden-room")
        await bob.run("document.documentElement.lang = 'ja'; dispatchEvent(new Event('languagechange'))")
        await bob.shows("[role=status]", "このページを開く権限がありません。再試行しています。")
        await bob.run("document.cookie = 'rights=host; path=/'")
        await bob.is_live()
        await may(bob, use=True)
