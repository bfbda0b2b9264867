# SPDX-License-Identifier: Apache-2.0
"""The documentation at /docs in each engine: docc's script runs under the policy of its own, and its pages fit a phone."""

import contextlib

from docs_test import serve
from engines import Unable


async def test_docs(case):
    """Guides in both languages show with coloured code, also behind a link, and nothing sticks out of a phone's window."""
    server = await serve(case)
    visitor = case.visitor()
    with contextlib.suppress(Unable):  # WebKit's window has a least width, which is a phone's on its side
        await visitor.fit(390, 844)

    for path, title in (
        ("musubi/tutorial-ja", "iOS の ViewModel から、リアルタイムに動くページまで"),
        ("musubi/tutorial", "From an iOS ViewModel to a live page"),
    ):
        await visitor.browser.open(f"{server.url}/docs/documentation/{path}")
        await visitor.until(title, "document.querySelector('main h1')?.textContent.trim()")
        await visitor.until(True, "document.querySelectorAll('pre .syntax-keyword').length > 5")
        await visitor.until(True, "document.documentElement.scrollWidth <= innerWidth")
        await visitor.photograph(f"docs-{path.split('/')[1]}")
    await visitor.run("document.querySelector('main a[href$=\"/musubi/newpackage\"]').click()")
    await visitor.until("A new package", "document.querySelector('main h1')?.textContent.trim()")
