// SPDX-License-Identifier: Apache-2.0
// The files of one control, in a page of a few elements.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createDesk } from "../../Sources/BrowserClient/musubi/upload/desk.js";
import { leave } from "../../Sources/BrowserClient/musubi/upload/memory.js";
import { control } from "../../Sources/BrowserClient/musubi/upload/upload.js";

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

/**
 * A page that has remembered files, of which the server has so many bytes, and whose queue is full until the test says otherwise.
 * `answers` are a server's, in their order: a code, and where an upload is or how much of it is there.
 */
function page(context, remembered, answers, place = () => (answers ? { to: "/uploads", bytes: 100, types: ["*/*"] } : undefined)) {
  let isFull = !answers;
  const globals = ["document", "location", "sessionStorage", "XMLHttpRequest", "addEventListener", "removeEventListener", "HTMLElement"];
  const before = Object.fromEntries(globals.map((name) => [name, globalThis[name]]));
  context.after(() => Object.assign(globalThis, before));
  const files = remembered.map((one) => ({ key: "files", path: "/", date: 1, size: 10, ...one }));
  const items = new Map([["musubi / files", JSON.stringify({ visitor: "ann", files })]]);
  const asked = [];
  Object.assign(globalThis, {
    HTMLElement: EventTarget,
    document: { createElement: element, documentElement: { lang: "en", hasAttribute: () => isFull } },
    location: { pathname: "/" },
    sessionStorage: { getItem: (key) => items.get(key) ?? null, setItem: (key, value) => void items.set(key, value) },
    addEventListener() {},
    removeEventListener() {},
    XMLHttpRequest: class {
      status = 200;
      upload = {};
      open(method, place) {
        asked.push(`${method} ${place}`);
        Object.assign(this, { method, place });
      }
      setRequestHeader() {}
      getResponseHeader(name) {
        if (answers) return name === this.field ? this.value : null;
        return String(remembered.find(({ place }) => place === this.place).offset);
      }
      abort() {
        this.status = 0;
      }
      send() {
        if (answers && this.method !== "DELETE") [this.status, this.value] = answers.shift();
        this.field = this.method === "POST" ? "Location" : "Upload-Offset";
        // Without an answer, bytes are on their way for as long as the test lasts.
        if (answers || this.method !== "PATCH") queueMicrotask(() => this.onloadend());
      }
    },
  });
  const [sent, main] = [[], element("main")];
  const told = { key: "files", path: "/", send: (token) => sent.push(token), say() {}, text: (name) => name, place, isElsewhere: () => !answers };
  const desk = createDesk(told, () => ({ after: (list) => main.append(list) }), () => {});
  const rows = () => main.children.flatMap(({ children }) => children);
  return {
    desk,
    asked,
    sent,
    names: () => rows().map((row) => row.children[0].textContent),
    /** What a reload would find. */
    remembered: () => JSON.parse(items.get("musubi / files")).files.map(({ place }) => place),
    left: () => JSON.parse(items.get("musubi / files")).files.map(({ isLeft }) => isLeft),
    paths: () => JSON.parse(items.get("musubi / files")).files.map(({ path }) => path),
    states: () => rows().map(({ dataset }) => dataset.upload),
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
async function waiting(context, isLeft = true) {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const it = page(context, [...files].reverse().map((file) => ({ ...file, isLeft })));
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

test("a file that a reload has interrupted ends at the server, too, when its control goes", async (context) => {
  const { it } = await waiting(context);

  it.desk.end();

  assert.deepEqual([it.asked.slice(2), it.remembered()], [["DELETE /uploads/b", "DELETE /uploads/a"], []]);
});

test("a file that is on its way in the tab of which this one is a copy goes on there when its control goes here", async (context) => {
  const { it } = await waiting(context, false);

  it.desk.end();

  assert.deepEqual([it.asked.slice(2), it.remembered()], [[], []]);
});

test("a file that a cancel button ends in a copy of its tab ends at the server", async (context) => {
  const { it } = await waiting(context, false);

  it.press(0, "cancel");

  assert.deepEqual([it.asked.slice(2), it.remembered()], [["DELETE /uploads/b"], ["/uploads/a"]]);
});

test("what a page leaves to its tab is none of a copy that is made of the next page", async (context) => {
  const { it } = await waiting(context);
  assert.deepEqual(it.left(), [undefined, undefined]);

  leave();

  assert.deepEqual(it.left(), [true, true]);
});

const film = () => Object.assign(new Blob(["0123456789"]), { name: "film.mp4", lastModified: 1 });

for (const code of [429, 507]) {
  test(`a file of which a part has arrived goes on from there after ${code}, once somebody tries again`, async (context) => {
    const it = page(context, [], [[201, "/uploads/film"], [code], [200, "6"], [204, "10"]]);
    it.desk.add([film()]);
    await settled();
    assert.deepEqual([it.states(), it.remembered()], [["refused"], ["/uploads/film"]]);

    it.press(0, "again");
    await settled();

    assert.deepEqual(it.asked, ["POST /uploads", "PATCH /uploads/film", "HEAD /uploads/film", "PATCH /uploads/film"]);
    assert.deepEqual([it.names(), it.sent, it.remembered()], [[], ["film"], []]);
  });
}

for (const [code, asked] of [[413, ["DELETE /uploads/film"]], [415, []], [403, []]]) {
  test(`a file that is never taken, by ${code}, ends at the server if that has not deleted it`, async (context) => {
    const it = page(context, [], [[201, "/uploads/film"], [code], [201, "/uploads/other"], [204, "10"]]);
    it.desk.add([film()]);
    await settled();
    assert.deepEqual([it.asked.slice(2), it.remembered()], [asked, []]);

    it.press(0, "again");
    await settled();

    assert.deepEqual([it.asked[2 + asked.length], it.sent], ["POST /uploads", ["other"]]);
  });
}

test("a file that somebody removes ends at the server", async (context) => {

  const now = page(context, [], [[201, "/uploads/film"], [507]]);
  now.desk.add([film()]);
  await settled();
  now.press(0, "remove");
  assert.deepEqual([now.names(), now.asked.slice(2), now.remembered()], [[], ["DELETE /uploads/film"], []]);
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

test("text that is pasted where somebody writes stays text, also if the clipboard has a picture of it", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  page(context, []);
  const zone = Object.assign(element("section"), { lastElementChild: { after() {} } });
  const none = { group: {}, key: "files", place: () => undefined, text: (name) => name, say() {}, send() {}, reconnect() {}, isElsewhere: () => false };
  const stop = control(zone, none);
  /** Whether a picture is taken that is pasted into the zone, or into a field in it, and may be text as well. */
  const isTaken = (isField, ...types) => {
    const clipboardData = { types, files: [Object.assign(new Blob(["0"]), { name: "a.png" })] };
    const event = Object.assign(new Event("paste", { cancelable: true }), { clipboardData });
    zone.matches = (selector) => selector === ":read-write" && isField;
    zone.dispatchEvent(event);
    return event.defaultPrevented;
  };

  assert.equal(isTaken(true, "text/plain", "text/html", "Files"), false);
  assert.equal(isTaken(true, "Files"), true);
  assert.equal(isTaken(false, "text/plain", "Files"), true);
  stop();
  await settled();
});

test("a file of which the server cannot say yet how far it has come is asked for again behind a reload", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const it = page(context, [files[0]], [[423], [0], [503], [200, "10"]]);
  const end = it.desk.restore();

  for (const pause of [1_000, 2_000, 4_000]) {
    await settled();
    assert.deepEqual([it.names(), it.sent], [[], []]);
    context.mock.timers.tick(pause);
  }
  await end;

  assert.deepEqual([it.sent, it.remembered()], [["a"], []]);
});

test("a file that the server does not let go of, or does not know, is not asked for again", async (context) => {
  for (const code of [401, 403, 404, 410]) {
    const it = page(context, [files[0]], [[code]]);
    await it.desk.restore();

    assert.deepEqual([it.names(), it.asked.length], [[], 1]);
  }
});

test("a visitor who may not send files any more hears so, and is not said to be offline", async (context) => {
  const it = page(context, [], [], () => null);

  it.desk.add([film()]);
  await settled();

  assert.deepEqual([it.states(), it.asked], [["refused"], []]);
});

test("a file is remembered by the path of its own page, whichever screen lies on top", async (context) => {
  const it = page(context, [], [[201, "/uploads/film"], [507]]);
  globalThis.location = { pathname: "/detail" };
  it.desk.add([film()]);
  await settled();

  assert.deepEqual(it.paths(), ["/"]);
});

test("a page of another origin than its server's refuses a file at once, and cuts no connection", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const it = page(context, []);

  it.desk.add([Object.assign(new Blob(["0"]), { name: "a.png", lastModified: 1 })]);
  await settled();

  assert.deepEqual([it.names(), it.states(), it.asked], [["a.png"], ["refused"], []]);
});
