# SPDX-License-Identifier: Apache-2.0
"""What `gallery serve --dev` tells the author of a page."""

import shutil

from playwright.async_api import expect

from harness import eventually
from processes import root


def copy_of_public(case):
    folder = case.folder() / "Public"
    shutil.copytree(root / "Public", folder)
    return folder, folder / "number.html"


async def test_a_misspelt_output(case):
    """A page that names an unknown output says which, where, and the likely name, however its ViewModel is written."""
    case.allow("lable")  # the same sentence may be in the console, where an author looks too
    folder, page = copy_of_public(case)
    page.write_text(page.read_text().replace('data-bind-text="label"', 'data-bind-text="lable"'))
    server = await case.serve("--dev", "--public", str(folder))

    for path in ("number", "number-streams", "number-properties", "number-state"):
        shown = await case.open(f"{server.url}/{path}")

        body = shown.locator("body")
        for words in ("lable", "data-bind-text", "label"):
            await expect(body).to_contain_text(words)


async def test_a_misspelt_member_of_rows(case):
    """What the rows of a list do not have is told once for all of them, as soon as there are some; a closed panel stays closed."""
    case.allow("nam|writers")
    folder, _ = copy_of_public(case)
    page = folder / "note.html"
    page.write_text(page.read_text().replace('data-bind-text="name"', 'data-bind-text="nam"').replace(
        "</main>", '<p data-bind-text="writers"></p></main>'))
    server = await case.serve("--dev", "--public", str(folder))

    shown = await case.live(server, "/note?room=slips")

    panel = shown.locator("#musubi-inspector")
    await expect(panel).to_contain_text('data-bind-text="nam" does nothing: no row of "writers" has it. Did you mean name')
    await expect(panel).to_contain_text('data-bind-text="writers" does nothing: it is a list')
    await panel.locator("summary").click()
    await shown.evaluate("""() => {
        const more = document.createElement("p");
        more.setAttribute("data-bind-text", "txt");
        document.querySelector("main").append(more);
    }""")
    # The next values have the page looked at once more.
    await case.live(server, "/note?room=slips")
    await expect(panel.locator("li")).to_have_count(3)
    assert await panel.get_attribute("open") is None


async def test_who_the_page_is(case):
    """A page in development says who it is; an ordinary server tells nobody."""
    server = await case.serve("--dev")
    page = await case.open(server.url + "/number")
    await expect(page.locator("#musubi-visitor")).to_have_text("Nobody is signed in.")

    page = await case.number(await case.serve_without_memory())
    await expect(page.page.locator("#musubi-visitor")).to_have_count(0)


async def test_an_edited_page(case):
    """An open page reloads itself when its file changes, and shows the change."""
    folder, file = copy_of_public(case)
    server = await case.serve("--dev", "--public", str(folder))
    page = await case.number(server)
    await page.retype("42")
    await page.shows("42")

    file.write_text(file.read_text().replace("</body>", '<p id="new">a new sentence</p></body>'))

    await expect(page.page.locator("#new")).to_have_text("a new sentence")
    await page.shows("42")


async def test_an_edited_layout(case):
    """An open page reloads itself when its layout changes; while the layout is broken, it stays as it was."""
    folder, _ = copy_of_public(case)
    layout = folder / "_layout.html"
    text = layout.read_text()
    server = await case.serve("--dev", "--public", str(folder))
    page = await case.live(server, "/segments")
    await page.evaluate("window.stays = true")

    layout.write_text(text.replace("<main></main>", "<main>"))
    await eventually(lambda: any("_layout.html:" in line for line in server.output))
    assert await page.evaluate("window.stays")
    layout.write_text(text.replace("</header>", '</header><p id="new">a new sentence</p>'))

    await expect(page.locator("#new")).to_have_text("a new sentence")
    assert not await page.evaluate("window.stays")
