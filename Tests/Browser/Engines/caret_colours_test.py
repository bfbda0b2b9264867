# SPDX-License-Identifier: Apache-2.0
"""The colours of carets, in every engine: a name can be read on them, and a caret is seen in its field, by day and by night."""

from carets_test import select
from engines import WebKit
from visitors import Visitor
from window_test import entries

# The page's socket, and the last frame that told of carets.
listen = """
  const { send } = WebSocket.prototype;
  WebSocket.prototype.send = function (data) {
    if (window.line !== this) this.addEventListener("message", ({ data }) => {
      if (data.startsWith('{"carets"')) window.told = JSON.parse(data);
    });
    window.line = this;
    return send.call(this, data);
  };"""

# Tells the page that so many others are where the other one is, and waits until their carets are there.
crowd = """
  const [first, count] = arguments;
  const frame = structuredClone(window.told);
  const [text] = Object.values(frame.carets);
  const [[, , start, end]] = text.all;
  text.all = Array.from({ length: count }, (_, place) => [first + place, `Page ${first + place}`, start, end]);
  window.line.dispatchEvent(new MessageEvent("message", { data: JSON.stringify(frame) }));
  return new Promise((done) => {
    const look = () => {
      const names = [...document.querySelectorAll(".musubi-caret-name")].map((name) => name.textContent);
      if (names.length === count && names.includes(`Page ${first}`)) done();
      else setTimeout(look, 20);
    };
    look();
  });"""

# What is too faint, with its contrast as WCAG has it: 4.5 for names, 3 for carets. A canvas turns any notation of a colour into
# numbers. Also how many colours there were, and how light the field is.
faint = """
  const [selector] = arguments;
  const pen = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const channels = (color) => {
    pen.fillStyle = "#010203";
    pen.fillStyle = color;
    if (pen.fillStyle === "#010203") throw Error(`no colour: ${color}`);
    pen.clearRect(0, 0, 1, 1);
    pen.fillRect(0, 0, 1, 1);
    return [...pen.getImageData(0, 0, 1, 1).data];
  };
  const luminance = (color) => channels(color).slice(0, 3)
    .map((c) => c / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const contrast = (one, other) => {
    const [high, low] = [luminance(one), luminance(other)].sort((a, b) => b - a);
    return (high + 0.05) / (low + 0.05);
  };
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const { backgroundColor } = getComputedStyle(at);
      if (channels(backgroundColor)[3] === 255) return backgroundColor;
    }
    return "canvas";
  };
  const ground = behind(document.querySelector(selector));
  const found = [];
  const colours = new Set();
  for (const mark of document.querySelectorAll(".musubi-caret")) {
    const caret = getComputedStyle(mark).borderInlineStartColor;
    const { backgroundColor, color } = getComputedStyle(mark.firstChild);
    colours.add(caret);
    const [name, line] = [contrast(color, backgroundColor), contrast(caret, ground)];
    if (name < 4.5) found.push(`${mark.textContent}: ${color} on ${backgroundColor} has ${name.toFixed(2)}`);
    if (line < 3) found.push(`${mark.textContent}: ${caret} on ${ground} has ${line.toFixed(2)}`);
  }
  return [found, [...colours], luminance(ground)];"""


async def look(visitor, selector: str, is_dark: bool) -> None:
    """Looks at the carets of 720 pages, sixty at a time."""
    colours = set()
    for first in range(1, 720, 60):
        await visitor.run(crowd, first, 60)
        found, seen, ground = await visitor.run(faint, selector)
        assert not found, "\n".join(found)
        assert (ground < 0.2) == is_dark, f"the field has a luminance of {ground}"
        colours |= set(seen)
    # As many as there are degrees of hue, but for those that the browser shows alike.
    assert len(colours) > 300, len(colours)


async def test_contrast(case):
    """All colours hold 4.5 to 1 with the name on them and 3 to 1 with the field, in light and in dark: note, board and plain page."""
    gallery = await case.serve()
    guide = await entries(case)
    reader, writer = case.visitor(), case.second_visitor()
    dark = None
    if isinstance(reader.browser, WebKit):
        dark = WebKit()
        dark.theme = "Adwaita:dark"
        await dark.start()
    places = {"note": (gallery, "#text"), "board": (gallery, ".board-card input"), "letter": (guide, "textarea")}
    try:
        for scheme in ("light", "dark"):
            if scheme == "dark" and dark:
                reader = Visitor(dark)
            elif not dark:
                await reader.browser.prefer(scheme)
            for page, (server, field) in places.items():
                url = f"{server.url}/{page}?room={scheme}"
                await writer.open(url)
                if page == "board":
                    await writer.click("[data-on-click=add]")
                await writer.counts(field, 1)
                await writer.write(field, "Tea and rice")
                await reader.open(url)
                await reader.shows(field, "Tea and rice")
                await reader.run(listen)
                await reader.click(field)
                await reader.press("!")
                await writer.run(select.replace("#text", field), 3, 3)
                await reader.until(3, "window.told && Object.values(told.carets)[0].all[0]?.[2] || null")
                await look(reader, field, scheme == "dark")
                await reader.photograph(f"caret-colours-{page}-{scheme}")
    finally:
        if dark:
            await dark.close()
        else:
            await reader.browser.prefer("light")
