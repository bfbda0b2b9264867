// SPDX-License-Identifier: Apache-2.0
// Rows that somebody carries, in a list of a few elements.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { learn } from "../../Sources/BrowserClient/musubi/further-words.js";
import { carryTo, current, drop, lift, pickUp, putBack } from "../../Sources/BrowserClient/musubi/move/carry.js";
import { cancel } from "../../Sources/BrowserClient/musubi/move/keys.js";
import { lists } from "../../Sources/BrowserClient/musubi/move/lists.js";
import { sentences, tell } from "../../Sources/BrowserClient/musubi/move/tell.js";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc");

/** An element of a list: a row, or the template behind the rows. */
function child(id) {
  const own = {
    parentNode: null,
    get isConnected() {
      return own.parentNode !== null;
    },
    get parentElement() {
      return own.parentNode;
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

/** A long list of 100 rows whose part on the page has these rows, and what the page does with another part. */
function longList(...ids) {
  const parent = {
    children: [],
    getAttribute: () => null,
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
    template.told = { first: Number(ids[0]) - 1, count: 100, rows: ids };
    const settle = lift(rows, values, template.told);
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

/** A page in which nothing has the focus; `said` is what a screen reader has been told last. */
function page(context) {
  const { document } = globalThis;
  context.after(() => Object.assign(globalThis, { document }));
  const live = {};
  const getElementById = (id) => (id === "musubi-moves" ? live : null);
  globalThis.document = { body: {}, activeElement: null, documentElement: { lang: "en" }, getElementById };
  learn({}, {}, { text: (name, count) => sentences[name].en.replace("{}", count) });
  return { said: () => live.textContent };
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

/** What is said when a row is carried in front of another one. */
function carry(it, list, before) {
  carryTo({ list, before });
  tell("move-at", current());
  return it.said();
}

test("who carries a row of a long list hears its place in the whole list", (context) => {
  const it = page(context);
  const { list, show, row } = longList("50", "51", "52", "53");
  pickUp(list, row("50"));
  tell("move-at", current());
  assert.equal(it.said(), "Place 50 of 100.");
  assert.equal(carry(it, list, "53"), "Place 52 of 100.");

  // The page's part of the list goes on, and the row with it.
  show("52", "53", "54", "55");
  assert.equal(carry(it, list, "55"), "Place 54 of 100.");
  cancel();
  assert.equal(it.said(), "Put back, place 50 of 100.");

  pickUp(list, row("55"));
  carryTo({ list, before: "53" });
  show("50", "51", "52", "53");
  assert.equal(carry(it, list, "51"), "Place 51 of 100.");
  cancel();
  assert.equal(it.said(), "Put back, place 55 of 100.");
});

test("a row at the end of a long list, from far above, has the last place and no further one", (context) => {
  const it = page(context);
  const { list, show, row } = longList("96", "97", "98");
  pickUp(list, row("96"));
  carryTo({ list, before: "98" });
  show("98", "99", "100");

  assert.equal(carry(it, list, null), "Place 100 of 100.");
  putBack();
});

test("a row that is carried to another list counts there, too", (context) => {
  const it = page(context);
  const [one, other, short] = [longList("1", "2"), longList("10", "11", "12"), longList("7", "8")];
  delete short.list.template.told;
  pickUp(one.list, one.row("1"));

  assert.equal(carry(it, other.list, "11"), "Place 11 of 101.");
  assert.equal(carry(it, short.list, "8"), "Place 2 of 3.");
  putBack();
});

/** A list of a page that sends its moves; `sent` are the rows and the places that it has told. */
function sending(...ids) {
  const [it, sent] = [longList(...ids), []];
  const queue = { last: () => sent.length, entries: () => [] };
  it.list.context = { openScreen: () => ({ queue }), input: (row, kind, name, { before }, [id]) => sent.push([id, before]) };
  return { ...it, sent, order: () => it.list.template.parentNode.children.map((row) => row.getAttribute("data-row")) };
}

test("a row that is dropped in front of its former neighbour, which somebody else has moved, is sent", (context) => {
  context.mock.timers.enable({ apis: ["setInterval"] });
  page(context);
  const { list, show, row, sent } = sending("1", "2", "3", "4");
  list.template.told.count = 4;
  pickUp(list, row("1"));
  carryTo({ list, before: "4" });
  show("1", "3", "4", "2");
  carryTo({ list, before: "2" });

  assert.equal(drop(), true);
  assert.deepEqual(sent, [["1", "2"]]);
});

test("a row that somebody has only taken goes where the others take it, and is put down there", (context) => {
  page(context);
  const { list, show, row, sent, order } = sending("1", "2", "3", "4");
  pickUp(list, row("2"));
  // The row in front of which it stood goes to the beginning.
  show("3", "1", "2", "4");
  assert.deepEqual(order(), ["3", "1", "2", "4", undefined]);

  assert.equal(drop(), true);
  assert.deepEqual([order(), sent], [["3", "1", "2", "4", undefined], []]);
});
