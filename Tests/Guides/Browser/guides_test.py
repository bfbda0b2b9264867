# SPDX-License-Identifier: Apache-2.0
"""What the documentation shows, used as its reader uses it; run by `deploy/test --only guides`."""

import re
import shutil

from playwright.async_api import expect

from processes import Process, root

guides = root / "Tests/Guides"
ready = r"listening http://[^ ]+:(\d+)"


async def serve(case, program, public, *options):
    """Starts a program of the documentation on a copy of its pages."""
    case.allow(r"favicon\.ico")  # the pages shown have no icon, for brevity
    folder = case.folder() / "Public"
    shutil.copytree(public, folder)
    command = [str(root / ".build/debug" / program), "serve", "--port", "0", "--dev", "--public", str(folder),
               "--data", str(case.folder()), *options]
    return await case._start(Process(command, ready)), folder


async def test_the_tutorial(case):
    """Two windows show one pot of tea; a misspelt name is told in the page, and an edited page reloads itself."""
    server, folder = await serve(case, "Tea", guides / "Tutorial/Public")
    one, other = [await case.open(server.url + "/tea", viewport={"width": 640, "height": 500}) for _ in range(2)]
    minutes = "[data-bind-value=minutes]"
    await expect(one.locator(minutes)).to_have_value("3")
    await expect(other.locator("[data-bind-text=clock]")).to_have_text("Tea?")

    await one.fill(minutes, "5")
    await expect(other.locator(minutes)).to_have_value("5")
    await other.click("text=Start")

    await expect(one.locator("[data-bind-text=clock]")).to_have_text(re.compile("^4:[0-5][0-9]$"))
    await expect(one.locator("button")).to_be_disabled()
    await expect(other.locator("#musubi-inspector")).to_have_count(0)
    case.allow("clok")
    page = folder / "tea.html"
    page.write_text(page.read_text().replace('data-bind-text="clock"', 'data-bind-text="clok"'))
    await expect(one.locator("#musubi-inspector")).to_contain_text('data-bind-text="clok"')
    await expect(one.locator("#musubi-inspector")).to_contain_text("Did you mean clock?")


async def test_chores(case):
    """A row opens a page of its own with a real address, back returns, and a question comes before a row goes."""
    server, _ = await serve(case, "GuideExamples", guides / "Examples/Public")
    page = await case.open(server.url + "/chores")
    for title in ("Sweep", "Cook"):
        await page.fill("[data-bind-value=title]", title)
        await page.press("[data-bind-value=title]", "Enter")
        await expect(page.locator("[data-row]").first).to_contain_text(title)

    await page.click("button:text-is('Sweep')")
    await expect(page.locator("h1")).to_have_text("Sweep")
    assert page.url.endswith("/chores/1")
    await page.click("text=Done, or not")
    await expect(page.locator("[data-bind-text=state]")).to_have_text("Done.")

    await page.click("[data-back]")
    row = page.locator("[data-row='1']")
    await expect(row.locator("[data-bind-checked=isDone]")).to_be_checked()
    board = await case.open(server.url + "/board")
    await board.click("button:text-is('Sweep')")
    await expect(row.locator("[data-bind-checked=isDone]")).not_to_be_checked()
    await row.locator("[data-bind-checked=isDone]").check()
    await expect(board.locator("button:text-is('Sweep')")).to_have_attribute("aria-pressed", "true")
    await row.locator("text=Delete").click()
    await expect(page.locator("dialog [data-bind-text=title]")).to_have_text("Sweep")
    await page.click("dialog [data-on-click=confirmDelete]")
    await expect(row).to_have_count(0)
    await expect(page.locator("#musubi-inspector")).to_have_count(0)

    gone = await case.open(server.url + "/chores/99")
    await expect(gone.locator("[data-not-found]")).to_be_visible()


async def test_a_plan(case):
    """A card goes to another stage by mouse and by keyboard, for everybody, and no name of the page is unknown."""
    server, _ = await serve(case, "GuideExamples", guides / "Examples/Public")
    one, two = [await case.open(server.url + "/plan") for _ in range(2)]
    stage = "section:has(h2:text-is('{}')) li"
    card = one.locator("li[aria-describedby]", has_text="Write")
    await card.hover()
    await one.mouse.down()
    await one.mouse.move(*[place + 40 for place in (await one.locator("section ul").nth(1).bounding_box()).values()][:2], steps=4)
    await case.photograph(one, "plan-carried")
    await one.mouse.up()
    await expect(two.locator(stage.format("Doing"))).to_have_text("Write")

    await two.locator("li[aria-describedby]", has_text="Print").focus()
    for key in (" ", "ArrowRight", "ArrowRight", " "):
        await two.keyboard.press(key)
    await expect(one.locator(stage.format("Done"))).to_have_text("Print")
    await expect(two.locator(":focus")).to_have_text("Print")
    await expect(one.locator("#musubi-inspector")).to_have_count(0)


async def test_tickets(case):
    """Each page finds rows by a word of its own, which stands in its address; a row goes to another part for everybody."""
    server, _ = await serve(case, "GuideExamples", guides / "Examples/Public")
    one, two = [await case.open(server.url + "/tickets") for _ in range(2)]
    todo, done = [f"section:has(h2:has-text('{title}'))" for title in ("To do", "Done")]
    await expect(one.locator(todo).locator("h2")).to_have_text("To do: 300")
    await one.fill("[name=word]", "ticket 29")
    await expect(one.locator(todo).locator("h2")).to_have_text("To do: 11")
    assert one.url.endswith("?word=ticket+29"), one.url

    await one.locator("li[aria-describedby]", has_text="Ticket 290").focus()
    for key in (" ", "ArrowRight", " "):
        await one.keyboard.press(key)
    await expect(two.locator(done).locator("li[data-row]")).to_have_text("Ticket 290")
    await expect(two.locator(todo).locator("h2")).to_have_text("To do: 299")
    await expect(one.locator("#musubi-inspector")).to_have_count(0)


async def test_forms(case):
    """Each control sends its value, and the form is sent by its button."""
    server, _ = await serve(case, "GuideExamples", guides / "Examples/Public")
    page = await case.open(server.url + "/trip")
    await expect(page.locator("[role=alert]")).to_have_text("Where do you want to go?")

    await page.fill("[data-bind-value=destination]", "Nara")
    await page.fill("[data-bind-value=travellers]", "2")
    await page.fill("[data-bind-value=leaves]", "2026-11-30")
    await page.check("[value=aisle]")
    await page.select_option("select", ["breakfast", "dinner"])
    await page.check("[data-bind-checked=isFlexible]")
    await page.fill("textarea", "A quiet room")
    await page.click("text=Book")

    await expect(page.locator("[data-event-text=booked]")).to_have_text("Booked: 2 to Nara.")
    await page.fill("[data-bind-value=leaves]", "")
    await expect(page.locator("[role=alert]")).to_have_text("When do you want to leave?")
    await expect(page.locator("#musubi-inspector")).to_have_count(0)


async def test_the_styles(case):
    """A name that is looked for while one types, a coffee in outlets, and a door without Rx."""
    server, _ = await serve(case, "GuideExamples", guides / "Examples/Public")
    page = await case.open(server.url + "/sign-up")
    await page.fill("[data-bind-value=name]", "Bob")
    await expect(page.locator("[data-bind-text=advice]")).to_have_text("Bob is yours if you want it.")
    await page.click("text=Join")
    await expect(page.locator("[data-event-text=welcome]")).to_have_text("Welcome, Bob!")

    page = await case.open(server.url + "/coffee")
    await page.check("[value='2']")
    await page.fill("[data-bind-value=name]", "Ann")
    await expect(page.locator("[data-bind-text=order]")).to_have_text("A large coffee for Ann.")
    await page.click("text=Order")
    await expect(page.locator("[data-bind-text=count]")).to_have_text("1")

    page = await case.open(server.url + "/door")
    await page.click("text=Turn the key")
    await expect(page.locator("[data-bind-text=sign]")).to_have_text("Locked.")
    await expect(page.locator("[data-on-click=push]")).to_be_disabled()


async def test_a_match_and_a_guestbook(case):
    """The same component twice on one page of a layout, and entries of a database on two."""
    server, _ = await serve(case, "GuideExamples", guides / "Examples/Public")
    page = await case.open(server.url + "/match")
    guide = (root / "Sources/Musubi/Musubi.docc/Layouts.md").read_text()
    sent = re.sub(r"\n +", "\n", await (await page.request.get(page.url)).text())
    shown = re.search(r"What arrives for the first is:\n\n```html\n(.*?)```", guide, re.DOTALL)[1]
    assert re.sub(r"\n +", "\n", shown) in sent, sent
    await expect(page.locator("header")).to_have_text("The village league")
    await page.click("[data-on-click=guestScore]")
    await expect(page.locator("h1")).to_have_text("The guests lead")
    await expect(page).to_have_title("The guests lead")
    await expect(page.locator("#guest-points")).to_have_text("1")
    await expect(page.locator("[data-bind-text=homePoints]")).to_have_text("0")
    await expect(page.locator("#musubi-inspector")).to_have_count(0)

    one, two = [await case.open(server.url + "/guestbook") for _ in range(2)]
    await one.fill("[data-bind-value=text]", "Hello")
    await one.click("button:text-is('Sign')")
    await expect(two.locator("[data-row]")).to_have_text("Hello")
    await expect(one.locator("[data-bind-value=text]")).to_have_value("")
    await expect(two.locator("#musubi-inspector")).to_have_count(0)


async def test_an_album(case):
    """A bar moves while pictures are developed, a button ends that, and a page that was away finds the result."""
    server, _ = await serve(case, "GuideExamples", guides / "Examples/Public")
    page = await case.open(server.url + "/album")
    bar, develop, cancel = page.locator("progress"), page.locator("[data-on-click=develop]"), page.locator("[data-on-click=cancel]")
    await expect(bar).to_have_attribute("value", "0")
    await expect(cancel).to_be_disabled()

    await develop.click()
    await expect(develop).to_be_disabled()
    await expect(page.locator("[data-bind-text='work.message']")).to_have_text(re.compile(r"Picture ([2-9]|1\d) of 12"))
    assert 0 < await bar.evaluate("bar => bar.position") < 1
    await cancel.click()
    await expect(cancel).to_be_disabled()
    await expect(page.locator("[data-tone=cancelled]")).to_be_visible()

    await develop.click()
    await expect(cancel).to_be_enabled()
    await page.goto("about:blank")
    await page.go_back()
    await expect(page.locator("[data-bind-text=pictures]")).to_have_text("12")
    await expect(bar).to_have_attribute("value", "1")
    await expect(develop).to_be_enabled()
    await expect(page.locator("#musubi-inspector")).to_have_count(0)


async def test_pictures(case):
    """A picture that one person chooses hangs on everybody's wall, and one that is none is refused."""
    server, _ = await serve(case, "GuideExamples", guides / "Examples/Public")
    one, two = [await case.open(server.url + "/pictures") for _ in range(2)]
    case.allow("status of 415")
    await one.set_input_files("main input", guides / "Examples/Scripts/tea.png")
    hung = two.locator("[data-row]").filter(has=two.locator("img"))
    await expect(hung).to_have_text("tea.png")
    await expect(hung.locator("img")).to_have_js_property("naturalWidth", 16)
    # What was on its way is no longer.
    await expect(two.locator("[data-row]")).to_have_count(1)
    text = {"name": "text.png", "mimeType": "image/png", "buffer": b"no picture"}
    await one.set_input_files("main input", text)
    await expect(one.locator(".musubi-files")).to_contain_text("Files of this kind are not taken here.")
    await one.get_by_role("button", name="Remove text.png").click()
    await expect(one.locator("main input")).to_be_focused()
    await expect(one.locator("#musubi-inspector")).to_have_count(0)
