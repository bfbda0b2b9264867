// SPDX-License-Identifier: Apache-2.0
// What the first file alone decides: the module runs as a page loads it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fakeElement, fakeField } from "./support/dom.mjs";
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

test("what a script sends is the value at the call, to the screen of that moment, though the second file loads first", async (t) => {
  const page = await livePage(t, []);
  const at = { place: [1, 2] };

  page.screen.send("visit", at);
  page.screen.send("clear");
  at.place.push(3);
  page.start({ count: 1 });
  await page.loaded();

  assert.deepEqual(page.sent(), [{ input: 1, name: "visit", value: { place: [1, 2] } }, { input: 2, name: "clear" }]);
});

test("a script observes an output until it ends that, and a change of its copy is none of the page's", async (t) => {
  const page = await livePage(t, []);
  const seen = [];
  page.start({ rows: [1] });
  const stop = page.screen.observe("rows", (rows) => seen.push(rows.splice(0)));
  const never = page.screen.observe("rows", () => assert.fail("it was ended before the second file was there"));
  never();
  await page.loaded();

  page.reply({ sequence: 1, patch: [{ op: "add", path: "/rows/1", value: 2 }] });
  await page.loaded();
  stop();
  page.reply({ sequence: 2, patch: [{ op: "remove", path: "/rows/0" }] });
  await page.loaded();

  assert.deepEqual(seen, [[1], [1, 2]]);
});

test("a hidden page whose address changes leaves its session under the new one", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const element = fakeElement("main", { "data-bind-query": "page" });
  const page = await livePage(t, [element]);
  const { location, history } = page;
  history.replaceState = (state, _, url) => {
    history.state = state;
    if (url) Object.assign(location, { href: String(url), search: new URL(url).search });
  };
  page.start({ page: 1 });
  await page.loaded();
  page.document.hidden = true;
  page.fire("visibilitychange", page.document);
  assert.ok(Object.keys(page.sessionStorage).length);

  page.reply({ sequence: 1, patch: [{ op: "replace", path: "/page", value: 2 }] });
  t.mock.timers.tick(1_000);

  assert.equal(location.search, "?page=2");
  assert.equal(JSON.parse(page.sessionStorage["musubi /number?page=2"]).session, "s");
  page.document.hidden = false;
  page.fire("visibilitychange", page.document);
  assert.equal(page.sessionStorage["musubi /number?page=2"], undefined);
});
