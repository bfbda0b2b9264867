// SPDX-License-Identifier: Apache-2.0
// What the first file alone decides: the module runs as a page loads it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fakeField } from "./support/dom.mjs";
import { livePage } from "./support/live-page.mjs";

/** A page with a field that waits for a pause before it sends. */
async function debounced(test) {
  const field = fakeField({ "data-bind-value": "draft", "data-debounce": "2000" });
  const page = await livePage(test, [field]);
  page.start({ "draft": "", "draft.field": "" }, { draft: 0 });
  await page.loaded();
  const type = (text) => {
    page.fire("beforeinput", field);
    field.replace(field.value.length, field.value.length, text);
    page.fire("input", field);
  };
  return { page, field, type };
}

test("what waits only for a pause in typing is no change that the connection keeps from the server", async (t) => {
  const { page, field, type } = await debounced(t);

  for (const letter of "slowly") {
    type(letter);
    page.clock.advance(400);
  }
  assert.deepEqual([page.said(), page.sent()], ["", []]);
  page.fire("focusout", field);
  assert.equal(page.sent().length, 1);
  page.clock.advance(1_000);

  assert.equal(page.said(), "1 change has not reached the server yet.");
  page.reply({ ack: 1, revision: 1 });
  assert.equal(page.said(), "");
});

test("what the pause has sent counts, and without a connection everything does", async (t) => {
  const { page, type } = await debounced(t);
  type("a");
  page.clock.advance(2_000);
  assert.equal(page.sent().length, 1);
  page.clock.advance(1_000);
  assert.equal(page.said(), "1 change has not reached the server yet.");
  page.reply({ ack: 1, revision: 1 });

  type("b");
  page.clock.socket().end();
  page.clock.advance(3_000);

  assert.match(page.said(), /Trying again\. 1 change has not reached the server yet\.$/);
});
