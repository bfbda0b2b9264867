# SPDX-License-Identifier: Apache-2.0
"""What a page costs the browser: script for an update, beside a page written by hand, and memory that does not grow."""

import os

from playwright.async_api import expect

# Types numbers into the room of the number screen, each when the one before is acknowledged.
type_numbers = """async (count) => {
  const socket = new WebSocket(`ws://${location.host}/live/number?room=test`, "musubi.v1");
  const next = (is) => new Promise((done, fail) => {
    socket.onmessage = (event) => { const frame = JSON.parse(event.data); if (is(frame)) done(frame); };
    socket.onclose = (event) => fail(`closed with ${event.code}`);
  });
  await next((frame) => frame.snapshot);
  for (let number = 1; number <= count; number += 1) {
    socket.send(JSON.stringify({ input: number, name: "number", value: String(number % 100) }));
    await next((frame) => frame.ack === number);
  }
  socket.onclose = null;
  socket.close();
}"""

# The least that a page can do with an update: read it, and show the texts in it.
show_by_hand = """() => {
  const [label, field] = [document.createElement("output"), document.createElement("input")];
  document.body.replaceChildren(label, field);
  const shown = { label: (text) => { label.textContent = text; }, number: (text) => { field.value = text; } };
  const socket = new WebSocket(`ws://${location.host}/live/number?room=test`, "musubi.v1");
  socket.onmessage = (event) => {
    for (const { path, value } of JSON.parse(event.data).patch ?? []) shown[path.slice(1)]?.(value);
  };
  return new Promise((done) => { socket.onopen = done; });
}"""


async def watch(page):
    session = await page.context.new_cdp_session(page)
    await session.send("Performance.enable")

    async def figures() -> dict[str, float]:
        await session.send("HeapProfiler.collectGarbage")
        return {each["name"]: each["value"] for each in (await session.send("Performance.getMetrics"))["metrics"]}

    return figures


async def test_an_update(case):
    """An update takes at most ten times the script of a page by hand; after 20,000 of them the heap is as large as before."""
    server = await case.serve("--messages-per-second", "unlimited")
    shown = await case.number(server)
    page = shown.page
    by_hand, writer = await case.open(f"{server.url}/musubi.js"), await case.open(f"{server.url}/musubi.js")
    await by_hand.evaluate(show_by_hand)
    readers = [await watch(page), await watch(by_hand)]
    await writer.evaluate(type_numbers, 1_000)  # both are compiled by now

    before = [await figures() for figures in readers]
    updates = 20_000 if os.environ.get("MUSUBI_LONG") else 4_000
    await writer.evaluate(type_numbers, updates)
    await shown.shows(str(updates % 100))
    after = [await figures() for figures in readers]

    script = [1e6 * (new["ScriptDuration"] - old["ScriptDuration"]) / updates for old, new in zip(before, after)]
    growth = after[0]["JSHeapUsedSize"] - before[0]["JSHeapUsedSize"]
    print(f"      script for an update: {script[0]:.0f} us, by hand {script[1]:.0f} us; the heap grew by {growth:.0f} bytes")
    assert script[0] < 10 * script[1], script
    assert growth < 10 * updates, f"the heap grew by {growth} bytes in {updates} updates"


async def test_a_long_list(case):
    """The first show of 1,000 rows takes at most twenty times what the browser takes for the same elements as HTML."""
    server = await case.serve_contents(1_000)
    page, by_hand = await case.open(f"{server.url}/musubi.js"), await case.open("about:blank")
    readers = [await watch(page), await watch(by_hand)]
    before = [await figures() for figures in readers]

    await page.goto(f"{server.url}/contents")
    await expect(page.locator("html")).to_have_attribute("data-link", "live")
    await expect(page.locator("[data-cloak]")).to_have_count(0)
    elements = await page.evaluate("document.querySelectorAll('main *').length")
    assert elements > 5_000, elements
    copy = await page.evaluate("document.querySelector('main').outerHTML")
    await by_hand.evaluate("(html) => { document.body.innerHTML = html; document.body.offsetHeight; }", copy)

    after = [await figures() for figures in readers]
    parts = ("ScriptDuration", "LayoutDuration", "RecalcStyleDuration")
    cost = [[1e3 * (new[part] - old[part]) for part in parts] for old, new in zip(before, after)]
    print(f"      script, layout and style in ms: {[round(each) for each in cost[0]]}, as HTML {[round(each) for each in cost[1]]}")
    assert sum(cost[0]) < 20 * sum(cost[1]), cost
