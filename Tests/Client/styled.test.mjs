// SPDX-License-Identifier: Apache-2.0
// A long list is attached once the style sheets of its page apply: before, nobody knows which box scrolls it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { whenStyled } from "../../Sources/BrowserClient/musubi/window/styled.js";

/** A page with these links to style sheets; `calls` has what was done with its list. */
function page(links, styleSheets = []) {
  globalThis.window = new EventTarget();
  globalThis.document = Object.assign(new EventTarget(), {
    readyState: "interactive",
    styleSheets,
    querySelectorAll: () => links,
  });
  const calls = [];
  const attach = whenStyled((...given) => {
    calls.push(given.join(" "));
    return () => calls.push("stop");
  });
  const stop = attach("template", "context", "binding");
  return { calls, stop };
}

test("a list is attached at once if all style sheets apply", () => {
  const sheet = {};

  const { calls, stop } = page([{ sheet }], [sheet]);

  assert.deepEqual(calls, ["template context binding"]);
  stop();
  assert.deepEqual(calls, ["template context binding", "stop"]);
});

test("a list waits for the last style sheet, and until it applies", () => {
  const links = [{ sheet: { name: "base" } }, { sheet: null }];
  const { calls } = page(links);
  assert.deepEqual(calls, []);

  links[1].sheet = { name: "own" };
  document.dispatchEvent(new Event("load"));
  assert.deepEqual(calls, []);
  document.styleSheets = links.map(({ sheet }) => sheet);
  document.dispatchEvent(new Event("load"));
  document.dispatchEvent(new Event("load"));

  assert.deepEqual(calls, ["template context binding"]);
});

test("a list does not wait for a style sheet that does not load, once everything else is there", () => {
  const { calls } = page([{ sheet: null }]);

  document.readyState = "complete";
  window.dispatchEvent(new Event("load"));

  assert.deepEqual(calls, ["template context binding"]);
});

test("a list that has gone meanwhile is not attached", () => {
  const links = [{ sheet: null }];
  const { calls, stop } = page(links);

  stop();
  document.readyState = "complete";
  window.dispatchEvent(new Event("load"));

  assert.deepEqual(calls, []);
});
