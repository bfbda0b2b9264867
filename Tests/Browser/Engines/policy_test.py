# SPDX-License-Identifier: Apache-2.0
"""What a page may load, run and be shown in, in each engine: what the server allows by name, and nothing else."""

from engines import Unable


async def test_what_is_named(case):
    """An inline script by its hash, a picture that a script made, and a frame of the own server."""
    server = await case.serve_test_screens()
    visitor = case.visitor()
    await visitor.browser.open(server.url + "/policy.html")

    await visitor.until("ran", "document.documentElement.dataset.named")
    await visitor.until("done", "document.documentElement.dataset.picture")
    await visitor.until("done", "document.documentElement.dataset.frame")
    await visitor.until(None, "document.documentElement.dataset.nameless ?? null")

    # Text that becomes markup is refused where the browser knows what that is.
    known = await visitor.run("return document.documentElement.dataset.types")
    await visitor.until("refused" if known == "known" else "done", "document.documentElement.dataset.text")


async def test_trusted_types(case):
    """Two widgets make markup, each by a policy of a name that the server allows; the browser refuses a third name, and says so."""
    server = await case.serve_test_screens()
    visitor = case.visitor()
    await visitor.browser.open(server.url + "/policy.html")
    if await visitor.run("return document.documentElement.dataset.types") != "known":
        raise Unable("it knows no Trusted Types, and so refuses no policy")

    for name in ("first", "second"):
        await visitor.until("done", "document.documentElement.dataset[arguments[0]]", name)
    await visitor.until("test-widget", "document.querySelector('#widget > b').textContent")
    await visitor.until("test-chart", "document.querySelector('#chart > b').textContent")
    await visitor.until("refused", "document.documentElement.dataset.third")
    await visitor.until("another;", "document.documentElement.dataset.violations")
    await visitor.counts("#text > b", 0)


async def test_the_next_page(case):
    """The client shows the page of another screen in its place, with the style sheet and the module of that page, once."""
    server = await case.serve_test_screens()
    (visitor,) = await case.visitors(server.url + "/diary")
    for _ in range(2):
        await visitor.run("document.querySelector('#open').click()")
        await visitor.until("Monday of nobody", "document.querySelector('h1').textContent")
        await visitor.until("1", "document.documentElement.dataset.days")
        await visitor.until("321px", "getComputedStyle(document.querySelector('#note')).minWidth")
        await visitor.run("document.querySelector('[data-back]').click()")
        await visitor.until("Diary of nobody", "document.querySelector('h1').textContent")
    await visitor.until(1, "performance.getEntriesByType('navigation').length")
    await visitor.until(1, "document.querySelectorAll('link[href=\"/day.css\"]').length")
