// SPDX-License-Identifier: Apache-2.0
// Where the focus goes when the row that has it leaves its list.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as each from "../../Sources/BrowserClient/musubi/outlets/each.js";
import { attachAll, createWatchers } from "../../Sources/BrowserClient/musubi/page.js";
import { keepFocus } from "../../Sources/BrowserClient/musubi/window/focus.js";
import { fakeDocument } from "./support/document.mjs";

/** A list whose rows have a button each, or what `make` makes, and the room of a long list below them. */
function list(ids, make = (document) => document.element("button")) {
  const document = fakeDocument();
  const heading = document.element("h1");
  document.querySelector = () => heading;
  globalThis.document = document;
  const box = document.element("ul");
  const template = document.element("template", {}, [document.element("li", {}, [make(document)])]);
  document.body.append(heading);
  document.body.append(box);
  box.append(template);
  box.append(document.element("li", { class: "musubi-room" }));
  const { watch, show } = createWatchers();
  const context = { watch, attach: (root, own) => attachAll(root, own, {}) };
  each.attach(template, context, { name: "rows" });
  const tell = (ids) => show({ rows: ids.map((id) => ({ id })) });
  tell(ids);
  const rows = () => box.children.filter((row) => row.hasAttribute("data-row"));
  const row = (id) => rows().find((one) => one.getAttribute("data-row") === id);
  return {
    box,
    heading,
    rows,
    tell,
    focus: (id) => row(id).children[0].focus(),
    focused: () => document.activeElement.parentElement?.getAttribute("data-row") ?? document.activeElement,
    template,
  };
}

test("the focus of a row that goes passes to the next row, else to the row before, else to the heading", () => {
  const it = list(["a", "b", "c"]);
  it.focus("b");

  it.tell(["a", "c"]);
  assert.equal(it.focused(), "c");
  it.tell(["a"]);
  assert.equal(it.focused(), "a");
  it.tell([]);

  assert.equal(it.focused(), it.heading);
});

test("nobody goes on typing or choosing in the same field of another row", () => {
  // Of most of these no browser tells where the caret is.
  const types = ["text", "number", "email", "date", "time", "range"];
  const fields = [...types.map((type) => ["input", { type }]), ["input", {}], ["select", {}], ["textarea", {}]];
  for (const [name, attributes] of fields) {
    const it = list(["a", "b", "c"], (document) => document.element(name, attributes));
    it.focus("b");

    it.tell(["a", "c"]);

    assert.ok(it.focused() === it.heading, `${name} ${attributes.type}`);
  }
  for (const type of ["checkbox", "radio", "button", "submit"]) {
    const it = list(["a", "b", "c"], (document) => document.element("input", { type }));
    it.focus("b");

    it.tell(["a", "c"]);

    assert.equal(it.focused(), "c", type);
  }
});

/** What a long list does when its rows are others. */
const scroll = (it, ids) => {
  it.template.lifts = [() => keepFocus(it.box, it.rows())];
  it.tell(ids);
};

test("the focus of a long list's row that is scrolled away goes to the box, and to no other row", () => {
  for (const next of [["b", "c", "d"], ["x", "y"]]) {
    const it = list(["a", "b", "c"]);
    it.box.addEventListener = () => {};
    it.focus("a");

    scroll(it, next);

    assert.equal(it.focused(), it.box);
    assert.equal(it.box.tabIndex, -1);
  }
});

test("the focus of a row that stays, and one outside of the list, is nobody's business", () => {
  const it = list(["a", "b", "c"]);
  it.focus("b");
  scroll(it, ["b", "c", "d"]);
  assert.equal(it.focused(), "b");

  it.heading.focus();
  scroll(it, ["x"]);

  assert.equal(it.focused(), it.heading);
});
