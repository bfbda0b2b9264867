# SPDX-License-Identifier: Apache-2.0
"""Lists in the page: the rows that a change touches, and those that it leaves alone."""

import shutil

from playwright.async_api import expect

from processes import root

# Notes which rows a mutation touches, and how; `work` holds the mutations since then.
observe = """() => {
  const list = document.querySelector(".rows");
  window.work = [];
  new MutationObserver((records) => {
    for (const { type, target, addedNodes, removedNodes } of records) {
      const row = (target.nodeType === 1 ? target : target.parentElement).closest("[data-row]");
      const rows = (nodes) => [...nodes].filter((node) => node.nodeType === 1).map((node) => node.dataset.row);
      if (row) window.work.push(`${type} in ${row.dataset.row}`);
      else window.work.push(...rows(addedNodes).map((id) => `add ${id}`), ...rows(removedNodes).map((id) => `remove ${id}`));
    }
  }).observe(list, { subtree: true, childList: true, attributes: true, characterData: true });
}"""


def operations(page):
    return [operation for frame in page.frames_received for operation in frame.get("patch", [])]


def rows(page):
    return page.locator(".rows .row")


async def test_one_change_in_a_thousand_rows(case):
    """A change in one of 1,000 rows is one operation on the wire and touches one row of the page."""
    server = await case.serve_contents(1000)
    page = await case.live(server, "/contents")
    await expect(rows(page)).to_have_count(1000)
    await page.evaluate(observe)
    page.frames_received.clear()

    case.change_contents("UPDATE content SET title = ? WHERE id = ?", ("Changed", 501))
    await case.live(server, "/contents")

    await expect(rows(page).nth(499)).to_contain_text("Changed")
    assert operations(page) == [{"op": "replace", "path": "/contents/499/title", "value": "Changed"}], operations(page)
    touched = await page.evaluate("window.work")
    assert touched and {place.split(" in ")[1] for place in touched} == {"501"}, touched


async def test_one_row_more_and_one_less(case):
    """A new row in 999 is one operation and one element more, a deleted one is one less; the others are not touched."""
    server = await case.serve_contents(999)
    page, other = await case.live(server, "/contents"), await case.live(server, "/contents")
    await expect(rows(page)).to_have_count(999)
    await page.evaluate(observe)
    page.frames_received.clear()

    await other.locator("#text").fill("new text")
    await other.locator("#title").fill("New")
    await other.locator("#title").press("Enter")

    await expect(rows(page)).to_have_count(1000)
    added = operations(page)
    assert [(one["op"], one["path"]) for one in added] == [("add", "/contents/0")], added
    identity = str(added[0]["value"]["id"])
    assert await page.evaluate("window.work") == [f"add {identity}"]

    page.frames_received.clear()
    await page.evaluate("window.work = []")
    await rows(other).first.locator("[data-on-click=delete]").click()
    await other.locator("dialog[open] [data-on-click=confirmDelete]").click()

    await expect(rows(page)).to_have_count(999)
    assert operations(page) == [{"op": "remove", "path": "/contents/0"}], operations(page)
    assert await page.evaluate("window.work") == [f"remove {identity}"]


async def page_with_fields(case, count):
    """The contents with a field in each row that belongs to the page alone."""
    public = case.folder() / "Public"
    shutil.copytree(root / "Public", public)
    file = public / "contents.html"
    file.write_text(file.read_text().replace(
        '<p class="excerpt"', '<input class="draft" aria-label="Draft"><p class="excerpt"'))
    server = await case.serve_contents(count, "--public", str(public))
    page = await case.live(server, "/contents", viewport={"width": 800, "height": 600})
    await expect(rows(page)).to_have_count(count)
    return server, page


async def test_what_a_person_does_in_a_row_survives(case):
    """Focus, selection, scroll and half-typed text in a row survive rows that come, change and go around it."""
    server, page = await page_with_fields(case, 60)
    draft = page.locator("[data-row='30'] .draft")
    await draft.fill("half typed text")
    await draft.evaluate("field => field.setSelectionRange(2, 7, 'backward')")
    await draft.evaluate("field => field.scrollIntoView({block: 'center'})")
    before = await draft.evaluate("field => field.getBoundingClientRect().top")

    case.change_contents("DELETE FROM content WHERE id = ?", (31,), (29,), (45,))
    case.change_contents("UPDATE content SET title = ?, text = ? WHERE id = ?", ("Changed", "Other", 30))
    case.change_contents(
        "INSERT INTO content (title, text, author, time) VALUES (?, ?, '', 1)", ("a", "a"), ("b", "b"), ("c", "c"))
    await case.live(server, "/contents")
    await expect(page.locator("[data-row='30'] h2")).to_have_text("Changed")
    await expect(rows(page)).to_have_count(60)

    await expect(draft).to_be_focused()
    await expect(draft).to_have_value("half typed text")
    assert await draft.evaluate("f => [f.selectionStart, f.selectionEnd, f.selectionDirection]") == [2, 7, "backward"]
    after = await draft.evaluate("field => field.getBoundingClientRect().top")
    assert abs(after - before) < 200, f"the row was at {before} and is at {after}"
    await page.keyboard.type("!")
    await expect(draft).to_have_value("ha!ped text")


async def test_moves_around_a_row_leave_it_alone(case):
    """Rows that change places take their fields along; the one with the focus keeps focus, selection and composition."""
    public = case.folder() / "Public"
    shutil.copytree(root / "Public", public)
    shutil.copytree(root / "Sources/BrowserClient/musubi", public / "musubi")
    server = await case.serve("--public", str(public))
    page = await case.live(server, "/contents")
    # The outlet by itself in the real page: the gallery's lists have no moves.
    kept = await page.evaluate("""async () => {
      const { attach, work } = await import("/musubi/outlets/each.js");
      const box = document.querySelector("main").appendChild(document.createElement("div"));
      const template = box.appendChild(document.createElement("template"));
      const row = template.content.appendChild(document.createElement("p"));
      row.append(document.createElement("input"));
      let show;
      const context = { watch: (_, run) => ((show = run), () => {}), attach: () => () => {}, input() {} };
      attach(template, context, { name: "rows" });
      const list = (ids) => show(ids.map((id) => ({ id })));
      list([1, 2, 3, 4, 5, 6]);
      const fields = new Map([...box.querySelectorAll("[data-row]")].map((row) => [row.dataset.row, row.firstChild]));
      for (const [id, field] of fields) field.value = `typed in ${id}`;
      const field = fields.get("4");
      field.focus();
      field.setSelectionRange(3, 6);
      let blurs = 0;
      field.addEventListener("blur", () => (blurs += 1));
      const orders = [[4, 1, 2, 3, 5, 6], [6, 5, 4, 3, 2, 1], [1, 7, 2, 8, 4], [8, 4, 9, 7, 2, 1, 3]];
      for (const order of orders) {
        list(order);
        const shown = [...box.querySelectorAll("[data-row]")].map((row) => Number(row.dataset.row));
        if (String(shown) !== String(order)) return `the order is ${shown} and not ${order}`;
      }
      const values = [1, 2, 4].map((id) => box.querySelector(`[data-row="${id}"] input`).value);
      return [blurs, document.activeElement === field, field.selectionStart, field.selectionEnd, ...values];
    }""")

    assert kept == [0, True, 3, 6, "typed in 1", "typed in 2", "typed in 4"], kept


async def test_a_row_that_has_gone(case):
    """A tap on a row that the server has deleted already changes nothing, and the visitor is told."""
    server = await case.serve_contents(3)
    proxy = await case.proxy(server)
    page, other = await case.live(proxy, "/contents"), await case.live(server, "/contents")
    proxy.hold("down")

    await rows(other).first.locator("[data-on-click=delete]").click()
    await other.locator("dialog[open] [data-on-click=confirmDelete]").click()
    await expect(rows(other)).to_have_count(2)
    await expect(rows(page)).to_have_count(3)
    await rows(page).first.locator("h2 a").click()
    proxy.release()

    await expect(page.locator("body > [role=status]")).to_contain_text("This entry no longer exists.")
    await expect(rows(page)).to_have_count(2)
    await expect(page).to_have_url(proxy.url + "/contents")
    errors = [frame["error"] for frame in page.frames_received if "error" in frame]
    assert [error["code"] for error in errors] == ["unknown-row"], errors


async def delete(page, title):
    """Deletes an entry by the keyboard alone, as somebody does who has no pointer."""
    await rows(page).filter(has_text=title).locator("[data-on-click=delete]").focus()
    await page.keyboard.press("Enter")
    await expect(page.locator("dialog[open]")).to_be_visible()
    await page.locator("dialog[open] [data-on-click=confirmDelete]").focus()
    await page.keyboard.press("Enter")
    await expect(rows(page).filter(has_text=title)).to_have_count(0)


async def test_the_focus_after_a_delete(case):
    """The focus of a row that goes passes to the same control of the next row, of the last one, or to the heading."""
    server = await case.serve_contents(3)
    page = await case.live(server, "/contents")

    await delete(page, "Entry 2")
    await expect(page.locator("[data-row='1'] [data-on-click=delete]")).to_be_focused()
    await delete(page, "Entry 1")
    await expect(page.locator("[data-row='3'] [data-on-click=delete]")).to_be_focused()
    await delete(page, "Entry 3")
    await expect(page.locator("h1")).to_be_focused()


async def test_the_focus_when_somebody_else_deletes(case):
    """A row that somebody else deletes passes its focus on, also when its question is still open."""
    server = await case.serve_contents(4)
    page, other = await case.live(server, "/contents"), await case.live(server, "/contents")
    await page.locator("[data-row='3'] h2 a").focus()
    await delete(other, "Entry 3")
    await expect(page.locator("[data-row='2'] h2 a")).to_be_focused()

    await page.locator("[data-row='2'] [data-on-click=delete]").click()
    await expect(page.locator("dialog[open]")).to_be_visible()
    await delete(other, "Entry 2")
    await expect(rows(page)).to_have_count(2)
    await page.keyboard.press("Escape")

    await expect(page.locator("h1")).to_be_focused()


async def test_rows_stay_under_the_pointer(case):
    """Entries that somebody posts or deletes above a row that has the pointer on it do not move it, wherever the page is."""
    top = "element => element.getBoundingClientRect().top"
    for count, scroll in ((40, 0), (40, 1500), (2, 0)):
        server = await case.serve_contents(count) if count == 40 and not scroll else server
        case.change_contents("DELETE FROM content WHERE id > ?", (count,))
        page = await case.live(server, "/contents", viewport={"width": 800, "height": 1400 if count == 2 else 700})
        other = await case.live(server, "/contents")
        await expect(rows(page)).to_have_count(count)
        await page.evaluate("scroll => scrollTo(0, scroll)", scroll)
        button = page.locator(":nth-match([data-on-click=delete], 1)") if not scroll else page.locator("[data-row='25'] [data-on-click=delete]")
        await button.scroll_into_view_if_needed()
        row = await button.element_handle()
        await row.hover()
        before = await row.evaluate(top)
        now = await rows(page).count()

        for title in ("First", "Second"):
            await other.locator("#text").fill("text")
            await other.locator("#title").fill(title)
            await other.locator("#title").press("Enter")
            await expect(other.locator("#title")).to_have_value("")
        await expect(rows(page)).to_have_count(now + 2)
        assert abs(await row.evaluate(top) - before) < 1, f"{count} rows, {scroll}: from {before} to {await row.evaluate(top)}"
        assert await row.evaluate("element => element.matches(':hover')")

        for title in ("First", "Second"):
            await delete(other, title)
        await expect(rows(page)).to_have_count(now)
        assert abs(await row.evaluate(top) - before) < 1, f"{count} rows, {scroll}, back: from {before} to {await row.evaluate(top)}"
