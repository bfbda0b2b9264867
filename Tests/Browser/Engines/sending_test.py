# SPDX-License-Identifier: Apache-2.0
"""Files in each engine: chosen, dropped and pasted, paused and continued over a cut, and shown in both languages, wide and narrow."""

import contextlib

from engines import Unable
from harness import lost_network
from watching_test import check

# What a browser says of an upload that is cut off.
lost_upload = r"net::ERR_"
# A page can make files; what a person chooses comes the same way.
choose = """
  const [selector, name, text, times] = arguments;
  const data = new DataTransfer();
  data.items.add(new File([text.repeat(times)], name, { type: "text/plain" }));
  const element = document.querySelector(selector);
  element.files = data.files;
  element.dispatchEvent(new Event("change", { bubbles: true }));"""
hand_over = """
  const [selector, type, name] = arguments;
  const data = new DataTransfer();
  data.items.add(new File(["text"], name, { type: "text/plain" }));
  const event = new Event(type, { bubbles: true, cancelable: true });
  // Not every engine lets a script make the whole event.
  Object.defineProperty(event, type === "paste" ? "clipboardData" : "dataTransfer", { value: data });
  document.querySelector(selector).dispatchEvent(event);"""
shown = "[...document.querySelectorAll('#files > li')].map((item) => item.textContent.split(' ')[0]).join()"
state = "document.querySelector('.musubi-files > li')?.dataset.upload ?? null"


async def test_files(case):
    """They arrive in order, and both pages see them; dropped on the zone, pasted into it, in a row."""
    server = await case.serve_test_screens()
    one, other = await case.visitors(server.url + "/files", server.url + "/files")
    await one.run(choose, "#file", "one.txt", "one", 1)
    await other.until("one.txt", shown)
    await one.run(hand_over, "#zone", "drop", "two.txt")
    await other.until("one.txt,two.txt", shown)
    await one.run(hand_over, "#zone h1, #zone label", "paste", "three.txt")
    await other.until("one.txt,two.txt,three.txt", shown)
    await one.run(choose, "[data-row='2'] input", "cover.txt", "cover", 1)
    await other.shows("[data-row='2'] b", "cover.txt")
    await one.counts(".musubi-files", 0)


async def test_others_see_how_far_it_is(case):
    """While a file is on its way every page of the room shows it, until it has arrived or is given up."""
    case.allow(lost_upload)
    server = await case.serve_test_screens()
    proxy = await case.proxy(server)
    one, other = await case.visitors(proxy.url + "/files", server.url + "/files")
    await one.until(True, "document.querySelectorAll('#rows li').length === 2")
    for name, ends in (("goes.txt", "proxy.release"), ("given-up.txt", "cancel")):
        proxy.hold("up", after=2_000_000)
        await one.run(choose, "#file", name, "0123456789abcdef", 500_000)
        await other.until(name, "document.querySelector('#arriving span')?.textContent")
        await other.until(True, "(({ value }) => 0.1 < value && value < 0.9)(document.querySelector('#arriving progress'))")
        if ends == "cancel":
            await one.run("[...document.querySelectorAll('.musubi-files button')].find((one) => /cancel/.test(one.id)).click()")
        proxy.release()
        await other.counts("#arriving li", 0)
    await other.until(1, "document.querySelectorAll('#files > li').length")


async def test_a_pause_and_a_cut(case):
    """Paused and continued by its buttons, cut off, and whole in the end; the list fits, and axe finds nothing."""
    case.allow(lost_upload)
    case.allow(lost_network)
    server = await case.serve_test_screens()
    proxy = await case.proxy(server)
    (visitor,) = await case.visitors(proxy.url + "/files")
    await visitor.until(True, "document.querySelectorAll('#rows li').length === 2")
    proxy.hold("up")
    name = "Donaudampfschifffahrtsgesellschaftskapitän" * 2 + ".txt"
    await visitor.run(choose, "#file", name, "0123456789abcdef", 500_000)
    await visitor.until("sending", state)
    await visitor.run("document.querySelector('.musubi-files button').click()")
    await visitor.until("paused", state)
    await visitor.run(choose, "#picture", "no.txt", "text", 20_000)
    await visitor.until("refused", "document.querySelectorAll('.musubi-files > li')[1]?.dataset.upload")
    for width in (1280, 390):
        with contextlib.suppress(Unable):
            await visitor.fit(width, 800)
        for language in ("en", "ja"):
            await visitor.run("""document.documentElement.lang = arguments[0];
              dispatchEvent(new Event("languagechange"))""", language)
            await check(visitor, f"files-{width}-{language}")
    await visitor.until("再開", "document.querySelector('.musubi-files button:not([hidden])').textContent")
    proxy.release()
    await visitor.run("document.querySelector('.musubi-files button:not([hidden])').click()")
    proxy.cut()
    await visitor.until(f"{name} text/plain 8000000 83e6e346", "document.querySelector('#files > li')?.textContent")
