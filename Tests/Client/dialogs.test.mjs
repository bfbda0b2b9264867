// SPDX-License-Identifier: Apache-2.0
// Questions that a screen asks: what answers them, what dismisses them, and where the focus goes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openDialog } from "../../Sources/BrowserClient/musubi/dialog.js";
import { outlets } from "../../Sources/BrowserClient/musubi/musubi-more.js";
import * as on from "../../Sources/BrowserClient/musubi/outlets/on.js";
import * as text from "../../Sources/BrowserClient/musubi/outlets/text.js";
import { attachAll, createListen } from "../../Sources/BrowserClient/musubi/page.js";
import { createSession } from "../../Sources/BrowserClient/musubi/session.js";
import { fakeDocument } from "./support/document.mjs";
import { fakeElement } from "./support/dom.mjs";
import { createScreens, createScreenServer } from "./support/screens.mjs";

const all = { ...outlets, "bind-text": text.attach, "on-": on.attach };

/** A dialog on a page, opened from a row's button with a value that has an id; `settle` is what a browser does later. */
function dialogOf(context) {
  const { document: before } = globalThis;
  context.after(() => Object.assign(globalThis, { document: before }));
  const document = fakeDocument();
  document.documentElement = fakeElement("html");
  const [heading, opener] = [document.element("h1"), document.element("button")];
  document.querySelector = () => heading;
  globalThis.document = document;
  const tasks = [];
  const title = document.element("p", { "data-bind-text": "title" });
  const answer = document.element("button", { "data-on-click": "confirm" });
  const photos = document.element("input", { "data-bind-file": "photo" });
  const element = document.element("dialog", { "data-dialog": "ask" }, [title, photos, answer]);
  for (const child of [heading, opener, element]) document.body.append(child);
  opener.focus();
  Object.assign(element, {
    open: false,
    showModal: () => (element.open = true),
    close() {
      element.open = false;
      if (opener.isConnected) opener.focus();
      // A browser tells it in a task of its own.
      tasks.push(() => document.fire(element, "close"));
    },
    getBoundingClientRect: () => ({ left: 10, right: 20, top: 10, bottom: 20 }),
    addEventListener: (type, run) => document.listenAt(element, type, run),
    removeEventListener: (type, run) => document.unlistenAt(element, type, run),
  });
  const said = [];
  /** A file of the dialog's control has arrived. */
  let arrive;
  const file = (control, own, { name }) => void (arrive = () => own.input(control, "tap", name, "token"));
  const own = {
    listen: createListen(document),
    input: (_, kind, name, typed, row) => said.push([name, ...row]),
    attach: (root, own) => attachAll(root, own, { ...all, "bind-file": file }),
  };
  const shown = openDialog(element, own, { id: 4, title: "Sure?" }, () => {
    // As the stack of screens does it.
    shown.stop();
    said.push("dismissed");
  });
  const settle = () => tasks.splice(0).forEach((run) => run());
  return { document, element, title, answer, heading, opener, said, shown, settle, arrive: () => arrive() };
}

test("a dialog shows its value, and its answer comes behind its dismissal", (context) => {
  const it = dialogOf(context);
  assert.equal(it.title.textContent, "Sure?");

  it.document.fire(it.answer, "click");
  it.settle();

  assert.deepEqual(it.said, ["dismissed", ["confirm", "4"]]);
  assert.equal(it.element.open, false);
});

test("a question stays while the page takes no answers", (context) => {
  const it = dialogOf(context);
  it.document.documentElement.setAttribute("data-full", "");
  it.document.fire(it.answer, "click");
  assert.deepEqual([it.said, it.element.open], [[], true]);

  it.document.documentElement.removeAttribute("data-full");
  it.document.fire(it.answer, "click");

  assert.deepEqual(it.said, ["dismissed", ["confirm", "4"]]);
});

test("the dismissal of a question leaves its answer the last place of the queue", () => {
  const session = createSession(new Proxy({}, { get: () => () => {} }));
  for (let index = 0; index < 999; index += 1) session.input("tap", { name: "more" });

  session.input("close", { dismiss: "ask" });
  assert.equal(session.input("tap", { name: "confirm" }), 1001);

  assert.equal(session.input("tap", { name: "more" }), 0);
});

test("a question that its answer asks again is open", (context) => {
  const model = createScreens();
  const take = ({ name }, stack) => stack.ask("ask", { problem: name === "confirm" ? "This name is taken." : "" });
  model.screens.names = () => ({ state: () => ({}), take });
  let dialog;
  const deliver = ({ screens }) => screens && ({ dialog } = screens[0]);
  const server = createScreenServer(model).connect({ name: "names", path: "/names", isResuming: false }, deliver, () => {});
  server.receive({ input: 1, name: "rename" });
  assert.equal(dialog.value.problem, "");
  const it = dialogOf(context);

  it.document.fire(it.answer, "click");
  it.settle();
  it.said.forEach((said, index) => server.receive({ input: 2 + index, ...(said === "dismissed" ? { dismiss: "ask" } : { name: said[0] }) }));

  assert.equal(dialog?.value.problem, "This name is taken.");
});

test("a dialog stays while files arrive in it, until it is answered", (context) => {
  const it = dialogOf(context);

  it.arrive();
  it.arrive();
  assert.equal(it.element.open, true);
  it.document.fire(it.answer, "click");
  it.settle();

  assert.deepEqual(it.said, [["photo", "4"], ["photo", "4"], "dismissed", ["confirm", "4"]]);
});

test("a click beside a dialog dismisses it, one inside does not", (context) => {
  const it = dialogOf(context);
  const click = (target, clientX) => {
    for (const type of ["mousedown", "click"]) it.document.fire(target, type, { clientX, clientY: 15 });
    it.settle();
  };
  click(it.element, 15);
  assert.deepEqual(it.said, []);
  click(it.element, 5);
  assert.deepEqual(it.said, ["dismissed"]);
});

test("whoever marks text beyond the edge of a dialog, or into it, does not dismiss it", (context) => {
  const it = dialogOf(context);
  it.document.fire(it.element, "mousedown", { target: it.title, clientX: 15, clientY: 15 });
  it.document.fire(it.element, "click", { clientX: 5, clientY: 15 });
  it.document.fire(it.element, "mousedown", { clientX: 5, clientY: 15 });
  it.document.fire(it.element, "click", { clientX: 15, clientY: 15 });

  assert.deepEqual([it.said, it.element.open], [[], true]);
});

test("the focus goes to the heading when a dialog closes whose opener has gone, whoever closes it", (context) => {
  for (const close of [(it) => it.element.close(), (it) => it.shown.stop(), (it) => it.document.fire(it.answer, "click")]) {
    const it = dialogOf(context);
    it.opener.remove();

    close(it);
    it.settle();

    assert.ok(it.document.activeElement === it.heading, String(close));
  }
});

test("a dialog that the server closes tells nothing", (context) => {
  const it = dialogOf(context);
  it.shown.stop();
  it.settle();
  assert.deepEqual(it.said, []);
  assert.equal(it.element.open, false);
});

test("a page's value before its dialog opens leaves the dialog's names alone", () => {
  const document = fakeDocument();
  const inside = document.element("p", { "data-bind-text": "title" });
  document.body.append(document.element("main", {}, [document.element("dialog", { "data-dialog": "ask" }, [inside])]));
  const found = [];
  attachAll(document.body, {}, { "bind-text": (element) => void found.push(element) });
  assert.deepEqual(found, []);
});
