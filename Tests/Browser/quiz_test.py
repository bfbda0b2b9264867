# SPDX-License-Identifier: Apache-2.0
"""A quiz, each person in a browser of their own: from the log-in to the table."""

import re
import urllib.parse

from playwright.async_api import expect

from access_test import judge
from harness import lost_network
from look_test import phone, sticks_out
from wake_test import hide_or_show

desktop = {"width": 1280, "height": 800}
answers, rights = ".answers li", [1, 2, 2, 0, 3]


async def log_in(case, server, name: str, path: str, **options):
    """Somebody who opens a page that asks who it is: a demo account, or else a guest."""
    page = await case.open(server.url + path, **options)
    await expect(page).to_have_url(re.compile(r"/log-in\.html\?next="))
    if name in ("Ann", "Bob", "Cem", "Dee"):
        await page.locator(f"[value={name}]").click()
    else:
        await page.locator("#name").fill(name)
        await page.locator("#guest button").click()
    await expect(page).to_have_url(server.url + path)
    await expect(page.locator("html")).to_have_attribute("data-link", "live")
    return page


async def fits(page, where: str) -> None:
    out = await page.evaluate(sticks_out)
    assert not out, f"{where}: {out}"


async def hosted(case, server):
    """Ann's quiz and its path."""
    # A page that leads to the log-in may ask the server first.
    case.allow(lost_network)
    case.allow("status of 401")
    page = await case.open(server.url + "/play")
    await page.locator("a.button").click()
    await expect(page).to_have_url(re.compile(r"/log-in\.html\?next=.*room"))
    path = urllib.parse.unquote(page.url.partition("next=")[2])
    assert re.fullmatch(r"/quiz\?room=[\w-]{22}", path), path
    ann = await log_in(case, server, "Ann", path, viewport=desktop)
    await ann.locator("[data-on-click=host]").click()
    await expect(ann.locator("[data-on-click=next]")).to_be_visible()
    return ann, path


async def join(page) -> None:
    await page.locator("[data-on-submit=join] .button").click()
    await expect(page.locator("[data-on-submit=join]")).to_be_hidden()


async def test_a_quiz(case):
    """A host and two players, one in Japanese on a phone and one with a long name, go from the first question to the table."""
    server = await case.serve()
    ann, path = await hosted(case, server)
    await case.photograph(ann, "quiz-1-alone")
    await expect(ann.locator("[data-on-click=next]")).to_be_disabled()
    bob = await log_in(case, server, "Bob", path, viewport=phone, locale="ja")
    guest = await log_in(case, server, "Donaudampfschifffahrtsgesellschaftskapit", path, viewport=phone)
    await judge(bob, "joining")
    await case.photograph(bob, "quiz-2-join")
    await join(bob)
    await bob.reload()
    await expect(bob.locator("[data-on-click=leave]")).to_be_visible()
    await guest.locator("#name").fill(" bob ")
    await guest.locator("[data-on-submit=join] .button").click()
    await expect(guest.locator("dialog")).to_contain_text("Somebody here has this name already.")
    await case.photograph(guest, "quiz-3-taken")
    await guest.keyboard.press("Escape")
    await guest.locator("#name").fill("")
    await join(guest)
    await expect(ann.locator(".people li")).to_have_text(["Bob", "Donaudampfschifffahrtsgesellschaftskapit"])
    await case.photograph(ann, "quiz-4-waiting")

    for number, right in enumerate(rights):
        await ann.locator("[data-on-click=next]").click()
        await expect(bob.locator(answers)).to_have_count(4)
        await expect(bob.locator(f"{answers} input").first).to_be_enabled()
        await bob.locator(f"{answers} label").nth(right).click()
        await expect(ann.locator(".votes:visible").nth(right)).to_have_text("1")
        await expect(ann.locator(answers).nth(right).locator("rect")).to_have_attribute("width", "100")
        for page in (bob, guest):
            await expect(page.locator(".votes:visible")).to_have_count(0)
        await expect(guest.get_by_text("1 of 2 have answered.")).to_be_visible()
        if number == 0:
            await judge(guest, "asked")
            await judge(ann, "asked, host")
            await fits(ann, "asked, host")
            await case.photograph(ann, "quiz-5-live")
            await bob.reload()
            await expect(bob.locator(f"{answers} input").nth(right)).to_be_checked()
            await expect(guest.locator(f"{answers} :checked")).to_have_count(0)
            await case.photograph(guest, "quiz-5-asked")
            await case.photograph(bob, "quiz-5-answered")
        await guest.locator(f"{answers} input").nth((right + 1) % 4).focus()
        await guest.keyboard.press("Space")
        await expect(guest.locator(".right")).to_have_count(1)
        for page in (ann, bob, guest):
            await expect(page.locator(".votes:visible")).to_have_count(4)
        for page in (ann, bob, guest):
            await expect(page.locator(answers).nth(right).locator("rect")).to_have_attribute("width", "50")
        if number == 0:
            for page, where in ((ann, "host"), (bob, "player"), (guest, "guest")):
                await judge(page, f"closed, {where}")
                await fits(page, f"closed, {where}")
                await case.photograph(page, f"quiz-6-closed-{where}")

    await ann.locator("[data-on-click=next]").click()
    await expect(bob.locator("tbody tr").first).to_contain_text("Bob")
    await expect(guest.locator("tbody tr")).to_have_count(2)
    for page, where in ((ann, "host"), (bob, "player"), (guest, "guest")):
        await judge(page, f"table, {where}")
        await fits(page, f"table, {where}")
        await case.photograph(page, f"quiz-7-table-{where}")


# The colours of the picture's margin and of a corner, as they are painted.
paint = """async (image) => {
  await image.decode();
  const canvas = document.createElement("canvas");
  const painter = canvas.getContext("2d", { willReadFrequently: true });
  canvas.width = canvas.height = 100;
  painter.drawImage(image, 0, 0, 100, 100);
  return [2, 11].map((place) => [...painter.getImageData(place, place, 1, 1).data]);
}"""


async def test_an_invitation(case):
    """While players are waited for, all see the picture of the quiz's code, black on white in the dark, too."""
    server = await case.serve()
    ann, path = await hosted(case, server)
    looks = {
        "wide": {"viewport": desktop}, "wide-dark": {"viewport": desktop, "color_scheme": "dark"},
        "phone": {"viewport": phone, "locale": "ja"}, "phone-dark": {"viewport": phone, "locale": "ja", "color_scheme": "dark"}}
    for name, look in looks.items():
        page = await log_in(case, server, "Bob", path, **look)
        picture = page.locator(".invitation img")
        await expect(picture).to_have_attribute("src", path.replace("/quiz", "/quiz/code.svg"))
        await expect(picture).to_have_accessible_name(re.compile("コード.*[0-9]{8}$" if name.startswith("phone") else "code: [0-9]{8}$"))
        assert await picture.evaluate(paint) == [[255, 255, 255, 255], [0, 0, 0, 255]]
        box = await picture.bounding_box()
        assert 150 <= box["width"] == box["height"] <= 260, box
        await judge(page, name)
        await fits(page, name)
        await case.photograph(page, f"quiz-invitation-{name}")
    await join(page)
    await ann.locator("[data-on-click=next]").click()
    await expect(picture).to_be_hidden()


async def test_who_it_is(case):
    """The log-in is a cookie that no script reads; whoever logs out, or writes a cookie, has to say again who it is."""
    server = await case.serve()
    ann, path = await hosted(case, server)
    assert await ann.evaluate("document.cookie") == ""
    await ann.goto(server.url + "/log-in.html")
    await judge(ann, "log-in")
    await ann.locator("[action='/log-out'] button").click()
    await expect(ann).to_have_url(server.url + "/play.html")
    assert await ann.context.cookies() == []
    await ann.evaluate("document.cookie = 'person=Ann; path=/'")
    await ann.goto(server.url + path)
    await expect(ann).to_have_url(re.compile(r"/log-in\.html\?next="))
    case.allow("status of 400")  # the address that comes next is another server's
    await ann.evaluate("history.replaceState(null, '', '?next=//elsewhere.example')")
    await ann.locator("[value=Ann]").click()
    await expect(ann.locator("body")).to_contain_text("no path of this server")


async def test_somebody_else_where_a_player_was(case):
    """A player's own answer leaves the page when somebody else has logged in there, and is stored at no time."""
    server = await case.serve()
    proxy = await case.proxy(server)
    ann, path = await hosted(case, server)
    bob, dee = await log_in(case, proxy, "Bob", path), await log_in(case, server, "Dee", path)
    for page in (bob, dee):
        await join(page)
    await ann.locator("[data-on-click=next]").click()
    for page, choice in ((bob, 1), (dee, 2)):
        await page.locator(f"{answers} label").nth(choice).click()
        await expect(page.locator(f"{answers} input").nth(choice)).to_be_checked()
    await expect(ann.locator(".right")).to_have_count(1)
    await bob.evaluate(hide_or_show, "hidden")
    stored = await bob.evaluate("JSON.stringify([Object.entries(sessionStorage), Object.entries(localStorage), history.state])")
    assert "session" in stored and "choices" not in stored and "personal" not in stored, stored
    await bob.evaluate(hide_or_show, "visible")

    await bob.context.add_cookies(await dee.context.cookies())
    proxy.cut()

    await expect(bob.locator("[role=status]")).to_contain_text("Somebody else is signed in now.")
    await expect(bob.locator(f"{answers} input").nth(2)).to_be_checked()
    await expect(bob.locator(f"{answers} :checked")).to_have_count(1)
    await bob.context.clear_cookies()
    await bob.reload()
    await expect(bob).to_have_url(re.compile(r"/log-in\.html\?next="))
    await expect(bob.locator(answers)).to_have_count(0)


async def test_forged(case):
    """A player who brings the host's button back by the browser's tools goes nowhere."""
    server = await case.serve()
    ann, path = await hosted(case, server)
    bob = await log_in(case, server, "Bob", path)
    await join(bob)
    await expect(ann.locator("[data-on-click=next]")).to_be_enabled()
    await bob.evaluate("""() => {
      const next = document.querySelector("[data-on-click=next]");
      next.removeAttribute("disabled");
      next.click();
    }""")
    await expect(bob.locator("[role=status]")).to_have_text("You may not do that here.")
    await expect(ann.locator(answers)).to_have_count(0)


async def test_a_host_lost_and_found(case):
    """The server is killed and the host's tab is gone: she goes on where she was, on another device, and so do the players."""
    server = await case.serve()
    ann, path = await hosted(case, server)
    bob = await log_in(case, server, "Bob", path)
    await join(bob)
    await ann.locator("[data-on-click=next]").click()
    await bob.locator(f"{answers} label").nth(1).click()
    await expect(ann.locator(".right")).to_have_count(1)
    await ann.context.close()
    case.pages.remove(ann)
    await server.kill()
    server = await case.serve(port=server.port)

    ann = await log_in(case, server, "Ann", path)
    await expect(ann.locator(".right")).to_have_count(1)
    await ann.locator("[data-on-click=next]").click()
    await expect(bob.locator("h2#question")).to_contain_text("shortest day")


async def test_log_out_in_all_tabs(case):
    """Who logs out in one tab is asked in the others at once, and who becomes somebody else is nobody's host any more."""
    server = await case.serve()
    ann, path = await hosted(case, server)
    other = await ann.context.new_page()
    case.watch(other)
    await other.goto(server.url + "/log-in.html")
    await other.locator("[value=Bob]").click()
    # No host any more, and not at the log-in: the browser is Bob's.
    await expect(ann.locator("[data-on-click=next]")).to_be_hidden()
    await expect(ann.locator("[data-on-submit=join]")).to_be_visible()
    await expect(ann.locator("html")).to_have_attribute("data-link", "live")
    await expect(ann).to_have_url(server.url + path)

    await other.goto(server.url + "/log-in.html")
    await other.locator("[action='/log-out'] button").click()
    await expect(ann).to_have_url(re.compile(r"/log-in\.html\?next="))


async def test_a_code(case):
    """The way in by the code, which is no part of the address; a wrong one is told in both languages."""
    server = await case.serve()
    ann, path = await hosted(case, server)
    code = await ann.locator(".code strong").inner_text()
    assert re.fullmatch("[0-9]{8}", code) and code not in path, (path, code)

    for locale, sentence in (("en", "No quiz has this code now."), ("ja", "このコードのクイズは今ありません。")):
        page = await case.open(server.url + "/play", locale=locale, viewport=phone)
        await page.locator("#code").fill(f"{(int(code) + 1) % 10**8:08}")
        await page.keyboard.press("Enter")
        await expect(page.get_by_text(sentence)).to_be_visible()
        await judge(page, "a wrong code")
        await fits(page, "a wrong code")
        await case.photograph(page, f"quiz-0-wrong-{locale}")
        await page.locator("#code").fill(code)
        await page.keyboard.press("Enter")
        await expect(page).to_have_url(re.compile(f"/log-in.html.*{path.partition('=')[2]}$"))

    await ann.locator("[data-on-click=leave]").click()
    await expect(ann.locator(".code")).to_be_hidden()
    await page.goto(server.url + "/play.html")
    await page.locator("#code").fill(code)
    await page.keyboard.press("Enter")
    await expect(page.get_by_text("このコードのクイズは今ありません。")).to_be_visible()
