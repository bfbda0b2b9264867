// SPDX-License-Identifier: Apache-2.0
// What has to know which box scrolls runs once the style sheets of its page apply.
import assert from "node:assert/strict";
import { test } from "node:test";
import { onceStyled } from "../../Sources/BrowserClient/musubi/styled.js";

/** A page with these links to style sheets, and something that waits for them; `runs` tells how often it ran. */
function page(links, styleSheets = []) {
  globalThis.window = new EventTarget();
  globalThis.document = Object.assign(new EventTarget(), {
    readyState: "interactive",
    styleSheets,
    querySelectorAll: () => links,
  });
  const page = { runs: 0 };
  page.giveUp = onceStyled(() => void (page.runs += 1));
  return page;
}

test("it runs at once if all style sheets apply", () => {
  const sheet = {};

  assert.equal(page([{ sheet }], [sheet]).runs, 1);
});

test("it waits for the last style sheet, and until that applies", () => {
  const links = [{ sheet: { name: "base" } }, { sheet: null }];
  const waiting = page(links);
  assert.equal(waiting.runs, 0);

  links[1].sheet = { name: "own" };
  document.dispatchEvent(new Event("load"));
  assert.equal(waiting.runs, 0);
  document.styleSheets = links.map(({ sheet }) => sheet);
  document.dispatchEvent(new Event("load"));
  document.dispatchEvent(new Event("load"));

  assert.equal(waiting.runs, 1);
});

test("it does not wait for a style sheet that does not load, once everything else is there", () => {
  const waiting = page([{ sheet: null }]);

  document.readyState = "complete";
  window.dispatchEvent(new Event("load"));

  assert.equal(waiting.runs, 1);
});

test("it does not run if it was given up", () => {
  const waiting = page([{ sheet: null }]);

  waiting.giveUp();
  document.readyState = "complete";
  window.dispatchEvent(new Event("load"));

  assert.equal(waiting.runs, 0);
});
