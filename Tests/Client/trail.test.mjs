// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import * as back from "../../Sources/BrowserClient/musubi/outlets/back.js";
import * as query from "../../Sources/BrowserClient/musubi/outlets/query.js";
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

test("the browser scrolls a page that is loaded again, and no screen that comes back", async () => {
  const window = fakeHistory("/0");
  const trail = createTrail({ returned: () => {}, shown: () => "0" }, window);
  await trail.follow("s", [entry("0")]);
  assert.equal(window.history.scrollRestoration, "manual");
  window.dispatch("pagehide");
  assert.equal(window.history.scrollRestoration, "auto");
  // The browser had kept the page.
  await trail.follow("s", [entry("0"), entry("1")]);
  assert.equal(window.history.scrollRestoration, "manual");
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

test("a link to a place inside of a further screen makes an entry of that screen: Back and what opens next know it", async () => {
  const window = fakeHistory("/0");
  const told = [];
  const trail = createTrail({ returned: (keys) => told.push(keys), shown: () => "1" }, window);
  const follow = (link) => {
    window.history.pushState(null, "", link);
    window.travel(0);
  };
  await trail.follow("s", [entry("0"), entry("1")]);
  follow("/1#foot");
  follow("/1#head");
  assert.deepEqual(window.history.state, { musubi: ["s", "0", "1"], query: {}, depth: 2 });

  await trail.follow("s", [entry("0"), entry("1"), entry("2")]);
  assert.deepEqual(window.urls(), ["/0", "/1", "/1#foot", "/1#head", "/2"]);
  window.travel(-1);
  assert.deepEqual(told, [["0", "1"]]);
  await trail.follow("s", [entry("0"), entry("1")]);
  assert.equal(window.location.href, "/1#head");

  // A browser that tells nothing of such links.
  window.history.pushState(null, "", "/1#more");
  await trail.follow("s", [entry("0")]);
  assert.deepEqual([window.location.href, window.reloads], ["/0", 0]);
});

/** The page's own history and address, for what takes them from the browser. */
function useWindow(context, window) {
  const names = { history: window.history, location: window.location, addEventListener: window.addEventListener, document: {} };
  const before = Object.fromEntries(Object.keys(names).map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)]));
  for (const name in names) Object.defineProperty(globalThis, name, { value: names[name], configurable: true, writable: true });
  context.after(() => {
    for (const name in before) before[name] ? Object.defineProperty(globalThis, name, before[name]) : delete globalThis[name];
  });
}

test("data-back leaves a screen in one step, behind links to places inside of it as well", async (context) => {
  const window = fakeHistory("/0");
  useWindow(context, window);
  await createTrail({ returned: () => {}, shown: () => "1" }, window).follow("s", [entry("0"), entry("1")]);
  for (const place of ["#foot", "#head"]) {
    window.history.pushState(null, "", `/1${place}`);
    window.travel(0);
  }
  window.history.pushState(null, "", "/1#untold");
  let click;
  back.attach({}, { listen: (_, __, handle) => (click = handle) }, { argument: "" });
  const steps = [];
  window.history.go = (delta) => steps.push(delta);
  let prevented = 0;

  click({ preventDefault: () => (prevented += 1) });

  assert.deepEqual([steps, prevented], [[-4], 1]);
});

/** A page whose address has `?page=`, of which each value makes an entry of the history. */
function addressPage(context) {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const window = fakeHistory("http://here/list?page=1");
  Object.defineProperties(window.location, { pathname: { get: () => "/list" }, search: { get: () => new URL(window.location.href).search } });
  useWindow(context, window);
  document.createElement = () => ({});
  document.documentElement = { hasAttribute: () => false };
  const asked = [];
  let show;
  const own = {
    shown: { path: "/list", screen: 0, first: {} },
    text: () => undefined,
    watch(_, run) {
      show = run;
      return () => {};
    },
    whenReady: (run) => run(),
    input: (_, __, ___, value) => asked.push(value),
  };
  const stop = query.attach({}, own, { argument: "-push", name: "page" });
  const tell = (value) => {
    show(value);
    context.mock.timers.tick(1_000);
  };
  return { window, asked, show, tell, stop };
}

test("Back to an entry of such a link asks for the value that it had, and not for the text in its address", (context) => {
  const { window, asked, show, tell, stop } = addressPage(context);
  tell(1);
  tell(2);
  window.history.pushState(null, "", `${window.location.href}#foot`);
  window.travel(0);
  tell(3);
  // The link is followed before the address has the newest value.
  show(4);
  window.history.pushState(null, "", `${window.location.href}#head`);
  window.travel(0);
  context.mock.timers.tick(1_000);
  assert.deepEqual([asked, window.history.state.query], [[], { page: 4 }]);
  window.travel(-2);

  stop();

  assert.deepEqual([asked, window.history.state], [[2], { query: { page: 2 }, depth: 2 }]);
});

test("Back to an entry that the page came with, and had not written yet, asks for the value of its address", (context) => {
  const { window, asked, show, stop } = addressPage(context);
  show(1);
  // Somebody chooses before the page has written its first value.
  show(2);
  context.mock.timers.tick(1_000);
  assert.equal(new URL(window.location.href).search, "?page=2");
  window.travel(-1);

  stop();

  assert.deepEqual([asked, window.history.state], [["1"], null]);
});
