# SPDX-License-Identifier: Apache-2.0
"""Widgets that somebody else wrote, under the strict policy, in every engine: Debian's Leaflet and Chart.js."""

import pathlib
import shutil

from processes import Process, root

libraries = pathlib.Path("/usr/share/javascript")


async def harbour(case):
    """The guide's harbour, with the two libraries beside its pages, for each visitor."""
    case.allow(r"favicon\.ico")  # the pages shown have no icon, for brevity
    public = case.folder() / "Public"
    shutil.copytree(root / "Tests/Guides/Examples/Public", public)
    for name in ("leaflet", "chart.js"):
        shutil.copytree(libraries / name, public / name)
    command = [str(root / ".build/debug/GuideExamples"), "serve", "--port", "0", "--dev", "--public", str(public),
               "--data", str(case.folder())]
    server = await case._start(Process(command, r"listening http://[^ ]+:(\d+)"))
    visitor, = await case.visitors(server.url + "/harbour")
    return visitor


async def test_a_map(case):
    """A custom element shows the boats on a map with tiles of the server's own, and its event tells the boat that was chosen."""
    visitor = await harbour(case)
    await visitor.counts("boat-map path", 2)
    await visitor.until(True, "[...document.querySelectorAll('.leaflet-tile')].some((tile) => tile.naturalWidth > 0)")

    await visitor.click("[data-on-click=arrive]")
    await visitor.counts("boat-map path", 3)
    await visitor.run("document.querySelector('.boat-2').dispatchEvent(new MouseEvent('click', { bubbles: true }))")

    await visitor.shows("output", "Grace")
    await visitor.counts("#musubi-inspector", 0)
    await visitor.photograph("harbour")


async def test_a_chart(case):
    """A script of the page's own reads an output for its chart, and sends an input for the bar that was chosen."""
    visitor = await harbour(case)
    label = "document.querySelector('canvas').ariaLabel ?? document.querySelector('canvas').getAttribute('aria-label')"
    await visitor.until("Arrivals by hour: 2, 3, 1", label)
    painted = """(() => {
        const { width, height } = document.querySelector("canvas");
        const { data } = document.querySelector("canvas").getContext("2d").getImageData(0, 0, width, height);
        return data.some((value) => value > 0);
    })()"""
    await visitor.until(True, painted)

    await visitor.click("[data-on-click=arrive]")
    await visitor.until("Arrivals by hour: 2, 3, 2", label)
    # The middle of three bars, near its foot.
    x, y = await visitor.run("""
        document.querySelector("canvas").scrollIntoView({ block: "center", behavior: "instant" });
        const { left, top, width, height } = document.querySelector("canvas").getBoundingClientRect();
        return [left + width / 2, top + height - 50];""")
    await visitor.pointer(("move", x, y), "down", "up")

    await visitor.shows("output", "3 in hour 2")


async def test_a_script_with_a_mistake(case):
    """A callback that throws, or changes what it is given, breaks neither the page nor other scripts; one value is too long to be sent."""
    case.allow("a mistake")
    server = await case.serve_test_screens()
    visitor, = await case.visitors(server.url + "/rows?room=script#mistakes")
    await visitor.counts("#rows li", 3)
    await visitor.until(3, "window.seen")
    await visitor.click("[data-on-click=add]")
    await visitor.counts("#rows li", 4)
    await visitor.until(4, "window.seen")

    await visitor.run("sendLong()")
    await visitor.until(True, "document.querySelector('[role=status]').textContent.includes('did not accept')")
    await visitor.click("[data-on-click=add]")
    await visitor.counts("#rows li", 5)
