// SPDX-License-Identifier: Apache-2.0
// The hand-over of a page whose session is gone: Wire.md, Handing over.
import assert from "node:assert/strict";
import test from "node:test";
import * as recovery from "../../Sources/BrowserClient/musubi/recovery.js";
import { createSession } from "../../Sources/BrowserClient/musubi/session.js";

const hello = (session, more = {}) => ({ hello: { protocol: 1, session, token: `t${session}`, visitor: "anonymous", schema: "1", heartbeat: 20, ...more } });
const gone = { error: { code: "session-unknown", message: "gone" } };
const state = { "text": "ab", "text.field": "ab", "untouched": "u", "untouched.field": "u", "color": "red", "size": 1, "sizes": [1] };
const snapshot = (more = {}) => ({ snapshot: state, epoch: "E", sequence: 7, revisions: { text: 3, untouched: 0 }, lineage: [["D", 9]], ...more });

/** A page with a session; `sent` are the frames since the last look. */
function createPage(saved) {
  const page = { frames: [], left: [], lost: [], state: undefined };
  const listeners = {
    send: (frame) => page.frames.push(JSON.parse(JSON.stringify(frame))),
    state: (_, state) => (page.state = state),
    left: (...left) => page.left.push(left),
    lost: (taps) => page.lost.push(taps),
    moves: () => false,
    changed: () => false,
    recover: (use) => use(recovery),
  };
  page.session = createSession(new Proxy({}, { get: (_, name) => listeners[name] ?? (() => {}) }), saved);
  page.session.help(recovery);
  page.receive = (...frames) => frames.forEach(page.session.receive);
  page.sent = () => page.frames.splice(0);
  return page;
}

/** A page that was live, and whose connection has come back. */
function returned(saved) {
  const page = createPage(saved);
  page.session.open();
  if (!saved) page.receive(hello("A"), snapshot());
  return page;
}

test("a page hands over its texts that somebody has changed, and the choices that its person has made", () => {
  const page = returned();
  page.session.input("typed", { name: "size", value: 2 });
  page.session.input("typed", { name: "only an input", value: 2 });
  page.session.input("typed", { name: "sizes", value: [2], row: "1" });
  page.session.input("typed", { name: "color", value: "blue" });
  page.session.flush();
  page.receive({ ack: 4 }, { sequence: 8, patch: [{ op: "replace", path: "/size", value: 2 }, { op: "replace", path: "/color", value: "green" }] });
  page.session.open();
  page.sent();

  page.receive(gone, hello("B"));

  assert.deepEqual(page.sent(), [
    { handOver: { name: "text", value: "ab" } },
    { handOver: { name: "size", value: 2 } },
    { handOver: { name: "color", value: "green" } },
    { handOver: { position: ["E", 8], lineage: [["D", 9]] } },
  ]);
});

test("frames before the answer are void, and typing goes on top under its number", () => {
  const page = returned();
  page.session.edit("text", [[2, 0, "c"]]);
  page.session.input("tap", { name: "roll" });
  page.session.flush();
  page.session.open();
  page.sent();

  page.receive(gone, hello("B"), { ...snapshot(), snapshot: {}, epoch: "F", sequence: 0 });
  assert.deepEqual([page.session.identity(), page.session.text("text").text()], ["A", "abc"]);
  assert.equal(page.session.open().resume.session, "A", "a lost connection asks for the old session again");
  page.receive(gone, hello("C"));
  page.sent();
  page.receive({ handedOver: [] }, snapshot({ epoch: "F", sequence: 1, revisions: { text: 1, untouched: 0 } }));

  assert.equal(page.session.identity(), "C");
  assert.deepEqual(page.lost, [1]);
  assert.deepEqual(page.sent(), [{ input: 1, name: "text", revision: 1, edits: [[2, 0, "c"]] }]);
  assert.deepEqual(page.left, []);
});

test("what the session before has taken is not sent again", () => {
  const page = returned();
  for (const letter of ["c", "d"]) {
    page.session.edit("text", [[2, 0, letter]]);
    page.session.flush();
  }
  page.session.open();
  page.receive(gone, hello("B"));
  page.sent();

  page.receive({ handedOver: [], ack: 1 }, snapshot({ snapshot: { ...state, "text.field": "abc" }, sequence: 8, revisions: { text: 4, untouched: 0 } }));

  assert.equal(page.session.text("text").text(), "abdc");
  assert.deepEqual(page.sent(), [{ input: 2, name: "text", revision: 4, edits: [[2, 0, "d"]] }]);
});

test("a text that gives way to another one is offered, and one that does not differ is not", () => {
  const page = returned();
  page.session.edit("text", [[2, 0, "c"]]);
  page.session.open();
  page.receive(gone, hello("B"));

  page.receive({ handedOver: ["text", "color"] }, snapshot({ snapshot: { ...state, "text.field": "other" }, epoch: "F" }));

  assert.deepEqual(page.left, [["abc", "given-up"]]);
  page.receive(snapshot({ epoch: "F", sequence: 9 }));
  assert.equal(page.left.length, 1, "told once");
});

test("a reloaded page hands over the values that it had left", () => {
  const before = returned();
  before.session.input("typed", { name: "size", value: 2 });
  before.session.flush();
  before.receive({ ack: 1 });
  const page = returned(JSON.parse(JSON.stringify(before.session.save())));

  page.receive(gone, hello("B"));

  assert.deepEqual(page.sent(), [
    { handOver: { name: "text", value: "ab" } },
    { handOver: { name: "size", value: 2 } },
    { handOver: { position: ["E", 7], lineage: [["D", 9]] } },
  ]);
});

test("a long text is cut into pieces that fit, and no character in two", () => {
  for (const [limits, most] of [[undefined, 16_384], [{ frame: 2_048, text: 262_144 }, 2_048]]) {
    const text = "\u0001".repeat(2_599) + "😀".repeat(9_000);
    const page = createPage();
    page.session.open();
    page.receive(hello("A"), snapshot({ snapshot: { ...state, "text.field": text } }));
    page.session.open();

    page.receive(gone, hello("B", limits && { limits }));

    const frames = page.sent();
    assert.equal(frames.slice(0, -1).map(({ handOver }) => handOver.value).join(""), text);
    for (const frame of frames) {
      const json = JSON.stringify(frame);
      assert.ok(new TextEncoder().encode(json).length <= most, `${json.length}`);
      assert.ok(json.isWellFormed?.() !== false && !/\\ud8/.test(json), "a surrogate alone");
    }
  }
});

test("a page with nothing to hand over goes on with the first snapshot", () => {
  const page = createPage();
  page.session.open();
  page.receive(hello("A"), snapshot({ revisions: { text: 0 } }));
  page.session.open();

  page.receive(gone, hello("B"), snapshot({ epoch: "F", sequence: 0, revisions: { text: 0 } }));

  assert.deepEqual([page.sent(), page.session.identity()], [[], "B"]);
});
