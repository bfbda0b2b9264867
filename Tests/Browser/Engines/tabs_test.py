# SPDX-License-Identifier: Apache-2.0
"""Two tabs of one browser, in each engine: what one of them does to a log-in, the other knows."""

from harness import lost_network


async def log_in(visitor, url: str) -> None:
    """Ann's page, in a tab where nobody is logged in."""
    await visitor.browser.open(url + "/login?next=%2Ftea")
    await visitor.write("#address", "ann@tea.example")
    await visitor.write("#password", "tea and rice")
    await visitor.click("button")
    await visitor.shows("output", "Ann")
    await visitor.is_live()


async def test_log_out_in_another_tab(case):
    """Who logs out in one tab is asked for a log-in in the other."""
    server = await case.serve_accounts()
    case.allow(lost_network)
    visitor = case.visitor()
    await log_in(visitor, server.url)
    async with visitor.new_tab():
        await visitor.browser.open(server.url + "/account")
        await visitor.click("[action='/logout'] button")
        await visitor.until("/login", "location.pathname")
    await visitor.until("/login?next=%2Ftea", "location.pathname + location.search")


async def test_new_password_in_another_tab(case):
    """Who changes the password in one tab stays logged in in the other, which goes on by the new cookie."""
    server = await case.serve_accounts()
    case.allow(lost_network)
    visitor = case.visitor()
    await log_in(visitor, server.url)
    await visitor.run("""
      window.sockets = 0;
      window.WebSocket = class extends WebSocket { constructor(...all) { super(...all); window.sockets++; } };""")
    async with visitor.new_tab():
        await visitor.browser.open(server.url + "/account")
        await visitor.write("[name=old]", "tea and rice")
        await visitor.write("[name=password]", "rice and tea")
        await visitor.click("[action='/account/password'] button")
        await visitor.until("?done=passwordChanged", "location.search")
    await visitor.until(True, "window.sockets > 0")
    await visitor.shows("output", "Ann")
    await visitor.is_live()
