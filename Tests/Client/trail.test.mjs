// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { createTrail } from "../../Sources/BrowserClient/musubi/trail.js";
import { fakeHistory } from "./support/document.mjs";

const entry = (key) => ({ key, url: `/${key}` });

test("the history gets one entry for each screen and dialog, and loses it again", async () => {
  const window = fakeHistory("/0");
  const trail = createTrail({ returned: () => {}, shown: () => "0" }, window);
  await trail.follow("s", [entry("0")]);
  window.scrollY = 70;
  await trail.follow("s", [entry("0"), entry("1"), entry("ask of 1")]);
  assert.deepEqual(window.urls(), ["/0", "/1", "/ask of 1"]);

  await trail.follow("s", [entry("0")]);

  assert.equal(window.location.href, "/0");
  assert.equal(trail.scrollTop(), 70);
});

test("another screen at the same depth takes the entry's place", async () => {
  const window = fakeHistory("/0");
  const trail = createTrail({ returned: () => {}, shown: () => "0" }, window);
  await trail.follow("s", [entry("0"), entry("1")]);
  await trail.follow("s", [entry("0"), entry("2")]);
  assert.deepEqual(window.urls(), ["/0", "/2"]);
});

test("an entry that the browser does not leave gets the address of the screen that it shows", async () => {
  const window = fakeHistory("/0");
  const trail = createTrail({ returned: () => {}, shown: () => "0" }, window);
  await trail.follow("s", [entry("0"), entry("1")]);
  window.history.go = () => {};
  window.setTimeout = (run) => run();
  await trail.follow("s", [entry("0")]);
  assert.equal(window.location.href, "/0");
  assert.deepEqual(window.history.state.musubi, ["s", "0"]);
});

test("going back tells the open screens, going forward to a closed one loads the page", async () => {
  const window = fakeHistory("/0");
  const told = [];
  const trail = createTrail({ returned: (keys) => told.push(keys), shown: () => "0" }, window);
  await trail.follow("s", [entry("0"), entry("1"), entry("2")]);

  window.travel(-2);
  assert.deepEqual(told, [["0"]]);
  await trail.follow("s", [entry("0")]);
  window.travel(1);

  assert.equal(window.reloads, 1);
  assert.equal(window.location.href, "/1");
});

test("what the server still says of the screens does not lead away from an address that is being loaded", async () => {
  const window = fakeHistory("/0");
  const trail = createTrail({ returned: () => {}, shown: () => "0" }, window);
  await trail.follow("s", [entry("0"), entry("1")]);
  window.travel(-1);
  await trail.follow("s", [entry("0")]);
  window.travel(1);

  // The server has closed the screen, and says so while the browser loads the page.
  const waits = trail.follow("s", [entry("0")]);
  await Promise.race([waits, new Promise((run) => setTimeout(run, 20))]);

  assert.deepEqual([window.reloads, window.location.href], [1, "/1"]);
});

test("whoever has gone back from a reloaded screen before the page listens has left it", async () => {
  const window = fakeHistory("/0");
  const others = { returned: () => {}, shown: () => "0" };
  await createTrail(others, window).follow("s", [entry("0"), entry("1"), entry("2")]);
  window.travel(-1);
  const told = [];
  const reloaded = createTrail({ returned: (keys) => told.push(keys), shown: () => "2" }, window);

  await reloaded.follow("s", [entry("0"), entry("1"), entry("2")]);
  await reloaded.follow("s", [entry("0"), entry("1"), entry("2"), entry("3")]);

  assert.deepEqual(told, [["0", "1"]]);
});

test("a screen that opens while the page is reloaded is gone to", async () => {
  const window = fakeHistory("/0");
  await createTrail({ returned: () => {}, shown: () => "0" }, window).follow("s", [entry("0")]);
  const told = [];
  const reloaded = createTrail({ returned: (keys) => told.push(keys), shown: () => "0" }, window);

  await reloaded.follow("s", [entry("0"), entry("1")]);

  assert.deepEqual([told, window.location.href], [[], "/1"]);
});

test("forward to a closed dialog goes back again", async () => {
  const window = fakeHistory("/0");
  const trail = createTrail({ returned: () => {}, shown: () => "0" }, window);
  await trail.follow("s", [entry("0"), entry("ask of 0")]);
  window.travel(-1);
  await trail.follow("s", [entry("0")]);
  window.travel(1);
  await trail.follow("s", [entry("0")]);
  assert.deepEqual([window.reloads, window.location.href], [0, "/0"]);
});
