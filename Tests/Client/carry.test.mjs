// SPDX-License-Identifier: Apache-2.0
// Rows that somebody carries, in a list of a few elements.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { carryTo, lift, pickUp, putBack } from "../../Sources/BrowserClient/musubi/move/carry.js";
import { lists } from "../../Sources/BrowserClient/musubi/move/lists.js";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc");

/** An element of a list: a row, or the template behind the rows. */
function child(id) {
  const own = {
    parentNode: null,
    get isConnected() {
      return own.parentNode !== null;
    },
    get previousElementSibling() {
      return own.parentNode.children[own.parentNode.children.indexOf(own) - 1] ?? null;
    },
    get nextSibling() {
      return own.parentNode.children[own.parentNode.children.indexOf(own) + 1] ?? null;
    },
    hasAttribute: (name) => name === "data-row" && id !== undefined,
    getAttribute: (name) => (name === "data-row" ? id : null),
    setAttribute() {},
    removeAttribute() {},
    querySelectorAll: () => [],
    contains: (other) => other === own,
    focus: () => void (document.activeElement = own),
    getClientRects: () => [],
    before: (other) => own.parentNode.insertBefore(other, own),
    remove() {
      own.parentNode.children.splice(own.parentNode.children.indexOf(own), 1);
      own.parentNode = null;
      if (document.activeElement === own) document.activeElement = document.body;
    },
  };
  return own;
}

/** A long list whose part on the page has these rows, and what the page does with another part. */
function longList(...ids) {
  const parent = {
    children: [],
    insertBefore(row, next) {
      row.parentNode?.children.splice(row.parentNode.children.indexOf(row), 1);
      parent.children.splice(next ? parent.children.indexOf(next) : parent.children.length, 0, row);
      row.parentNode = parent;
    },
  };
  parent.moveBefore = parent.insertBefore;
  const template = child();
  parent.insertBefore(template, null);
  let rows = new Map();
  const show = (...ids) => {
    const values = new Map(ids.map((id) => [id, { id }]));
    const settle = lift(rows, values, { first: Number(ids[0]) - 1, count: 100, rows: ids });
    for (const [key, { element }] of rows) if (!values.has(key)) element.remove();
    rows = new Map([...values.keys()].map((key) => [key, rows.get(key) ?? { element: child(key), value: { id: key } }]));
    for (const { element } of rows.values()) parent.insertBefore(element, template);
    settle();
  };
  show(...ids);
  const list = { template, context: {}, name: "move" };
  lists.add(list);
  return { list, show, row: (id) => rows.get(id)?.element };
}

/** A page in which nothing has the focus. */
function page(context) {
  const { document } = globalThis;
  context.after(() => Object.assign(globalThis, { document }));
  globalThis.document = { body: {}, activeElement: null };
}

/** A long list of whose first rows somebody carries one so far that its part on the page has no place for it. */
function carriedFar() {
  const it = longList("1", "2", "3", "4");
  it.row("1").focus();
  pickUp(it.list, it.row("1"));
  carryTo({ list: it.list, before: "4" });
  it.show("3", "4", "5", "6");
  carryTo({ list: it.list, before: "6" });
  return it;
}

test("who puts a row back whose place the page no longer has goes on from where it was carried to", (context) => {
  page(context);
  const { show } = carriedFar();
  const focused = () => document.activeElement.getAttribute?.("data-row");
  assert.equal(focused(), "1");

  putBack();
  assert.equal(focused(), "6");
  show("3", "4", "5", "6");

  assert.equal(focused(), "6");
});

test("nothing remembers a row that was put back for a list that was closed since", async (context) => {
  page(context);
  const carried = () => {
    const { list, row } = carriedFar();
    const carried = new WeakRef(row("1"));
    putBack();
    lists.delete(list);
    document.activeElement = null;
    return carried;
  };
  const row = carried();

  // Another list of the page changes.
  longList("1", "2").show("2", "3");
  await new Promise((run) => setTimeout(run));
  collectGarbage();

  assert.equal(row.deref(), undefined);
});
