// SPDX-License-Identifier: Apache-2.0
// Lists to choose from whose options are rows: which one a browser chooses by itself, and which one the server has.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as attr from "../../Sources/BrowserClient/musubi/outlets/attr.js";
import * as each from "../../Sources/BrowserClient/musubi/outlets/each.js";
import * as value from "../../Sources/BrowserClient/musubi/outlets/value.js";
import { recovery } from "../../Sources/BrowserClient/musubi/musubi-more.js";
import { attachAll } from "../../Sources/BrowserClient/musubi/page.js";
import { fakeDocument } from "./support/document.mjs";
import { page } from "./support/typing.mjs";

/** A `<select>` that always has one of its options chosen, as HTML's algorithm does it, until a script chooses none. */
function fakeSelect(document, ...children) {
  const select = Object.assign(document.element("select", { "data-bind-value": "size" }, children), { type: "select-one" });
  let chosen;
  const options = () => select.children.filter(({ localName }) => localName === "option");
  const reset = () => {
    if (!options().includes(chosen)) [chosen] = options();
  };
  const { insertBefore } = select;
  select.insertBefore = (option, next) => {
    insertBefore(option, next);
    const { remove } = option;
    option.remove = () => {
      remove();
      reset();
    };
    reset();
  };
  select.moveBefore = select.insertBefore;
  Object.defineProperty(select, "value", {
    get: () => chosen?.getAttribute("value") ?? "",
    set: (value) => (chosen = options().find((option) => option.getAttribute("value") === value)),
  });
  return select;
}

/** A `<select multiple>`: its value is that of its first chosen option, and whoever writes it chooses that one alone. */
function fakeSeveral(document, ...children) {
  const select = Object.assign(document.element("select", { "data-bind-value": "size" }, children), { type: "select-multiple" });
  const { insertBefore } = select;
  select.insertBefore = select.moveBefore = (option, next) => {
    insertBefore(option, next);
    Object.defineProperty(option, "value", { configurable: true, get: () => option.getAttribute("value") });
  };
  const options = () => select.children.filter(({ localName }) => localName === "option");
  Object.defineProperty(select, "options", { get: options });
  Object.defineProperty(select, "selectedOptions", { get: () => options().filter(({ selected }) => selected) });
  Object.defineProperty(select, "value", {
    get: () => select.selectedOptions[0]?.value ?? "",
    set: (value) => options().forEach((option) => (option.selected = option.value === value)),
  });
  return select;
}

/** A page with such a list; `show` is the server's state, with the options of these ids. */
function choice(context, fake = fakeSelect) {
  context.mock.timers.enable({ apis: ["setInterval"] });
  const document = fakeDocument();
  const template = document.element("template", { "data-bind-each": "sizes" }, [document.element("option", { "data-bind-attr-value": "id" })]);
  const select = fake(document, template);
  document.body.append(select);
  const it = page();
  it.context.isQueueing = true;
  it.session.help(recovery);
  const outlets = { "bind-each": each.attach, "bind-value": value.attach, "bind-attr-": attr.attach };
  it.context.attach = (root, own) => attachAll(root, own, outlets);
  it.start();
  const leave = it.context.attach(select, it.context);
  return {
    select,
    template,
    leave,
    inputs: () => it.context.inputs.map(({ value }) => value),
    show: (size, ...ids) => it.watchers.show({ size, sizes: ids.map((id) => ({ id })) }),
    fire: (type) => it.context.fire(select, type),
    choose(value) {
      it.context.fire(select, "pointerdown");
      select.value = value;
      it.context.fire(select, "change");
    },
    acknowledge: () => it.session.receive({ ack: it.session.queue.last() }),
    pause: () => context.mock.timers.tick(1_000),
  };
}

test("a list whose options come behind its value shows that value", (context) => {
  const it = choice(context);
  it.show("b");

  it.show("b", "a", "b", "c");

  assert.equal(it.select.value, "b");
  it.fire("focus");
  assert.equal(it.select.value, "b");
  assert.deepEqual(it.inputs(), []);
});

test("a list shows the server's value again when its option comes back, and none while there is no such option", (context) => {
  const it = choice(context);
  it.show("c", "a", "b", "c");

  it.show("c", "a", "b");
  assert.equal(it.select.value, "");
  it.show("c", "a", "b", "c");

  assert.equal(it.select.value, "c");
});

test("what somebody has chosen stays chosen while other options come, until the server has answered", (context) => {
  const it = choice(context);
  it.show("a", "a", "b", "c");
  it.choose("c");

  it.show("a", "a", "b");
  it.show("a", "a", "b", "c", "d");
  assert.equal(it.select.value, "c");
  it.acknowledge();
  it.show("c", "a", "b", "c", "d");
  assert.equal(it.select.value, "c");

  // One that the server does not take.
  it.choose("d");
  it.acknowledge();
  it.pause();
  it.show("c", "c", "d");
  assert.deepEqual([it.select.value, it.inputs()], ["c", ["c", "d"]]);
});

test("of several that somebody has chosen the others stay chosen when the first one goes before the server has answered", (context) => {
  const it = choice(context, fakeSeveral);
  it.show([], "a", "b", "c");
  it.fire("pointerdown");
  for (const option of it.select.options) option.selected = true;
  it.fire("change");
  it.fire("blur");

  it.show([], "b", "c");
  it.fire("focus");

  assert.deepEqual(it.inputs(), [["a", "b", "c"]]);
  assert.deepEqual(it.select.selectedOptions.map(({ value }) => value), ["b", "c"]);
});

test("a list that is open is left alone until the person has done with it", (context) => {
  const it = choice(context);
  it.show("a", "a", "b");
  it.fire("pointerdown");

  it.show("c", "b", "c");
  assert.equal(it.select.value, "b");
  it.fire("blur");

  assert.equal(it.select.value, "c");
});

test("a list that has gone does nothing to its options", (context) => {
  const it = choice(context);
  it.show("b", "a", "b");

  it.leave();

  assert.deepEqual(it.template.lifts, []);
});
