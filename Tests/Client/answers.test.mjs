// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { openDialog } from "../../Sources/BrowserClient/musubi/dialog.js";
import * as checked from "../../Sources/BrowserClient/musubi/outlets/checked.js";
import * as each from "../../Sources/BrowserClient/musubi/outlets/each.js";
import * as value from "../../Sources/BrowserClient/musubi/outlets/value.js";
import { attachAll } from "../../Sources/BrowserClient/musubi/page.js";
import { createQueue } from "../../Sources/BrowserClient/musubi/queue.js";
import { queueTap, queueValue } from "../../Sources/BrowserClient/musubi/values.js";
import { recovery } from "../../Sources/BrowserClient/musubi/musubi-more.js";
import { fakeDocument } from "./support/document.mjs";
import { fakeElement, fakeField } from "./support/dom.mjs";
import { page } from "./support/typing.mjs";

/** A page of controls whose inputs are queued; `set` is a person's act, `tell` a turn, `pause` passes without an answer. */
function controls(test, state) {
  test.mock.timers.enable({ apis: ["setInterval"] });
  const it = page();
  it.context.isQueueing = true;
  it.session.help(recovery);
  it.start();
  it.watchers.show(state);
  return {
    ...it,
    bind(element) {
      value.attach(element, it.context, { name: "volume" });
      return element;
    },
    set(control, next) {
      Object.assign(control, next);
      if (control.type !== "checkbox") it.context.fire(control, "input");
      it.context.fire(control, "change");
    },
    acknowledge: (ack) => it.session.receive({ ack }),
    tell: (next) => it.watchers.show(next),
    pause: () => test.mock.timers.tick(1_000),
  };
}

/** @type {(type: string, properties?: object) => any} */
const control = (type, properties) =>
  Object.assign(fakeElement(type.startsWith("select") ? "select" : "input"), { type, value: "", ownerDocument: {} }, properties);

test("a handle that is moved on does not go back to where the answers to its earlier places are", (t) => {
  const it = controls(t, { volume: 50 });
  const range = it.bind(control("range"));
  for (const place of ["51", "52", "53"]) it.set(range, { value: place });

  it.acknowledge(1);
  it.tell({ volume: 51 });
  assert.equal(range.value, "53");
  it.acknowledge(3);
  it.tell({ volume: 53 });
  it.pause();

  assert.equal(range.value, "53");
  assert.deepEqual(it.context.inputs.map((input) => input.value), [51, 52, 53]);
});

test("a box that is ticked and unticked stays as the person has left it", (t) => {
  const it = controls(t, { accepts: false });
  const box = control("checkbox", { checked: false });
  checked.attach(box, it.context, { name: "accepts" });
  it.set(box, { checked: true });
  it.set(box, { checked: false });

  it.acknowledge(1);
  it.tell({ accepts: true });
  assert.equal(box.checked, false);
  it.acknowledge(2);
  it.tell({ accepts: false });

  assert.equal(box.checked, false);
});

test("what the server has answered otherwise shows at once", (t) => {
  const it = controls(t, { volume: 50 });
  const range = it.bind(control("range"));
  it.set(range, { value: "99" });

  it.acknowledge(1);
  it.tell({ volume: 80 });

  assert.equal(range.value, "80");
});

test("a value that the screen does not accept gives way to the one that it has", (t) => {
  const it = controls(t, { volume: 9, accepts: false });
  const [range, box] = [it.bind(control("range")), control("checkbox", { checked: false })];
  checked.attach(box, it.context, { name: "accepts" });
  it.set(range, { value: "12" });
  it.set(box, { checked: true });

  it.pause();
  assert.deepEqual([range.value, box.checked], ["12", true], "nothing has been answered");
  it.acknowledge(it.session.queue.last());
  it.pause();

  assert.deepEqual([range.value, box.checked], ["9", false]);
});

test("a value that the screen does not accept gives way, though the person leaves the control as soon as it was answered", (t) => {
  const it = controls(t, { volume: 9 });
  const range = it.bind(control("range"));
  it.set(range, { value: "12" });
  it.acknowledge(it.session.queue.last());

  it.context.fire(range, "blur");
  assert.equal(range.value, "12", "the turn may still come");
  it.pause();

  assert.equal(range.value, "9");
});

test("a control whose name is no output keeps what the person has set", (t) => {
  const it = controls(t, {});
  const [range, box] = [it.bind(control("range")), control("checkbox", { checked: false })];
  checked.attach(box, it.context, { name: "accepts" });
  it.set(range, { value: "12" });
  it.set(box, { checked: true });

  it.acknowledge(it.session.queue.last());
  it.pause();

  assert.deepEqual([range.value, box.checked], ["12", true]);
});

test("whoever goes on typing keeps the text until the field is left", (t) => {
  const it = controls(t, { volume: "abc" });
  const field = it.bind(fakeField());
  field.replace(3, 3, "!");
  it.context.fire(field, "input");

  it.acknowledge(1);
  it.pause();
  assert.equal(field.value, "abc!");
  field.ownerDocument.activeElement = null;
  it.context.fire(field, "blur");

  assert.equal(field.value, "abc");
});

test("a composition is not disturbed by an answer", (t) => {
  const it = controls(t, { volume: "abc" });
  const field = it.bind(fakeField());
  field.ownerDocument.activeElement = null;
  it.context.fire(field, "compositionstart");
  field.replace(3, 3, "に");
  it.context.fire(field, "input");

  it.acknowledge(1);
  it.pause();
  it.tell({ volume: "ABC" });
  assert.equal(field.value, "abcに");
  it.context.fire(field, "compositionend");
  it.context.runLater();

  assert.equal(field.value, "ABC");
});

test("radio buttons of one name wait for the answer together, and go back together", (t) => {
  const it = controls(t, { volume: "a" });
  const documentElement = {};
  const [a, b, c] = ["a", "b", "c"].map((own) =>
    it.bind(control("radio", { value: own, checked: false, ownerDocument: { documentElement } })));
  const choose = (radio) => {
    for (const one of [a, b, c]) one.checked = one === radio;
    it.context.fire(radio, "change");
    it.context.fire(documentElement, "change");
  };
  const chosen = () => [a, b, c].filter((one) => one.checked).map((one) => one.value);

  choose(b);
  choose(c);
  it.acknowledge(1);
  it.tell({ volume: "b" });
  assert.deepEqual(chosen(), ["c"]);
  it.acknowledge(2);
  it.pause();

  assert.deepEqual(chosen(), ["b"]);
});

test("two controls of one name: the one that nobody has touched follows the other one's earlier values", (t) => {
  const it = controls(t, { volume: 1 });
  const [range, number] = [it.bind(control("range")), it.bind(control("number"))];
  it.set(range, { value: "2" });
  it.set(range, { value: "3" });

  it.acknowledge(1);
  it.tell({ volume: 2 });

  assert.deepEqual([range.value, number.value], ["3", "2"]);
});

test("an input that was not queued has no answer to wait for", (t) => {
  const it = controls(t, { volume: 1 });
  const range = it.bind(control("range"));
  it.session.queue.isFull = () => true;

  it.set(range, { value: "2" });
  it.pause();
  assert.equal(range.value, "2");
  it.tell({ volume: 3 });

  assert.equal(range.value, "3");
});

test("a value stays over the loss of its session until the next one has taken it", (t) => {
  const it = controls(t, { volume: 1 });
  const range = it.bind(control("range"));
  it.set(range, { value: "2" });

  it.session.open();
  it.session.receive({ hello: { session: "another", token: "t", protocol: 1 } });
  it.session.receive({ snapshot: { volume: 0 }, epoch: "f", sequence: 0 });
  it.pause();
  assert.equal(range.value, "2");
  it.acknowledge(1);
  it.tell({ volume: 2 });

  assert.equal(range.value, "2");
});

test("a control that has gone asks for nothing any more", (t) => {
  const it = controls(t, { accepts: false });
  const box = control("checkbox", { checked: false });
  const stop = checked.attach(box, it.context, { name: "accepts" });
  it.set(box, { checked: true });

  stop();
  it.acknowledge(it.session.queue.last());
  it.pause();

  assert.equal(box.checked, true);
});

test("a box of a row waits for the answer to its own row", (t) => {
  const it = controls(t, { rows: [{ id: "1", done: false }, { id: "2", done: false }] });
  const document = fakeDocument();
  const template = document.element("template", {}, [document.element("input", { "data-bind-checked": "done" })]);
  document.body.append(template);
  const context = { ...it.context, attach: (root, own) => attachAll(root, own, { "bind-checked": checked.attach }) };
  each.attach(template, context, { name: "rows" });
  const [one, other] = document.body.children;
  Object.assign(one, { type: "checkbox", checked: true });
  it.context.fire(one, "change");

  it.tell({ rows: [{ id: "1", done: false, title: "changed" }, { id: "2", done: true }] });
  assert.deepEqual([one.checked, other.checked], [true, true]);
  it.acknowledge(1);
  it.pause();

  assert.equal(one.checked, false);
});

test("a control of a dialog keeps what the person has set: the question stays as it was asked", (t) => {
  const it = controls(t, {});
  const document = fakeDocument();
  const box = Object.assign(document.element("input", { "data-bind-checked": "withImages" }), { type: "checkbox" });
  const list = Object.assign(document.element("select", { "data-bind-value": "format" }), { type: "select-one", value: "" });
  const template = document.element("template", { "data-bind-each": "pages" }, [document.element("input", { "data-bind-checked": "isIn" })]);
  const dialog = document.element("dialog", {}, [box, list, template]);
  document.body.append(dialog);
  Object.assign(dialog, { showModal() {}, addEventListener() {} });
  const outlets = { "bind-checked": checked.attach, "bind-each": each.attach, "bind-value": value.attach };
  const context = { ...it.context, attach: (root, own) => attachAll(root, own, outlets) };
  const question = { format: "pdf", withImages: false, pages: [{ id: "7", isIn: false }] };
  const shown = openDialog(dialog, context, question, () => {});
  const page = dialog.children.find((child) => child.hasAttribute("data-row"));
  page.type = "checkbox";
  assert.deepEqual([list.value, box.checked, page.checked], ["pdf", false, false]);

  it.set(box, { checked: true });
  it.set(list, { value: "csv" });
  it.set(page, { checked: true });
  it.acknowledge(it.session.queue.last());
  it.pause();
  assert.deepEqual([list.value, box.checked, page.checked], ["csv", true, true]);

  // Asked again, it shows what it asks.
  shown.show({ ...question, format: "txt" });
  assert.deepEqual([list.value, box.checked, page.checked], ["txt", true, true]);
});

test("that a page looks at other rows is no change, and waits once for each list, however far somebody scrolls", () => {
  const queue = createQueue({});
  for (let first = 0; first < 5_000; first += 1) {
    for (const name of ["todo", "done"]) queueValue(queue, { name, value: { first, count: 48, patches: true } });
  }

  assert.deepEqual(queue.entries().map(({ name, value }) => [name, value.first]), [["todo", 4_999], ["done", 4_999]]);
  assert.deepEqual([queue.changes(), queue.isFull()], [0, false]);
  queueValue(queue, { name: "volume", value: 5 });
  assert.equal(queue.changes(), 1);
});

test("a script's value is sent as it was when it was sent, and not at all if no frame holds it", () => {
  const [queue, problems] = [createQueue({}), []];
  const notify = { problem: (code, message) => problems.push([code, message]) };
  const at = { x: 1 };
  for (at.x = 1; at.x <= 3; at.x += 1) queueTap(queue, { name: "move", value: at }, notify);
  assert.deepEqual(queue.entries().map(({ kind, value }) => [kind, value.x]), [["tap", 1], ["tap", 2], ["tap", 3]]);

  // 65,536 bytes with the frame's other members, and one more.
  const value = "茶".repeat(21_831) + "x".repeat(7);
  assert.equal(queueTap(queue, { name: "sign", value: value + "x" }, notify), 0);
  assert.deepEqual(problems, [["too-large", 'The value of "sign" is 1 bytes too long, and was not sent.']]);
  assert.equal(queueTap(queue, { name: "sign", value }, notify), 4);
  assert.deepEqual([queue.entries().length, problems.length], [4, 1]);
});
