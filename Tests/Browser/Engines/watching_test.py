# SPDX-License-Identifier: Apache-2.0
"""The status screen in every engine: live, as wide as the window, with meters, and nothing for axe to find."""

import contextlib

from access_test import axe, broken_rules
from engines import Unable
from harness import admin_url
from look_test import sticks_out

rooms = "table.rooms tbody tr"
long_name = "Donaudampfschifffahrt" * 3


async def check(visitor, where: str) -> None:
    """Photographs the screen; fails if something sticks out, or breaks a rule of axe."""
    out, width, window = await visitor.run(
        f"return [({sticks_out})(), document.documentElement.scrollWidth, innerWidth]")
    await visitor.photograph(where)
    assert not out and width <= window, f"{where}: {width} px in {window} px, and this sticks out: {out}"
    broken = broken_rules(await visitor.run(f"{axe.axe_script}; return axe.run();"))
    assert not broken, f"{where}: " + "\n".join(broken)


async def test_the_status_screen(case):
    """It shows the room that somebody uses, in wide and narrow windows, in both languages."""
    server = await case.serve("--admin", "127.0.0.1:0")
    watcher, user = await case.visitors(await admin_url(server), server.url + f"/number?room={long_name}")
    await watcher.counts("[data-cloak]", 0)

    for width in (1280, 480, 390):
        with contextlib.suppress(Unable):
            await watcher.fit(width, 800)
        for language in ("en", "ja"):
            await watcher.run("document.documentElement.lang = arguments[0]", language)
            await check(watcher, f"status-{width}-{language}")
    await user.write("[data-bind-value=number]", "1")
    # The room is busy for a second only.
    await watcher.run("""
      const rooms = document.querySelector("table.rooms tbody");
      new MutationObserver(() => {
        const name = rooms.querySelector("th")?.textContent;
        if (name) document.body.dataset.seen = name;
      }).observe(rooms, { subtree: true, childList: true, characterData: true });""")
    await user.write("[data-bind-value=number]", "2")
    await watcher.until(f"number {long_name}", "document.body.dataset.seen")
