# SPDX-License-Identifier: Apache-2.0
"""The library's charts in every engine: a line that moves, bars, and both in numbers."""

from access_test import axe, broken_rules
from processes import Process, root

line = "document.querySelector('.musubi-line svg')"
slide = f"Number({line}.querySelector('g g').getAttribute('transform').match(/-(\d+)/)[1])"
# How much of the box the pieces of the line cover, from left to right, in hundredths.
covered = f"""(() => {{
    const {{ left, width, top, height }} = {line}.getBoundingClientRect();
    const boxes = [...{line}.querySelectorAll("polyline")].filter((one) => one.getAttribute("points"))
        .map((one) => one.getBoundingClientRect());
    const inside = boxes.every((box) => box.top > top - 3 && box.bottom < top + height + 3);
    return [Math.round(100 * (Math.max(...boxes.map((box) => box.right)) - left) / width), inside];
}})()"""


async def kiln(case):
    case.allow(r"favicon\.ico")  # the pages shown have no icon, for brevity
    command = [str(root / ".build/debug/GuideExamples"), "serve", "--port", "0", "--public",
               str(root / "Tests/Guides/Examples/Public"), "--data", str(case.folder())]
    server = await case._start(Process(command, r"listening http://[^ ]+:(\d+)"))
    visitor, = await case.visitors(server.url + "/kiln")
    return visitor


async def test_a_line(case):
    """It grows from the left to the right end, and then slides; it stays in its box, and its numbers stand in a table."""
    visitor = await kiln(case)
    await visitor.until(True, f"{line}.querySelector('[points]') !== null")
    await visitor.until(True, f"{covered}[0] > 10")
    await visitor.until(0, slide)
    await visitor.photograph("kiln-young")

    await visitor.until(True, f"{slide} > 5")
    reached, inside = await visitor.run(f"return {covered}")
    assert 97 <= reached <= 102 and inside, (reached, inside)
    await visitor.click(".musubi-numbers summary")
    await visitor.until(True, "document.querySelectorAll('.musubi-numbers tbody tr').length >= 9")
    texts = await visitor.run("return document.querySelector('.musubi-numbers').innerText")
    assert "In numbers" in texts and "数値" not in texts and "°C" in texts, texts
    broken = broken_rules(await visitor.run(f"{axe.axe_script}; return axe.run();"))
    assert not broken, broken
    await visitor.photograph("kiln")


async def test_bars(case):
    """They are rows of a table, as long as their values."""
    visitor = await kiln(case)
    widths = "[...document.querySelectorAll('.musubi-bars rect')].map((bar) => bar.getAttribute('width'))"
    await visitor.until(["0", "100"], widths)

    for _ in range(6):
        await visitor.click("[data-on-click=fire]")

    await visitor.until(["100", "50"], widths)
    longer, shorter = await visitor.run(
        "return [...document.querySelectorAll('.musubi-bars rect')].map((bar) => bar.getBoundingClientRect().width)")
    assert longer > 40 and abs(longer / shorter - 2) < 0.05, (longer, shorter)
    await visitor.shows(".musubi-bars tr td:last-child", "6")
    await visitor.run("document.documentElement.lang = 'ja'")
    # WebKit may show both languages for a moment.
    await visitor.until("数値で見る", "document.querySelector('.musubi-numbers summary').innerText.trim()")
