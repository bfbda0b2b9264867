# SPDX-License-Identifier: Apache-2.0
"""The pages of accounts in each engine, at a phone's width, in both languages: from signing up to logging out."""

import contextlib

from engines import Unable
from harness import lost_network
from watching_test import check

buttons = {
    "en": {"signup": "Sign up", "login": "Log in", "logout": "Log out"},
    "ja": {"signup": "登録する", "login": "ログイン", "logout": "ログアウト"},
}


async def fill(visitor, **fields) -> None:
    for name, value in fields.items():
        await visitor.click(f"#{name}")
        await visitor.press(value)


async def at(visitor, path: str, language: str = "") -> None:
    """Waits until a page is there, in a language if it has words of Musubi."""
    await visitor.until(path, "document.readyState === 'complete' && location.pathname")
    if language:
        await visitor.until(language, "document.documentElement.lang")


async def press(visitor, action: str, language: str) -> None:
    selector = f"form[action='/{action}'] button"
    await visitor.until(buttons[language][action], "document.querySelector(arguments[0])?.textContent", selector)
    await visitor.click(selector)


async def test_an_account(case):
    """Somebody signs up, sees the page that is for those who have, logs out, and logs in again; it fits, and axe finds nothing."""
    server = await case.serve_accounts()
    case.allow(lost_network)
    visitor = case.visitor()
    with contextlib.suppress(Unable):  # WebKit's window has a least width, which is a phone's on its side
        await visitor.fit(390, 844)
    for number, language in enumerate(buttons):
        who = {"address": f"bob{number}@tea.example", "password": "rice for two"}
        await visitor.browser.open(f"{server.url}/signup?next=%2Ftea&lang={language}")
        await at(visitor, "/signup", language)
        await check(visitor, f"accounts-sign-up-{language}")
        await fill(visitor, **who, name="Bob 結び" if language == "ja" else "Bob")
        await press(visitor, "signup", language)
        await at(visitor, "/tea")
        await visitor.is_live()
        await visitor.shows("output", "Bob 結び" if language == "ja" else "Bob")

        await visitor.browser.open(f"{server.url}/account?lang={language}")
        await at(visitor, "/account", language)
        await check(visitor, f"accounts-account-{language}")
        await press(visitor, "logout", language)
        await at(visitor, "/login")
        await visitor.browser.open(server.url + "/tea")
        await at(visitor, "/login")

        await visitor.browser.open(f"{server.url}/login?next=%2Ftea&lang={language}")
        await at(visitor, "/login", language)
        await check(visitor, f"accounts-log-in-{language}")
        await fill(visitor, **who)
        await press(visitor, "login", language)
        await at(visitor, "/tea")
        await visitor.is_live()
        await visitor.browser.open(f"{server.url}/account?lang={language}")
        await press(visitor, "logout", language)
        await at(visitor, "/login")
