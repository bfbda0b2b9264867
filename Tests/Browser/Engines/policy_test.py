# SPDX-License-Identifier: Apache-2.0
"""What a page may load, run and be shown in, in each engine: what the server allows by name, and nothing else."""


async def test_what_is_named(case):
    """An inline script by its hash, a picture that a script made, and a frame of the own server; no other inline script."""
    server = await case.serve_test_screens()
    visitor = case.visitor()
    await visitor.browser.open(server.url + "/policy.html")

    await visitor.until("ran", "document.documentElement.dataset.named")
    await visitor.until("done", "document.documentElement.dataset.picture")
    await visitor.until("done", "document.documentElement.dataset.frame")
    await visitor.until(None, "document.documentElement.dataset.nameless ?? null")
