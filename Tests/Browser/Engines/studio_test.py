# SPDX-License-Identifier: Apache-2.0
"""The studio in every engine: a table that is added up and cancelled, a picture, the meter, and a chat with who is writing."""

import base64
import contextlib

from access_test import axe, broken_rules
from engines import Unable
from harness import lost_network
from looks_test import fits
from processes import root

picture = root / "Tests/Scripts/studio.png"
bars = "[...document.querySelectorAll('.musubi-bars tr')].map((row) => row.innerText.replace(/\\s+/g, ' ').trim())"
lines = "[...document.querySelectorAll('.lines li')].map((line) => line.innerText.trim())"
is_shown = "((selector) => document.querySelector(selector).getClientRects().length > 0)"
pieces = "[...document.querySelectorAll('.musubi-line polyline[points]')].filter((one) => one.getAttribute('points')).length"


# A page can make files; what a person chooses comes the same way.
choose = """
  const [name, type, base64] = arguments;
  const data = new DataTransfer();
  data.items.add(new File([Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0))], name, { type }));
  const element = document.querySelector("#file");
  element.files = data.files;
  element.dispatchEvent(new Event("change", { bubbles: true }));"""


async def send(visitor, name: str, contents: bytes) -> None:
    await visitor.run(choose, name, "text/csv" if name.endswith("csv") else "image/png", base64.b64encode(contents).decode())


async def write(visitor, text: str) -> None:
    await visitor.run("""const field = document.querySelector("#draft");
        field.value = arguments[0]; field.dispatchEvent(new InputEvent("input", { bubbles: true }));""", text)


async def test_everything(case):
    """Two people: what one hangs and says, both see; the table is its sender's own. It fits a phone, and axe finds nothing."""
    server = await case.serve()
    ann, bob = await case.visitors(server.url + "/studio", server.url + "/studio")
    await ann.until(True, f"{pieces} > 1")
    await send(ann, "harvest.csv", b"tea,cups,kg\n" + b"sencha,2,1.5\n" * 200)
    await ann.until(["cups 400", "kg 300"], bars)
    # One that takes long is cancelled, and the sums of before stay.
    await send(ann, "large.csv", b"tea,bowls\n" + b"sencha,7\n" * 20_000)
    await ann.until(True, f"{is_shown}('.job')")
    await ann.run("document.querySelector('[data-on-click=cancel]').click()")
    await ann.until(False, f"{is_shown}('.job')")
    await ann.until(["cups 400", "kg 300"], bars)
    await bob.until([], bars)
    await send(bob, "names.csv", "茶\n煎茶\n".encode())
    await bob.until(True, "/No column has numbers/.test(document.querySelector('figure').innerText)")

    await send(ann, "studio.png", picture.read_bytes())
    for one in (ann, bob):
        await one.until(True, "document.querySelector('.pictures img')?.naturalWidth > 0")
        await one.until("studio.png", "document.querySelector('.pictures img').alt")
    await write(ann, "Hello お茶")
    await bob.until(True, "/Writing now|入力中/.test(document.querySelector('.writers').innerText)")
    await ann.click(".say button")
    await bob.until(["Guest Hello お茶"], lines)
    await ann.until("", "document.querySelector('#draft').value")
    await bob.until("", "document.querySelector('.writers').innerText.trim()")

    for width in (1280, 390):
        with contextlib.suppress(Unable):  # WebKit's window has a least width
            await ann.fit(width, 844)
        for language in ("en", "ja"):
            await ann.click(f"[data-speak={language}]")
            await fits(ann, f"the studio, {width} px, {language}")
            await ann.photograph(f"studio-{width}-{language}")
    broken = broken_rules(await ann.run(f"{axe.axe_script}; return axe.run();"))
    assert not broken, broken


async def test_a_killed_server(case):
    """Pictures, lines, sums and what was typed are there again, and the meter goes on."""
    case.allow(lost_network)
    server = await case.serve()
    visitor, = await case.visitors(server.url + "/studio")
    await send(visitor, "harvest.csv", b"tea,cups\nsencha,2\n")
    await visitor.until(["cups 2"], bars)
    await send(visitor, "studio.png", picture.read_bytes())
    await visitor.counts(".pictures img", 1)
    await write(visitor, "Said")
    await visitor.click(".say button")
    await visitor.until(["Guest Said"], lines)
    await write(visitor, "Not yet said")
    await visitor.until(None, "document.documentElement.dataset.pending ?? null")

    await server.kill()
    await visitor.until("offline", "document.documentElement.dataset.link")
    await case.serve(port=server.port)
    await visitor.until("live", "document.documentElement.dataset.link")

    await visitor.until(["Guest Said"], lines)
    await visitor.until(["cups 2"], bars)
    await visitor.counts(".pictures img", 1)
    await visitor.until("Not yet said", "document.querySelector('#draft').value")
    await visitor.until(True, f"{pieces} > 1")
