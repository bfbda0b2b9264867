# SPDX-License-Identifier: Apache-2.0
"""The guide "Record and replay": what three pages have done to the board of the guide "Lists" happens again."""

import asyncio
import re

from playwright.async_api import expect

from guides_test import guides, serve
from processes import root


async def replay(file):
    """Runs the record against the program; its exit status and what it says."""
    process = await asyncio.create_subprocess_exec(
        root / ".build/debug/GuideExamples", "replay", str(file), cwd=root,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT)
    output, _ = await process.communicate()
    return process.returncode, output.decode()


async def test_the_board_of_three_pages(case):
    """Rows are marked, moved and removed by three pages at once; the replay has the same turns, and finds the one that is another."""
    records = case.folder() / "records"
    server, _ = await serve(case, "GuideExamples", guides / "Examples/Public", "--record", str(records))
    chores = await case.open(server.url + "/chores")
    for title in ("Water", "Cook", "Sweep"):
        await chores.fill("[data-bind-value=title]", title)
        await chores.click("text=Add")
        await expect(chores.locator("li").first).to_contain_text(title)
    pages = [await case.open(server.url + "/board?room=tea") for _ in range(3)]
    titles = "li [data-on-click=toggle]"
    for page in pages:
        await expect(page.locator(titles)).to_have_text(["Sweep", "Cook", "Water"])

    await asyncio.gather(
        pages[0].click("button:text-is('Sweep')"), pages[1].click("button:text-is('Water')"),
        pages[2].locator("li", has_text="Cook").locator("[data-on-click=remove]").click())
    for page in pages:
        await expect(page.locator(titles)).to_have_text(["Sweep", "Water"])
        await expect(page.locator("li [aria-pressed=true]")).to_have_count(2)
    await pages[2].locator("[data-handle]").last.focus()
    for key in (" ", "ArrowUp", " "):
        await pages[2].keyboard.press(key)
    for page in pages:
        await expect(page.locator(titles)).to_have_text(["Water", "Sweep"])
    for page in (*pages, chores):
        await page.close()
    await server.stop()

    [file] = records.glob("board-*.record")
    status, output = await replay(file)
    assert status == 0, output
    assert re.fullmatch(r"All \d+ turns are the same, after \d+ events\.\n", output), output

    # As a program would have written it in which a chore is marked otherwise.
    lines = file.read_text().splitlines(keepends=True)
    # Of taps that come together one turn tells, by the member that differs or by whole rows.
    place = next(index for index, line in enumerate(lines) if '"turn"' in line and "isDone" in line and "true" in line)
    lines[place] = lines[place].replace("true", "false")
    file.write_text("".join(lines))
    status, output = await replay(file)
    assert status == 1, output
    assert "output    chores" in output and "recorded" in output and "today" in output, output
