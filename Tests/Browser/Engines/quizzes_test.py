# SPDX-License-Identifier: Apache-2.0
"""The quiz in each engine: two people log in, one hosts and one plays, from the code to the table; both languages, wide and narrow."""

import contextlib
import http.client
import json

import websockets
from engines import Unable
from harness import lost_network
from looks_test import fits
from watching_test import check

rights = [1, 2, 2, 0, 3]


async def log_in(visitor, server, path: str, name: str) -> None:
    """Opens a page that asks who it is, and becomes a demo account, or else a guest."""
    await visitor.browser.open(server.url + path)
    # The address is there before the page.
    await visitor.until("/log-in.html", "document.readyState === 'complete' && location.pathname")
    if name in ("Ann", "Bob"):
        await visitor.click(f"[value={name}]")
    else:
        await visitor.click("#name")
        await visitor.press(name)
        await visitor.click("#guest button")
    await visitor.until(path, "location.pathname + location.search")
    await visitor.is_live()


async def log_out(visitor, server) -> None:
    await visitor.browser.open(server.url + "/log-in.html")
    await visitor.click("[action='/log-out'] button")
    await visitor.until("/play.html", "location.pathname")


async def test_a_quiz(case):
    """Ann hosts, a guest with a long name plays; what only one of them may do only one of them sees."""
    server = await case.serve()
    case.allow(lost_network)
    ann, guest = await case.visitors(server.url + "/number", server.url + "/number")
    await ann.browser.open(server.url + "/play")
    await ann.click("a.button")
    await ann.until("/log-in.html", "document.readyState === 'complete' && location.pathname")
    path = await ann.run("return new URLSearchParams(location.search).get('next')")
    try:
        await log_in(ann, server, path, "Ann")
        await ann.click("[data-on-click=host]")
        await ann.until(True, "document.querySelector('[data-on-click=next]').checkVisibility()")
        await log_in(guest, server, path, "Donaudampfschifffahrtsgesellschaftskapit")
        await guest.until(False, "document.querySelector('[data-on-click=next]').checkVisibility()")
        with contextlib.suppress(Unable):  # WebKit's window has a least width, which is a phone's on its side
            await guest.fit(390, 844)
        await guest.click("[data-on-submit=join] .button")
        await ann.counts(".people li", 1)
        await ann.until(True, "document.querySelector('.invitation img').naturalWidth > 0")
        await check(ann, "quiz-waiting")
        for number, right in enumerate(rights):
            await ann.until(False, "document.querySelector('[data-on-click=next]').disabled")
            await ann.click("[data-on-click=next]")
            await guest.until(
                [str(10 * number), False], "(({ value, disabled }) => [value, disabled])(document.querySelector('.answers input'))")
            if number == 0:
                await guest.click("[data-speak=ja]")
                await check(guest, "quiz-asked-ja")
            await guest.click(f".answers li:nth-of-type({right + 1}) label")
            await ann.until(["100"], """[...document.querySelectorAll(".right rect")].map((bar) => bar.getAttribute("width"))""")
            if number == 0:
                await check(guest, "quiz-closed-ja")
                await check(ann, "quiz-closed")
        await ann.click("[data-on-click=next]")
        await guest.counts("tbody tr", 1)
        await check(guest, "quiz-table-ja")
        await guest.click("[data-speak=en]")
        await fits(guest, "the table")
    finally:
        for visitor in (ann, guest):
            await log_out(visitor, server)


@contextlib.asynccontextmanager
async def dee(server, path: str):
    """A player who needs no browser; what she sends goes in by the function that comes."""
    log_in = http.client.HTTPConnection("127.0.0.1", server.port)
    log_in.request("POST", "/log-in.html", "person=Dee", {
        "Origin": server.url, "Content-Type": "application/x-www-form-urlencoded"})
    cookie = log_in.getresponse().getheader("Set-Cookie").partition(";")[0]
    log_in.close()
    address = f"ws://127.0.0.1:{server.port}/live{path}&path=/quiz"
    async with websockets.connect(
            address, origin=server.url, subprotocols=["musubi.v1"], additional_headers={"Cookie": cookie}) as wire:
        inputs = 0

        async def send(name: str, value=None) -> None:
            nonlocal inputs
            inputs += 1
            await wire.send(json.dumps({"input": inputs, "name": name} | ({} if value is None else {"value": value})))
            async for frame in wire:
                if json.loads(frame).get("ack") == inputs:
                    return

        yield send


votes = "[...document.querySelectorAll('.votes')].filter((one) => one.checkVisibility()).map((one) => one.innerText)"
chosen = "[...document.querySelectorAll('.answers input')].map((one) => one.checked)"


async def test_two_players(case):
    """While a question is open the host alone sees votes, each player the own answer; a forged next, and the host's tab lost and found."""
    server = await case.serve()
    case.allow(lost_network)
    ann, guest = await case.visitors(server.url + "/number", server.url + "/number")
    path = "/quiz?room=two-players"
    try:
        await log_in(ann, server, path, "Ann")
        await ann.click("[data-on-click=host]")
        await log_in(guest, server, path, "Guest")
        await guest.click("[data-on-submit=join] .button")
        async with dee(server, path) as send:
            await send("join")
            await ann.counts(".people li", 2)
            await ann.click("[data-on-click=next]")
            await guest.counts(".answers input:enabled", 4)
            await guest.click(".answers li:nth-of-type(2) label")
            await ann.until(["0", "1", "0", "0"], votes)
            await guest.until([[False, True, False, False], []], f"[{chosen}, {votes}]")
            await guest.reload()
            await guest.until([False, True, False, False], chosen)
            await guest.run("""
                const next = document.querySelector("[data-on-click=next]");
                next.removeAttribute("disabled");
                next.click();""")
            await guest.shows("[role=status]", "You may not do that here.")
            await send("answer", 2)
            for visitor in (ann, guest):
                await visitor.until(["0", "1", "1", "0"], votes)
            await guest.until([False, True, False, False], chosen)

            await ann.browser.open("about:blank")
            await ann.open(server.url + path)
            await ann.until(["0", "1", "1", "0"], votes)
            await ann.click("[data-on-click=next]")
            await guest.until(["10", False], "(({ value, checked }) => [value, checked])(document.querySelector('.answers input'))")
    finally:
        for visitor in (ann, guest):
            await log_out(visitor, server)


async def test_a_wrong_code(case):
    """Who mistypes a quiz's code is told, and may try again."""
    server = await case.serve()
    visitor = case.visitor()
    await visitor.browser.open(server.url + "/play")
    await visitor.click("#code")
    await visitor.press("00000000")
    await visitor.click("main form button")
    await visitor.until(True, "document.querySelector('#unknown').checkVisibility()")
    await fits(visitor, "a wrong code")


async def test_who_a_page_is(case):
    """A page of a server in development says who it is."""
    server = await case.serve("--dev")
    visitor, = await case.visitors(server.url + "/number")
    await visitor.shows("#musubi-visitor", "Nobody is signed in.")
    try:
        await log_in(visitor, server, "/quiz?room=who", "Ann")
        await visitor.shows("#musubi-visitor", "Ann (ann), without roles")
        await visitor.photograph("who-a-page-is")
    finally:
        await log_out(visitor, server)
