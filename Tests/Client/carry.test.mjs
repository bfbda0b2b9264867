// SPDX-License-Identifier: Apache-2.0
// Rows that somebody carries, in a list of a few elements.
import assert from "node:assert/strict";
import { test } from "node:test";
import { carryTo, lift, pickUp, putBack } from "../../Sources/BrowserClient/musubi/move/carry.js";

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
  return { list: { template, context: {}, name: "move" }, show, row: (id) => rows.get(id)?.element };
}

test("who puts a row back whose place the page no longer has goes on from where it was carried to", (context) => {
  const { document } = globalThis;
  context.after(() => Object.assign(globalThis, { document }));
  globalThis.document = { body: {}, activeElement: null };
  const { list, show, row } = longList("1", "2", "3", "4");
  const focused = () => globalThis.document.activeElement.getAttribute?.("data-row");
  row("1").focus();
  pickUp(list, row("1"));
  carryTo({ list, before: "4" });
  show("3", "4", "5", "6");
  carryTo({ list, before: "6" });
  assert.equal(focused(), "1");

  putBack();
  assert.equal(focused(), "6");
  show("3", "4", "5", "6");

  assert.equal(focused(), "6");
});
