// SPDX-License-Identifier: Apache-2.0
// Lists, radio buttons and dates whose name is a two-way text: a choice is a value as a whole, and no edit.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as checked from "../../Sources/BrowserClient/musubi/outlets/checked.js";
import * as value from "../../Sources/BrowserClient/musubi/outlets/value.js";
import { createWatchers } from "../../Sources/BrowserClient/musubi/page.js";
import { recovery } from "../../Sources/BrowserClient/musubi/musubi-more.js";
import { createSession } from "../../Sources/BrowserClient/musubi/session.js";
import { fakeContext, fakeElement } from "./support/dom.mjs";

/** @type {(type: string, properties?: object) => any} */
const control = (type, properties) =>
  Object.assign(fakeElement(type.startsWith("select") ? "select" : "input"), { type, value: "", ownerDocument: {} }, properties);

const greeting = { session: "s", token: "t", visitor: "anonymous", protocol: 1 };

/** A page whose screen has the two-way text "step" and the outputs "size" and "accepts". */
function choices(test, saved) {
  test.mock.timers.enable({ apis: ["setInterval"] });
  const frames = [];
  const watchers = createWatchers();
  const own = {
    send: (frame) => frames.push(JSON.parse(JSON.stringify(frame))),
    recover: (use) => use(recovery),
    moves: () => false,
    state(_, state) {
      watchers.show(state);
      it.context.ready.splice(0).forEach((run) => run());
    },
  };
  const session = createSession(new Proxy(own, { get: (target, name) => target[name] ?? (() => {}) }), saved);
  session.help(recovery);
  session.open();
  const context = fakeContext(session, watchers);
  context.isQueueing = true;
  let [revision, sequence] = [0, 0];
  const state = { "step": "mixing", "step.field": "mixing", "size": "s", "accepts": false };
  const it = {
    session,
    context,
    sent: () => frames.splice(0),
    snapshot: (more = {}) => ({ snapshot: { ...state, ...more }, epoch: "e", sequence, revisions: { step: revision } }),
    start: () => [{ hello: greeting }, it.snapshot()].forEach(session.receive),
    bind(element, name) {
      value.attach(element, context, { argument: "", name });
      return element;
    },
    choose(element, next) {
      context.fire(element, "pointerdown");
      element.value = next;
      for (const type of ["input", "change"]) context.fire(element, type);
    },
    /** The server has another text: everybody is told the step. */
    turn(edits, ack) {
      if (ack) session.receive({ ack });
      session.receive({ sequence: (sequence += 1), edits: { step: { revision: (revision += 1), steps: [edits] } } });
    },
  };
  return it;
}

test("what two people choose at once is one of the two, and no word of both", (t) => {
  const it = choices(t);
  it.start();
  const list = it.bind(control("select-one"), "step");

  it.choose(list, "glazing");
  it.turn([[0, 6, "wheel"]]);
  assert.equal(list.value, "glazing", "the answer is still to come");
  it.turn([[0, 5, "glazing"]], 1);

  assert.deepEqual(it.sent(), [{ input: 1, name: "step", value: "glazing" }]);
  assert.deepEqual([list.value, it.session.text("step").text()], ["glazing", "glazing"]);
  it.turn([[0, 7, "wheel"]]);
  assert.equal(list.value, "wheel");
});

test("a choice that is taken back before the answer is sent as well", (t) => {
  const it = choices(t);
  it.start();
  const list = it.bind(control("select-one"), "step");

  it.choose(list, "wheel");
  it.choose(list, "mixing");
  it.turn([[0, 6, "wheel"]], 1);
  assert.equal(list.value, "mixing");
  it.turn([[0, 5, "mixing"]], 2);

  assert.deepEqual(it.sent().map((frame) => frame.value), ["wheel", "mixing"]);
  assert.equal(list.value, "mixing");
});

test("what was chosen before the first state is sent", (t) => {
  const it = choices(t);
  const day = it.bind(control("date", { value: "2026-11-30" }), "step");
  it.choose(day, "2026-12-01");

  it.start();

  assert.deepEqual(it.sent(), [{ input: 1, name: "step", value: "2026-12-01" }]);
  assert.equal(day.value, "2026-12-01");
});

test("a page that was reloaded shows the choices that still wait, and sends them once", (t) => {
  const before = choices(t);
  before.start();
  const names = ["step", "size"];
  before.session.open();
  for (const name of names) before.choose(before.bind(control("select-one"), name), "later");
  const ticked = control("checkbox", { checked: false });
  checked.attach(ticked, before.context, { name: "accepts" });
  ticked.checked = true;
  before.context.fire(ticked, "change");
  t.mock.timers.reset();

  const it = choices(t, JSON.parse(JSON.stringify(before.session.save())));
  const lists = names.map((name) => it.bind(control("select-one"), name));
  const box = control("checkbox", { checked: false });
  it.session.receive({ resumed: { ...greeting, ack: 0, own: [] } });
  it.session.receive(it.snapshot());
  checked.attach(box, it.context, { name: "accepts" });
  assert.deepEqual([...lists.map((list) => list.value), box.checked], ["later", "later", true]);
  assert.deepEqual(it.sent().map((frame) => [frame.input, frame.value]), [[1, "later"], [2, "later"], [3, true]]);

  it.session.receive({ ack: 3 });
  it.turn([[0, 6, "later"]]);
  t.mock.timers.tick(1_000);
  assert.deepEqual([...lists.map((list) => list.value), box.checked], ["later", "s", false], "what the server did not take is gone");
});

test("a choice goes to a new session once", (t) => {
  const it = choices(t);
  it.start();
  const list = it.bind(control("select-one"), "step");
  it.turn([[0, 6, "glazing"]]);
  it.choose(list, "wheel");
  it.session.open();
  it.sent();

  it.session.receive({ error: { code: "session-unknown", message: "gone" } });
  it.session.receive({ hello: { ...greeting, session: "new" } });
  it.session.receive({ handedOver: [] });
  it.session.receive(it.snapshot({ "step.field": "glazing" }));

  assert.deepEqual(it.sent(), [
    { handOver: { name: "step", value: "glazing" } },
    { handOver: { position: ["e", 1], lineage: [] } },
    { input: 1, name: "step", value: "wheel" },
  ]);
  assert.equal(list.value, "wheel");
});

test("before the first state an event makes an input, also of a list whose value stays the same", (t) => {
  const it = choices(t);
  const list = it.bind(control("select-one", { value: "m" }), "size");
  const options = ["a", "b"].map((value) => ({ value, selected: value === "a" }));
  const selected = { get: () => options.filter((option) => option.selected) };
  const several = Object.defineProperty(control("select-multiple", { value: "a", options }), "selectedOptions", selected);
  it.bind(several, "meals");
  for (const value of ["l", "m"]) it.choose(list, value);
  options[1].selected = true;
  it.context.fire(several, "change");

  it.start();

  assert.deepEqual(it.sent().map(({ name, value }) => [name, value]), [["size", "m"], ["meals", ["a", "b"]]]);
  assert.equal(list.value, "m");
});
