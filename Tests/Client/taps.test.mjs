// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { attachKeyed } from "../../Sources/BrowserClient/musubi/outlets/keyed.js";
import { createPendingMarks } from "../../Sources/BrowserClient/musubi/pending.js";
import { fakeWindow } from "./support/clock.mjs";
import { fakeElement } from "./support/dom.mjs";

/** Links of a list, whose taps the server answers when `answer` says so. */
function links() {
  const window = fakeWindow();
  const marks = createPendingMarks(window);
  const it = { taken: [] };
  const context = {
    listen: (_, element, handle) => void (element.click = handle),
    input: (element, _, name) => marks.add(element, it.taken.push(name)),
  };
  const link = (name) => {
    const element = Object.assign(fakeElement("a", {}), { isConnected: true });
    attachKeyed(element, context, { argument: "click", name });
    const click = (detail = 1) => element.click({ timeStamp: window.performance.now(), detail, preventDefault() {} });
    return Object.assign(click, { element });
  };
  const [open, other] = [link("open"), link("other")];
  return Object.assign(it, { open, other, wait: (ms) => window.advance(ms), answer: () => marks.acknowledge(it.taken.length) });
}

test("a link that is tapped twice opens one screen, however late the answer is", () => {
  const it = links();

  it.open();
  it.wait(150);
  it.open();
  it.wait(1_000);
  it.other();

  assert.deepEqual(it.taken, ["open"]);
});

test("a link of the screen that was opened is taken at once, but not the second click of a double click", () => {
  const it = links();
  it.wait(5_000);
  it.open();
  it.open.element.isConnected = false;
  it.wait(50);

  it.other(2);
  assert.deepEqual(it.taken, ["open"]);
  it.other();

  assert.deepEqual(it.taken, ["open", "other"]);
});

test("behind the answer a link is taken again, and so it is two seconds behind a tap without one", () => {
  const it = links();
  it.wait(10_000);
  it.open();
  it.wait(250);
  it.answer();
  it.other();
  assert.deepEqual(it.taken, ["open", "other"]);

  it.wait(1_999);
  it.open();
  assert.equal(it.taken.length, 2);
  it.wait(1);
  it.open();

  assert.deepEqual(it.taken, ["open", "other", "open"]);
});
