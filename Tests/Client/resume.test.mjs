// SPDX-License-Identifier: Apache-2.0
// How a page comes back to its session, frame by frame: Wire.md, Resuming.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as recovery from "../../Sources/BrowserClient/musubi/recovery.js";
import { createSession } from "../../Sources/BrowserClient/musubi/session.js";

const hello = (session) => ({ hello: { session, token: `t${session}`, visitor: "anonymous", protocol: 1 } });
const resumed = (more) => ({ resumed: { session: "A", token: "tA", visitor: "anonymous", ack: 0, turns: 0, ...more } });
const snapshot = (sequence, more = {}) => ({ snapshot: { count: sequence }, epoch: "E", sequence, ...more });
const turn = (sequence) => ({ sequence, patch: [{ op: "replace", path: "/count", value: sequence }] });
const two = [{ screen: 0, name: "list", path: "/" }, { screen: 1, name: "entry", path: "/1" }];

/** A page whose frames and calls can be looked at; the second file comes when `page.helped` is called. */
function createPage() {
  const page = { frames: [], calls: [], states: [], uses: [] };
  const notify = {
    send: (frame) => page.frames.push(frame) > 0,
    state: (screen, { count }) => page.states.push([screen, count]),
    recover: (use) => page.uses.push(use),
    moves: () => false,
  };
  for (const name of ["live", "screens", "acknowledged", "broken", "problem"]) {
    notify[name] = (...values) => void page.calls.push([name, ...values]);
  }
  page.session = createSession(new Proxy(notify, { get: (target, name) => target[name] ?? (() => {}) }));
  page.receive = (...frames) => frames.forEach(page.session.receive);
  page.helped = () => page.uses.splice(0).forEach((use) => use(recovery));
  /** What the page has sent, and what it was told, since the last look. */
  page.news = () => [page.frames.splice(0), page.calls.splice(0)];
  return page;
}

/** A page that was live, with a tap that waits; with two screens it has the second file. */
function returning(...screens) {
  const page = createPage();
  page.session.open();
  page.receive(hello("A"), snapshot(0), ...screens);
  page.helped();
  page.session.open();
  page.session.input("tap", { name: "next" });
  page.session.flush();
  page.news();
  return page;
}

/** The same with two screens. */
const returningToTwo = () => returning({ screens: two }, snapshot(0, { screen: 1 }));

test("a page is told up to which input the server has come", () => {
  const page = createPage();
  page.session.open();
  page.receive(hello("A"), snapshot(0));
  page.session.input("tap", { name: "next" });
  page.session.flush();
  page.news();

  page.receive({ ack: 1 });

  assert.deepEqual(page.news(), [[], [["acknowledged", 1]]]);
});

test("a page of several screens sends nothing before it knows which of them are left, and all turns of the first", () => {
  const page = returningToTwo();

  page.receive(resumed({ turns: 1 }));
  assert.deepEqual(page.news(), [[{ ping: 0 }], [["acknowledged", 0]]]);
  page.receive({ screens: two }, snapshot(0, { screen: 1 }));
  assert.deepEqual(page.news(), [[], [["screens", two]]]);
  page.receive({ pong: 0 });
  assert.deepEqual(page.news(), [[], [["screens", two]]]);

  page.receive(turn(1));
  assert.deepEqual(page.news(), [[{ input: 1, name: "next" }], [["live"]]]);
});

test("a page of several screens waits for those that are left, whatever its first screen has missed", () => {
  const page = returningToTwo();

  page.receive(resumed(), turn(1));
  assert.deepEqual(page.news(), [[{ ping: 0 }], [["acknowledged", 0]]]);

  page.receive({ pong: 0 });
  assert.deepEqual(page.news(), [[{ input: 1, name: "next" }], [["screens", []], ["live"]]]);
  // The server has closed the second one: its turns are of no screen.
  page.receive({ ...turn(1), screen: 1 });
  assert.deepEqual([page.states.at(-1), page.news()], [[0, 1], [[], []]]);
});

test("a connection that ends before the answer leaves nothing to wait for", () => {
  const page = returningToTwo();
  page.receive(resumed());
  page.session.open();
  page.news();

  page.receive({ error: { code: "session-unknown", message: "" } }, hello("B"), snapshot(5));
  page.helped();

  assert.deepEqual(page.news()[1].map(([name]) => name), ["problem", "acknowledged", "screens", "live"]);
});

test("frames that need the second file wait for it, in order, and with them all behind", () => {
  const page = returning();

  page.receive({ error: { code: "session-unknown", message: "" } }, hello("B"), snapshot(5), turn(6));
  assert.deepEqual([page.news(), page.uses.length], [[[], []], 1]);
  page.helped();

  assert.deepEqual(page.states.slice(-2), [[0, 5], [0, 6]]);
  assert.equal(page.session.identity(), "B");
});

test("frames that wait for the second file are gone with their connection", () => {
  const page = returning();
  page.receive({ error: { code: "session-unknown", message: "" } }, hello("B"), snapshot(5));

  page.session.open();
  page.receive(resumed());
  page.helped();

  assert.deepEqual([page.session.identity(), page.states.at(-1)], ["A", [0, 0]]);
  page.receive({ error: { code: "not-allowed", message: "" } });
  assert.deepEqual(page.news()[1].map(([name]) => name), ["acknowledged", "screens", "live", "problem"]);
});

test("what controls of a screen that was left held is forgotten with it, and what the others held is not", () => {
  const page = returningToTwo();
  const place = (screen) => ({ name: "size", value: "large", screen });
  page.receive(resumed(), { screens: two }, { pong: 0 });
  for (const screen of [undefined, 1]) {
    page.session.input("typed", place(screen));
    page.session.queue.tooLong.set(`long,${screen}`, place(screen));
  }

  page.receive({ screens: two.slice(0, 1) });

  const { unsent, chosen } = page.session.save();
  assert.deepEqual([unsent, chosen].map((contents) => contents.map(([, { screen }]) => screen)), [[undefined], [undefined]]);
});

test("a page that is told of several screens waits for the second file, which shows them", () => {
  const page = createPage();
  page.session.open();

  page.receive(hello("A"), snapshot(0), { screens: two }, snapshot(0, { screen: 1 }));
  assert.deepEqual(page.states, [[0, 0]]);
  page.helped();

  assert.deepEqual(page.states, [[0, 0], [1, 0]]);
});
