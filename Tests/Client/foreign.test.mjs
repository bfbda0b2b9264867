// SPDX-License-Identifier: Apache-2.0
// Changes of a control behind the client's back: WebKit behind Back, a form's reset, a script, a browser that restores
// a control after a reload. None of them is an edit.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as checked from "../../Sources/BrowserClient/musubi/outlets/checked.js";
import * as typed from "../../Sources/BrowserClient/musubi/outlets/typed.js";
import * as value from "../../Sources/BrowserClient/musubi/outlets/value.js";
import { createListen } from "../../Sources/BrowserClient/musubi/page.js";
import { fakeElement, fakeField } from "./support/dom.mjs";
import { page, typing } from "./support/typing.mjs";

/** A browser that comes back to the page by its cache, and then empties the field as WebKit does. */
function comeBack(it, field = it.field, type = "pageshow", at = field.ownerDocument, empty = () => (field.value = "")) {
  it.context.fire(at, type, type === "pageshow" ? { persisted: true } : {});
  empty();
  it.context.runLater();
}

/** A form tells of its reset before it empties its controls; the event goes up to the page. */
function reset(it, form, controls, empty) {
  for (const control of controls) it.context.fire(control.ownerDocument.documentElement, "reset", { target: form });
  empty();
  it.context.runLater();
}

test("a field that WebKit has emptied behind Back shows its text again, and the next key is an edit of it", () => {
  const it = typing();

  comeBack(it);
  assert.equal(it.field.value, "abc");
  it.type(3, "d");

  assert.deepEqual(it.edits(), [[[3, 0, "d"]]]);
});

test("a page that was loaded, not brought back, is left alone", () => {
  const it = typing();
  it.context.fire(it.field.ownerDocument, "pageshow", { persisted: false });
  const { writes } = it.field;

  it.context.runLater();

  assert.equal(it.field.writes, writes);
});

test("a field that was changed without an event shows its text again when it gets the focus", () => {
  const it = typing();
  it.field.value = "from a script";

  it.context.fire(it.field, "focus");
  assert.equal(it.field.value, "abc");
  it.type(3, "d");

  assert.deepEqual(it.edits(), [[[3, 0, "d"]]]);
});

test("a key in a text that a script has changed is the only edit, and is not written over before it has come", () => {
  for (const [foreign, at, count, key, result] of [["", 0, 0, "d", "abcd"], ["gone", 4, 0, "d", "abcd"], ["gone", 3, 1, "", "abc"]]) {
    const it = typing();
    it.field.value = foreign;
    const { writes } = it.field;

    it.type(at, key, count);
    assert.equal(it.field.writes, writes, "WebKit would lose the key");
    it.context.runLater();

    assert.equal(it.field.value, result);
    assert.equal(it.session.text("number").text(), result);
  }
});

test("somebody else's edit meets the text that is known, not the one that a script has left", () => {
  const it = typing();
  it.field.value = "";

  it.step([[1, 0, "x"]]);

  assert.equal(it.field.value, "axbc");
  assert.deepEqual(it.edits(), []);
});

test("what waits stays, when a field is emptied", () => {
  const it = typing();
  it.type(3, "d");
  comeBack(it);
  assert.equal(it.field.value, "abcd");

  it.type(4, "e");

  assert.equal(it.session.text("number").text(), "abcde");
});

test("autofill, and an extension that dispatches its event, count as typing", () => {
  const it = typing();
  it.field.value = "Ann";
  it.context.fire(it.field, "input");

  assert.equal(it.session.text("number").text(), "Ann");
});

test("a form's reset changes no text, no box, no list and no handle", () => {
  const form = {};
  const it = typing({ field: Object.assign(fakeField(), { form }) });
  const box = Object.assign(fakeElement("input"), { type: "checkbox", checked: false, form });
  const list = Object.assign(fakeElement("select"), { type: "select-one", value: "a", form });
  const radio = Object.assign(fakeElement("input"), { type: "radio", value: "a", checked: false, form });
  checked.attach(box, it.context, { name: "accepts" });
  value.attach(list, it.context, { name: "course" });
  value.attach(radio, it.context, { name: "level" });
  it.watchers.show({ accepts: true, course: "b", level: "a" });
  assert.deepEqual([box.checked, list.value, radio.checked], [true, "b", true]);

  reset(it, form, [it.field, box, list, radio], () => {
    it.field.value = "";
    [box.checked, list.value, radio.checked] = [false, "a", false];
  });

  assert.deepEqual([it.field.value, box.checked, list.value, radio.checked], ["abc", true, "b", true]);
  assert.deepEqual([it.edits(), it.context.inputs], [[], []]);
});

test("a form's reset changes nothing in a row either, whose controls were attached before they were in the form", () => {
  const [form, other] = [{}, {}];
  const it = typing();
  const box = Object.assign(fakeElement("input"), { type: "checkbox", checked: false, form: null });
  checked.attach(box, it.context, { name: "accepts" });
  it.watchers.show({ accepts: true });
  const empty = () => void ([it.field.value, box.checked] = ["", false]);
  it.field.form = box.form = form;

  reset(it, form, [it.field, box], empty);
  assert.deepEqual([it.field.value, box.checked], ["abc", true]);
  const { writes } = it.field;
  reset(it, other, [it.field, box], () => {});

  assert.equal(it.field.writes, writes);
});

test("a person's choice is not chosen again with the server's value behind a reset", () => {
  const form = {};
  const it = page();
  const several = Object.assign(fakeElement("select"), { type: "select-multiple", form, selectedOptions: [] });
  several.options = ["a", "b"].map((value) => ({ value, selected: false }));
  value.attach(several, it.context, { name: "meals" });
  it.start();
  it.watchers.show({ meals: ["a"] });

  it.context.fire(several.ownerDocument.documentElement, "reset", { target: form });
  several.options.forEach((option) => (option.selected = false));
  it.watchers.show({ meals: ["b"] });
  it.context.runLater();

  assert.deepEqual(several.options.map(({ selected }) => selected), [false, true]);
});

test("a control whose name is no two-way text sends the person's change of its value", () => {
  const it = page();
  value.attach(it.field, it.context, { name: "title" });
  it.start();
  it.watchers.show({ title: "shown" });
  it.field.value = "from a script";

  it.context.fire(it.field, "beforeinput");
  it.field.replace(13, 13, "!");
  it.context.fire(it.field, "input");
  assert.deepEqual(it.context.inputs.map((input) => input.value), ["shown!"]);
  assert.equal(it.field.value, "shown!");

  comeBack(it);
  assert.equal(it.field.value, "shown!", "also what the server has not confirmed");
});

test("a control that only sends shows typing again", () => {
  const it = page();
  typed.attach(it.field, it.context, { argument: "input", name: "word" });
  it.field.replace(0, 0, "what");
  it.context.fire(it.field, "input");

  comeBack(it);

  assert.equal(it.field.value, "what");
  assert.equal(it.context.inputs.length, 1);
});

test("a text that a browser restores after a reload, before the first state, nobody has typed", () => {
  for (const name of ["number", "title"]) {
    const it = page();
    value.attach(it.field, it.context, { name });
    it.field.value = "restored";

    it.start();
    it.watchers.show({ title: "abc" });

    assert.equal(it.field.value, "abc", name);
    assert.deepEqual([it.sent.filter(({ edits }) => edits), it.context.inputs], [[], []], name);
  }
});

test("of restored and typed text before the first state only the typed is an edit", () => {
  const it = page({ initial: "restored" });
  value.attach(it.field, it.context, { name: "number" });
  it.field.value = "restored";
  it.context.fire(it.field, "beforeinput");
  it.field.replace(8, 8, "!");
  it.context.fire(it.field, "input");
  it.field.value = "";

  it.start();

  assert.equal(it.field.value, "restored!");
  assert.equal(it.session.text("number").text(), "restored!");
});

test("a text that was changed without an event is put right behind a composition, not within it", () => {
  const it = typing();
  it.field.value = "";
  const { writes } = it.field;
  it.context.fire(it.field, "compositionstart");
  it.type(0, "に");
  it.context.fire(it.field, "beforeinput");
  it.type(0, "日", 1);
  assert.equal(it.field.writes, writes);

  it.context.fire(it.field, "compositionend");
  it.context.runLater();

  assert.equal(it.field.value.replace("日", ""), "abc");
  assert.equal(it.session.text("number").text(), it.field.value);
});

test("a composition that is sent as a whole is no change without an event", () => {
  const it = typing({ field: fakeField({ "data-compose": "final" }) });
  it.context.fire(it.field, "compositionstart");
  it.type(3, "日本");
  it.context.fire(it.field, "compositionend");
  it.context.fire(it.field, "beforeinput");
  assert.equal(it.field.value, "abc日本", "the composition has not been read yet");
  it.type(5, "!");
  it.context.runLater();

  assert.equal(it.session.text("number").text(), "abc日本!");
});

test("undo takes back one's own edits of before a field was emptied", () => {
  const it = typing();
  it.type(3, "d");
  comeBack(it);

  it.context.fire(it.field, "keydown", { key: "z", ctrlKey: true });

  assert.equal(it.field.value, "abc");
  assert.equal(it.session.text("number").text(), "abc");
});

test("a listener at the window hears what happens to the window alone, at its document", () => {
  const handlers = new Map();
  const heard = [];
  const document = { parentElement: null };
  const listen = createListen({ addEventListener: (type, run) => handlers.set(type, run) });
  listen("pageshow", document, ({ persisted }) => heard.push(persisted));

  handlers.get("pageshow")({ target: document, bubbles: true, persisted: true });

  assert.deepEqual(heard, [true]);
});
