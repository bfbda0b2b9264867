// SPDX-License-Identifier: Apache-2.0
// Lists to which rows are only added: where a page says that it has missed some.
import assert from "node:assert/strict";
import { test } from "node:test";
import { attach as attachAppend } from "../../Sources/BrowserClient/musubi/append/attach.js";
import { learn } from "../../Sources/BrowserClient/musubi/further-words.js";
import { useFiles } from "../../Sources/BrowserClient/musubi/further.js";
import { attach as attachEach } from "../../Sources/BrowserClient/musubi/outlets/each.js";
import { createWatchers } from "../../Sources/BrowserClient/musubi/page.js";
import { fakeDocument } from "./support/document.mjs";

/** What a list asks of its neighbours. */
function withSiblings(element) {
  const sibling = (steps) => element.parentNode?.children[element.parentNode.children.indexOf(element) + steps] ?? null;
  element.before = (other) => element.parentNode.insertBefore(other, element);
  for (const [name, steps] of [["previousElementSibling", -1], ["nextElementSibling", 1]]) {
    Object.defineProperty(element, name, { get: () => sibling(steps) });
  }
  return element;
}

/** A page with a list; `show` is what the server has of it, from one id to another, and `lines` what the page has. */
function page(context) {
  const names = ["document", "window", "getComputedStyle", "addEventListener"];
  const before = Object.fromEntries(names.map((name) => [name, globalThis[name]]));
  context.after(() => Object.assign(globalThis, before));
  const document = fakeDocument();
  const { importNode } = document;
  document.createElement = (name) => withSiblings(document.element(name));
  document.importNode = (element) => withSiblings(importNode(element));
  Object.assign(document, { readyState: "complete", styleSheets: [], querySelectorAll: () => [] });
  Object.assign(globalThis, { document, window: new EventTarget(), getComputedStyle: () => ({ overflowY: "visible" }) });
  globalThis.addEventListener = window.addEventListener.bind(window);
  const list = document.element("ul");
  const template = document.element("template", { "data-append-only": "100" }, [document.element("li")]);
  document.body.append(list);
  list.append(template);
  const watchers = createWatchers();
  useFiles(async () => {}, { append: attachAppend });
  context.after(attachEach(template, { watch: watchers.watch, attach: () => () => {} }, { argument: "", name: "lines" }));
  return {
    /** The file that keeps lines comes. */
    load: () => new Promise((run) => setImmediate(run)),
    show: (first, last) => watchers.show({ lines: Array.from({ length: last - first + 1 }, (_, index) => ({ id: first + index })) }),
    /** The ids of the lines, and `…` where a mark says that some are missing. */
    /** What the marks say, once the page has another language. */
    marks(lang) {
      learn({}, {}, { text: (name) => `${name} in ${lang}` });
      window.dispatchEvent(new Event("languagechange"));
      return list.children.filter(({ className }) => className === "musubi-gap").map(({ textContent }) => textContent);
    },
    lines: () => list.children.filter((one) => one !== template).map((one) => (one.className === "musubi-gap" ? "…" : Number(one.getAttribute("data-row")))),
  };
}

const numbers = (first, last) => Array.from({ length: last - first + 1 }, (_, index) => first + index);

test("a page that was away says where lines are missing", async (context) => {
  const it = page(context);
  await it.load();

  it.show(1, 3);
  it.show(2, 5);
  assert.deepEqual(it.lines(), numbers(1, 5));
  it.show(6, 8);
  assert.deepEqual(it.lines(), numbers(1, 8));
  it.show(20, 22);
  assert.deepEqual(it.lines(), [...numbers(1, 8), "…", 20, 21, 22]);
  assert.deepEqual(it.marks("ja"), ["append-gap in ja"]);
});

test("it says so, too, if its first lines were there before the file that keeps lines", async (context) => {
  const it = page(context);
  it.show(1, 20);
  await it.load();

  it.show(100, 119);

  assert.deepEqual(it.lines(), [...numbers(1, 20), "…", ...numbers(100, 119)]);
});

test("it says so, too, behind a server that has begun to count again", async (context) => {
  const it = page(context);
  await it.load();
  it.show(46, 50);

  it.show(1, 3);
  assert.deepEqual(it.lines(), [1, 2, 3]);
  it.show(20, 22);

  assert.deepEqual(it.lines(), [1, 2, 3, "…", 20, 21, 22]);
});
