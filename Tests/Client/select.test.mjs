// SPDX-License-Identifier: Apache-2.0
// Rows that are selected in several parts of one list.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createWatchers } from "../../Sources/BrowserClient/musubi/page.js";
import { attach } from "../../Sources/BrowserClient/musubi/select/attach.js";

/** A screen whose inputs wait until the server takes them; `sent` are the selections that it is told. */
function screen(context) {
  globalThis.document = { documentElement: { hasAttribute: (name) => name === "data-full" && isFull } };
  context.after(() => delete globalThis.document);
  context.mock.timers.reset();
  context.mock.timers.enable({ apis: ["setInterval"] });
  const { watch, show } = createWatchers();
  let entries = [];
  let isFull = false;
  const own = {
    watch,
    fill: () => void (isFull = true),
    openScreen: () => ({ queue: { entries: () => entries } }),
    input(_element, _kind, name, value) {
      entries.push({ kind: "typed", name, value });
      it.sent.push(value);
    },
  };
  const it = {
    context: own,
    sent: [],
    show,
    /** The server has taken everything. */
    acknowledge: () => void (entries = []),
    part: (name, ...ids) => part(context, own, name, ids),
  };
  return it;
}

/** A part of the list `cards`, with the rows that the page has of it. */
function part(test, context, name, ids) {
  const listeners = {};
  const parentElement = { addEventListener: (type, run) => void (listeners[type] = run), removeEventListener: (type) => void delete listeners[type] };
  let before = null;
  const boxes = new Map();
  for (const id of ids) {
    const row = { previousElementSibling: before, hasAttribute: () => true, getAttribute: () => String(id), querySelectorAll: () => [boxes.get(id)] };
    boxes.set(id, { checked: false, closest: () => row });
    before = row;
  }
  const attributes = { "data-bind-each": "cards", "data-window": name };
  const template = { localName: "template", parentElement, previousElementSibling: before, getAttribute: (name) => attributes[name] ?? null };
  const leave = attach(template, context, { argument: "", name: "selected" });
  test.after(leave);
  return {
    leave,
    listeners,
    tick(id) {
      const box = boxes.get(id);
      box.checked = !box.checked;
      listeners.change({ target: box });
    },
    ticked: () => [...boxes].filter(([, { checked }]) => checked).map(([id]) => id),
  };
}

const rows = (...ids) => ({ count: ids.length, first: 0, rows: ids.map((id) => ({ id })) });
const state = (...selected) => ({ "cards/todo": rows(1, 2), "cards/done": rows(8, 9), selected });

test("a row that is ticked in another part begins from the ticks that the server has not answered yet", (context) => {
  const it = screen(context);
  const [todo, done] = [it.part("todo", 1, 2), it.part("done", 8, 9)];
  it.show(state());

  todo.tick(1);
  done.tick(8);
  assert.deepEqual(it.sent, [[1], [1, 8]]);
  assert.deepEqual([todo.ticked(), done.ticked()], [[1], [8]]);
  // The answer to the first one takes nothing back.
  it.show(state(1));
  assert.deepEqual([todo.ticked(), done.ticked()], [[1], [8]]);

  it.acknowledge();
  it.show(state(1, 8));
  todo.tick(1);
  assert.deepEqual([it.sent.at(-1), todo.ticked(), done.ticked()], [[8], [], [8]]);
});

test("what the server does not take ends in all parts", (context) => {
  const it = screen(context);
  const [todo, done] = [it.part("todo", 1, 2), it.part("done", 8, 9)];
  it.show(state(2));
  todo.tick(1);
  done.tick(8);

  it.acknowledge();
  context.mock.timers.tick(5_000);

  assert.deepEqual([todo.ticked(), done.ticked()], [[2], []]);
});

test("a part that comes later joins in, and one that has left is left alone", (context) => {
  const it = screen(context);
  const todo = it.part("todo", 1, 2);
  it.show(state());
  todo.tick(1);

  const done = it.part("done", 8, 9);
  done.tick(8);
  todo.leave();
  done.tick(9);
  assert.deepEqual([it.sent, todo.ticked(), todo.listeners], [[[1], [1, 8], [1, 8, 9]], [1], {}]);
  done.leave();

  // Nobody waits for an answer any more.
  const again = it.part("done", 8, 9);
  again.tick(9);
  assert.deepEqual([it.sent.at(-1), again.ticked()], [[9], [9]]);
});

test("each row of an outer list has a selection of its own", (context) => {
  const [one, other] = [screen(context), screen(context)];
  const [first, second] = [one.part("todo", 1, 2), other.part("todo", 1, 2)];
  one.show(state());
  other.show(state());

  first.tick(1);
  second.tick(2);

  assert.deepEqual([one.sent, other.sent], [[[1]], [[2]]]);
});

test("while the queue takes nothing, no box can be ticked", (context) => {
  const { part, sent, ...it } = screen(context);
  const list = part("todo", 1, 2);
  it.show(state());
  it.context.fill();

  list.tick(1);

  assert.deepEqual([list.ticked(), sent], [[], []]);
});
