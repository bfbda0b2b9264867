// SPDX-License-Identifier: Apache-2.0
// The files of one control, in a page of a few elements.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createDesk } from "../../Sources/BrowserClient/musubi/upload/desk.js";

/** An element that holds others, and listens. */
function element(localName) {
  const own = new EventTarget();
  const members = {
    localName,
    dataset: {},
    children: [],
    setAttribute() {},
    contains: () => false,
    get isConnected() {
      return Boolean(own.parent);
    },
    append(child) {
      own.children.push(child);
      child.parent = own;
    },
    appendChild(child) {
      own.append(child);
      return child;
    },
    remove: () => own.parent?.children.splice(own.parent.children.indexOf(own), 1),
  };
  return Object.defineProperties(own, Object.getOwnPropertyDescriptors(members));
}

/** A page that has remembered files, of which the server has so many bytes, and whose queue is full until the test says otherwise. */
function page(context, remembered) {
  let isFull = true;
  const globals = ["document", "location", "sessionStorage", "XMLHttpRequest", "addEventListener", "HTMLElement"];
  const before = Object.fromEntries(globals.map((name) => [name, globalThis[name]]));
  context.after(() => Object.assign(globalThis, before));
  const items = new Map([["musubi files", JSON.stringify(remembered.map((one) => ({ key: "files", path: "/", date: 1, size: 10, ...one })))]]);
  const asked = [];
  Object.assign(globalThis, {
    HTMLElement: EventTarget,
    document: { createElement: element, documentElement: { lang: "en", hasAttribute: () => isFull } },
    location: { pathname: "/" },
    sessionStorage: { getItem: (key) => items.get(key) ?? null, setItem: (key, value) => void items.set(key, value) },
    addEventListener() {},
    XMLHttpRequest: class {
      status = 200;
      upload = {};
      open(method, place) {
        asked.push(`${method} ${place}`);
        Object.assign(this, { method, place });
      }
      setRequestHeader() {}
      getResponseHeader() {
        return String(remembered.find(({ place }) => place === this.place).offset);
      }
      abort() {
        this.status = 0;
      }
      send() {
        // Bytes are on their way for as long as the test lasts.
        if (this.method !== "PATCH") queueMicrotask(() => this.onloadend());
      }
    },
  });
  const [sent, main] = [[], element("main")];
  const told = { key: "files", send: (token) => sent.push(token), say() {}, text: (name) => name, place: () => undefined };
  const desk = createDesk(told, () => ({ after: (list) => main.append(list) }), () => {});
  const rows = () => main.children.flatMap(({ children }) => children);
  return {
    desk,
    asked,
    sent,
    names: () => rows().map((row) => row.children[0].textContent),
    press: (row, action) => rows()[row].children.find(({ id }) => id?.endsWith(`-${action}`)).dispatchEvent(new Event("click")),
    /** The queue has room again, and the page finds it. */
    async empty() {
      isFull = false;
      context.mock.timers.tick(500);
      await settled();
    },
  };
}

const settled = () => new Promise((run) => setImmediate(run));
const files = [{ name: "a.png", place: "/uploads/a", offset: 10 }, { name: "b.png", place: "/uploads/b", offset: 5 }];

/** A page whose first file has arrived and waits for the queue, and whose second one is to be chosen again. */
async function waiting(context) {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const it = page(context, [...files].reverse());
  const end = it.desk.restore();
  await settled();
  await settled();
  return { it, end };
}

test("a file that has arrived waits while the queue is full", async (context) => {
  const { it, end } = await waiting(context);
  assert.deepEqual([it.names(), it.sent], [["b.png", "a.png"], []]);

  await it.empty();
  await end;

  assert.deepEqual([it.names(), it.sent], [["b.png"], ["a"]]);
});

test("a file that is cancelled while the queue is full is not handed over, and the others stay", async (context) => {
  const { it, end } = await waiting(context);

  it.press(1, "cancel");
  await it.empty();
  await end;
  assert.deepEqual([it.names(), it.sent, it.asked.at(-1)], [["b.png"], [], "DELETE /uploads/a"]);
  // The list knows it still, and makes no second row of it.
  it.desk.add([Object.assign(new Blob(["0123456789"]), { name: "b.png", lastModified: 1 })]);
  await settled();

  assert.deepEqual(it.names(), ["b.png"]);
});

test("a control that goes while the queue is full hands nothing over", async (context) => {
  const { it, end } = await waiting(context);

  it.desk.end();
  await it.empty();
  await end;

  assert.deepEqual(it.sent, []);
});

test("a control that goes while the server is asked for its files shows none, and hands nothing over", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const it = page(context, files);
  const end = it.desk.restore();

  it.desk.end();
  await settled();
  await it.empty();
  await end;

  assert.deepEqual([it.names(), it.sent, it.asked], [[], [], ["HEAD /uploads/a"]]);
});
