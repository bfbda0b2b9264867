# SPDX-License-Identifier: Apache-2.0
"""The pages of accounts: people sign up, log in, change what is theirs, and log out."""

import re

from playwright.async_api import expect

from harness import eventually, lost_network

# What Chromium says of a page that tells what is wrong, and of a page that is to log in first.
told = r"status of (401|404|422|429)"
password = "tea and rice"


async def open_page(case, server, path: str, **options):
    case.allow(lost_network)
    case.allow(told)
    return await case.open(server.url + path, **{"viewport": {"width": 390, "height": 760}, **options})


async def fill(page, **fields) -> None:
    for name, value in fields.items():
        await page.locator(f"[name={name.replace('_', '-')}]:not([hidden])").fill(value)


async def log_in(page, secret: str = password) -> None:
    await fill(page, address="ann@tea.example", password=secret)
    await page.get_by_role("button", name="Log in").click()


async def shows_tea(page, name: str) -> None:
    await expect(page.locator("output")).to_have_text(name)
    await expect(page.locator("html")).to_have_attribute("data-link", "live")


async def test_log_in(case):
    """Who logs in is told of a wrong password, and led on; another site's page cannot do it for them."""
    server = await case.serve_accounts()
    page = await open_page(case, server, "/login?next=%2Ftea%3Fcup%3D2")

    await log_in(page, "tea and rise")
    await expect(page.get_by_role("alert")).to_have_text("Address and password do not belong together.")
    await expect(page.locator("#address")).to_have_value("ann@tea.example")
    await expect(page.locator("#password")).to_have_value("")
    await log_in(page)
    await expect(page).to_have_url(server.url + "/tea?cup=2")
    await shows_tea(page, "Ann")

    foreign = await page.request.post(
        server.url + "/login", headers={"Origin": "https://evil.example"},
        form={"address": "ann@tea.example", "password": password})
    assert foreign.status == 403, await foreign.text()
    cookie = (await page.context.cookies())[0]
    assert (cookie["httpOnly"], cookie["sameSite"], cookie["secure"]) == (True, "Lax", False), cookie
    assert await page.evaluate("document.cookie") == ""


async def test_the_cookie_behind_a_proxy(case):
    """The cookie is Secure if a trusted proxy says that the browser speaks TLS to it, and not if anybody else says so."""
    form = {"address": "ann@tea.example", "password": password}
    for trusted in (True, False):
        server = await case.serve_accounts(*(["--trust-proxy", "127.0.0.1/32"] if trusted else []))
        page = await open_page(case, server, "/login")
        for field, value, tls in (
                ("X-Forwarded-Proto", "https", True), ("Forwarded", "for=192.0.2.1;proto=https", True),
                ("X-Forwarded-Proto", "http", False)):
            answer = await page.request.post(server.url + "/login", headers={field: value}, form=form, max_redirects=0)
            cookie = answer.headers["set-cookie"]
            assert cookie.startswith("musubi-login=") and "; HttpOnly" in cookie, cookie
            assert ("; Secure" in cookie) == (tls and trusted), (trusted, field, value, cookie)


async def test_sign_up(case):
    """Somebody signs up: what is wrong stands next to its field, and what was typed stays."""
    server = await case.serve_accounts()
    page = await open_page(case, server, "/signup?next=%2Ftea")
    await fill(page, address="bob@tea.example", name="Bob 結び", password="password")
    await page.get_by_role("button", name="Sign up").click()
    await expect(page.locator("#password-problem")).to_have_text("Many would guess this password; please take another one.")
    await expect(page.locator("#password")).to_be_focused()
    await expect(page.locator("#name")).to_have_value("Bob 結び")
    await case.photograph(page, "accounts-sign-up")
    await fill(page, password="rice for two")
    await page.get_by_role("button", name="Sign up").click()
    await shows_tea(page, "Bob 結び")


async def other_tab(case, page, server):
    """Another tab of a browser in which Ann is logged in, and its sockets."""
    tab, sockets = await page.context.new_page(), []
    case.watch(tab)
    tab.on("websocket", lambda socket: sockets.append(socket))
    await tab.goto(server.url + "/tea")
    await shows_tea(tab, "Ann")
    return tab, sockets


async def comes_back(tab, sockets, count: int, name: str) -> None:
    """A tab that had so many sockets and was told comes back as whoever the new cookie says, without a log-in."""
    await eventually(lambda: len(sockets) > count)
    await shows_tea(tab, name)
    assert tab.url.endswith("/tea"), tab.url


async def test_other_tabs(case):
    """Another password, and somebody else's log-in, leave no other tab of the browser at the log-in."""
    server = await case.serve_accounts("--loops", "2")
    page = await open_page(case, server, "/login?next=%2Ftea")
    await log_in(page)
    await shows_tea(page, "Ann")
    secrets = [password, "rice and tea"]
    tabs = [await other_tab(case, page, server) for _ in range(2)]
    for _ in range(2):
        counts = [len(sockets) for _, sockets in tabs]
        await page.goto(server.url + "/account")
        await fill(page, old=secrets[0], password=secrets[1])
        await page.get_by_role("button", name="Change password").click()
        await expect(page.get_by_role("status")).to_contain_text("Your password is changed")
        for (tab, sockets), count in zip(tabs, counts):
            await comes_back(tab, sockets, count, "Ann")
        secrets.reverse()

    counts = [len(sockets) for _, sockets in tabs]
    await page.goto(server.url + "/signup")
    await fill(page, address="bob@tea.example", name="Bob", password="rice for two")
    await page.get_by_role("button", name="Sign up").click()
    for (tab, sockets), count in zip(tabs, counts):
        await comes_back(tab, sockets, count, "Bob")


async def test_change_of_password(case):
    """Another password ends the log-in of the other browser, with its open page, and not this browser's."""
    server = await case.serve_accounts()
    here, there = [await open_page(case, server, "/login") for _ in range(2)]
    for page in (here, there):
        await page.goto(server.url + "/login?next=%2Ftea")
        await log_in(page)
        await shows_tea(page, "Ann")

    await here.get_by_role("link", name="Account").click()
    await fill(here, old=password, password="rice and tea")
    await here.get_by_role("button", name="Change password").click()
    await expect(here.get_by_role("status")).to_contain_text("Your password is changed")
    # The page goes there by itself; another way would be cut off by that.
    await expect(there).to_have_url(re.compile("/login"))
    await there.wait_for_load_state()
    await there.goto(server.url + "/account")
    await expect(there).to_have_url(re.compile("/login"))
    await here.goto(server.url + "/tea")
    await shows_tea(here, "Ann")


async def test_log_out(case):
    """Log-out here ends this browser's log-in with its open pages, and no other's; everywhere ends all."""
    server = await case.serve_accounts("--loops", "2")
    here, there = [await open_page(case, server, "/login") for _ in range(2)]
    sockets = []
    there.on("websocket", lambda socket: sockets.append(socket))
    for page in (here, there):
        await page.goto(server.url + "/login?next=%2Ftea")
        await log_in(page)
        await shows_tea(page, "Ann")
    # So many that not all of them are on one loop.
    tabs = [await here.context.new_page() for _ in range(6)]
    for tab in tabs:
        case.watch(tab)
        await tab.goto(server.url + "/tea")
        await shows_tea(tab, "Ann")

    await here.goto(server.url + "/account")
    await here.get_by_role("button", name="Log out", exact=True).click()
    await expect(here.get_by_role("status")).to_have_text("You are logged out.")
    for tab in tabs:
        await expect(tab).to_have_url(re.compile("/login"))
    await there.locator("input").fill("not disturbed")
    await expect(there.locator("html")).to_have_attribute("data-link", "live")
    assert [socket.is_closed() for socket in sockets] == [False], sockets
    await here.goto(server.url + "/account")
    await expect(here).to_have_url(re.compile("/login"))
    await there.goto(server.url + "/tea")
    await shows_tea(there, "Ann")

    await log_in(here)
    await here.get_by_role("button", name="Log out everywhere").click()
    await expect(there).to_have_url(re.compile("/login"))
    await there.goto(server.url + "/account")
    await expect(there).to_have_url(re.compile("/login"))


async def test_links(case):
    """A link has the password chosen and logs in, once; the page for a forgotten password says the same to everybody."""
    server = await case.serve_accounts("--links")

    def link() -> str:
        return [line for line in server.output if line.startswith("link ")][-1].split("http://tea.example")[1]

    page = await open_page(case, server, "/login")
    await page.get_by_role("link", name="Password forgotten?").click()
    for address in ("nobody@tea.example", "ann@tea.example"):
        await page.goto(server.url + "/forgotten")
        await fill(page, address=address)
        await page.get_by_role("button", name="Send the link").click()
        await expect(page.get_by_role("status")).to_contain_text("a mail is on its way")
    await eventually(lambda: any(line.startswith("link ") for line in server.output))
    assert not any("nobody@tea.example" in line for line in server.output), server.output

    await page.goto(server.url + link())
    await fill(page, password="rice and tea")
    await page.get_by_role("button", name="Set password and log in").click()
    await page.goto(server.url + "/tea")
    await shows_tea(page, "Ann")
    await page.goto(server.url + link())
    await expect(page.get_by_role("alert")).to_contain_text("used already")


async def test_looks(case):
    """Each page fits a phone, in English and Japanese, and its colours can be read in the dark as well."""
    server = await case.serve_accounts("--links")
    for language in ("en", "ja"):
        page = await open_page(case, server, "/login", locale=language)
        await expect(page.locator("html")).to_have_attribute("lang", language)
        for path in ("/login", "/signup", "/forgotten", "/link?token=old", "/account"):
            if path == "/account":
                await page.goto(server.url + "/login?next=%2Faccount")
                await fill(page, address="ann@tea.example", password=password)
                await page.locator("button").click()
            else:
                await page.goto(server.url + path)
            assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
            await case.photograph(page, f"accounts-{path.strip('/').split('?')[0]}-{language}")
        await page.emulate_media(color_scheme="dark")
        await case.photograph(page, f"accounts-dark-{language}")
