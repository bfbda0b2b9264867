# SPDX-License-Identifier: Apache-2.0
"""The documentation at /docs, as deploy/docs makes it: its policy, its pages and its links."""

import asyncio
import json
import re
import urllib.parse

from playwright.async_api import expect

from harness import screenshots
from processes import gallery, root

site = root / ".build/docs"
making = asyncio.Lock()


async def serve(case):
    """A gallery that shows the documentation; makes it first if `deploy/docs` has not run."""
    async with making:
        if not (site / "index.html").exists():
            process = await asyncio.create_subprocess_exec(
                root / "deploy/docs", cwd=root, stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT)
            output, _ = await process.communicate()
            assert process.returncode == 0, f"deploy/docs failed:\n{output.decode()[-2000:]}"
    return await case.serve("--docs", str(site))


async def opened(page, address):
    """Opens a page of the documentation, and waits until docc's script shows it."""
    await page.goto(address)
    await expect(page.locator("main h1").first).to_be_visible()


async def test_docs_have_a_policy_of_their_own(case):
    """docc's inline script is allowed by its hash, and nothing else; no other page has a weaker policy for it."""
    server = await serve(case)
    page = await case.open("about:blank")

    for path in ("/docs/documentation", "/docs/documentation/musubi/tutorial/", "/docs/js/none.js"):
        policy = (await page.request.get(server.url + path)).headers.get("content-security-policy", "")
        if path.endswith("none.js"):  # found nowhere: not docc's
            assert policy.endswith("; trusted-types 'none'; require-trusted-types-for 'script'"), f"{path}: {policy}"
            continue
        assert re.search(r"; script-src 'self' 'sha256-[A-Za-z0-9+/]{43}=';", policy), f"{path}: {policy}"
        assert policy.startswith("default-src 'self'; ") and "unsafe" not in policy and "*" not in policy, f"{path}: {policy}"
    for path in ("/", "/docs.html", "/number", "/docsx", "/docs"):
        answer = await page.request.get(server.url + path, max_redirects=0)
        policy = answer.headers.get("content-security-policy", "")
        assert "sha256" not in policy and policy.endswith("require-trusted-types-for 'script'"), f"{path}: {policy}"


async def test_docs_are_shown(case):
    """The gallery leads to the documentation; guides in both languages, code, symbols and pictures show, and the console is silent."""
    server = await serve(case)
    page = await case.open(server.url + "/")

    await page.locator("a[href='/docs']").click()
    await expect(page.locator("main h1")).to_have_text("Musubi")
    await page.get_by_role("link", name="MusubiTesting").first.click()
    await expect(page.locator("main h1")).to_have_text("MusubiTesting")
    screenshots.mkdir(parents=True, exist_ok=True)
    for name, path, title in (
        ("tutorial", "musubi/tutorial", "From an iOS ViewModel to a live page"),
        ("tutorial-ja", "musubi/tutorial-ja", "iOS の ViewModel から、リアルタイムに動くページまで"),
        ("measurements", "musubi/measurements", "Measurements"),
        ("view", "musubibinding/view", "View"),
    ):
        await opened(page, f"{server.url}/docs/documentation/{path}")
        await expect(page.locator("main h1").first).to_have_text(title)
        await page.screenshot(path=screenshots / f"docs-{name}.png")
    # Code is coloured by markup that docc's script makes: Trusted Types would keep it from that.
    await opened(page, server.url + "/docs/documentation/musubi/tutorial")
    await expect(page.locator("pre .syntax-keyword").first).to_be_visible()
    broken = await page.evaluate("[...document.images].filter((image) => image.complete && !image.naturalWidth).map((image) => image.src)")
    assert not broken, f"pictures that do not load: {broken}"


async def test_docs_lead_somewhere(case):
    """Every link of every page of the documentation leads to a page, and to its heading."""
    server = await serve(case)
    page = await case.open("about:blank")
    pages = {}  # by address: what docc's script shows
    for file in (site / "data").rglob("*.json"):
        pages["/" + str(file.relative_to(site / "data").with_suffix("")).lower()] = json.loads(file.read_text())
    assert len(pages) > 500, f"only {len(pages)} pages"

    def headings(node):
        """The anchors of a page's headings."""
        if isinstance(node, dict):
            found = {node["anchor"]} if node.get("type") == "heading" and "anchor" in node else set()
            return found.union(*(headings(value) for value in node.values()))
        return set().union(*map(headings, node)) if isinstance(node, list) else set()

    wrong, addresses = [], set()
    for source, content in pages.items():
        for reference in content.get("references", {}).values():
            url = reference.get("url")
            if reference.get("type") in ("image", "video", "download"):
                addresses.update("/docs" + urllib.parse.quote(variant["url"]) for variant in reference.get("variants", []))
            if not url or not url.startswith("/"):
                continue
            path, _, fragment = url.partition("#")
            addresses.add("/docs" + urllib.parse.quote(path.lower(), safe="/:()"))
            target = pages.get(path.lower())
            if target is None:
                wrong.append(f"{source} leads to {url}, which is no page")
            elif fragment and urllib.parse.unquote(fragment) not in headings(target):
                wrong.append(f"{source} leads to {url}, which has no such heading")
    assert not wrong, "\n".join(wrong[:20])

    async def answers(address):
        answer = await page.request.get(server.url + address)
        return None if answer.status == 200 else f"{address} answers {answer.status}"

    for begin in range(0, len(addresses), 16):
        some = sorted(addresses)[begin:begin + 16]
        wrong += [problem for problem in await asyncio.gather(*map(answers, some)) if problem]
    assert len(addresses) > 500 and not wrong, "\n".join(wrong[:20])


async def test_docs_that_are_not_built(case):
    """Without the documentation a page says how to build it, and a folder without it keeps the gallery from starting."""
    elsewhere = case.folder()
    server = await case.serve_elsewhere(elsewhere)
    page = await case.open(server.url + "/docs")

    assert page.url == server.url + "/docs.html", page.url
    await expect(page.locator("code:visible")).to_have_text("deploy/docs")
    assert (await page.request.get(server.url + "/docs/documentation")).status == 404
    failing = await asyncio.create_subprocess_exec(
        gallery, "serve", "--port", "0", "--docs", str(elsewhere), cwd=root, stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE)
    _, said = await failing.communicate()
    assert failing.returncode == 1 and "has no index.html; deploy/docs makes one." in said.decode(), said
