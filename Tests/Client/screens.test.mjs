// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { readControl, writeControl } from "../../Sources/BrowserClient/musubi/control-values.js";
import { outlets } from "../../Sources/BrowserClient/musubi/musubi-more.js";
import { explain, move, tellChange } from "../../Sources/BrowserClient/musubi/notices.js";
import * as hidden from "../../Sources/BrowserClient/musubi/outlets/hidden.js";
import * as on from "../../Sources/BrowserClient/musubi/outlets/on.js";
import * as text from "../../Sources/BrowserClient/musubi/outlets/text.js";
import * as value from "../../Sources/BrowserClient/musubi/outlets/value.js";
import { attachAll, createListen, createWatchers } from "../../Sources/BrowserClient/musubi/page.js";
import { applyPatch } from "../../Sources/BrowserClient/musubi/patch.js";
import { createQueue } from "../../Sources/BrowserClient/musubi/queue.js";
import * as recovery from "../../Sources/BrowserClient/musubi/recovery.js";
import { createSession } from "../../Sources/BrowserClient/musubi/session.js";
import { createView } from "../../Sources/BrowserClient/musubi/view.js";
import { fakeDocument } from "./support/document.mjs";
import { fakeElement } from "./support/dom.mjs";
import { seeded } from "./support/random.mjs";
import { createScreenServer, diff } from "./support/screens.mjs";

const all = { ...outlets, "bind-text": text.attach, "bind-value": value.attach, "bind-hidden": hidden.attach, "on-": on.attach };

/** A list on a page: `show` gives it rows, `order` reads its rows. */
function list({ hasMoveBefore = true } = {}) {
  const document = fakeDocument({ hasMoveBefore });
  const tags = document.element("template", { "data-bind-each": "tags" }, [document.element("i", { "data-bind-text": "name", "data-on-click": "drop" })]);
  const row = document.element("li", {}, [
    document.element("b", { "data-bind-text": "title" }),
    document.element("button", { "data-on-click": "delete" }),
    document.element("p", {}, [tags]),
  ]);
  const template = document.element("template", { "data-bind-each": "rows" }, [row]);
  const root = document.element("ul", {}, [template]);
  document.body.append(root);
  const watchers = createWatchers();
  const inputs = [];
  const context = {
    watch: watchers.watch,
    listen: createListen(document),
    input: (_, kind, name, typed, path = []) => inputs.push([name, ...path]),
    attach: (element, own) => attachAll(element, own, all),
  };
  const stop = context.attach(root, context);
  const elements = () => root.children.filter(({ localName }) => localName === "li");
  return {
    document,
    inputs,
    stop,
    show: (rows) => watchers.show({ rows }),
    elements,
    order: () => elements().map((element) => element.getAttribute("data-row")),
    titles: () => elements().map((element) => element.children[0].textContent),
  };
}

const rows = (...ids) => ids.map((id) => ({ id, title: `row ${id}` }));
/** How many rows something makes, takes away and moves. */
const counted = (it, run) => {
  const before = new Map(it.elements().map((element) => [element, element.inserted]));
  run();
  const after = new Set(it.elements());
  const moved = [...after].filter((element) => element.inserted > (before.get(element) ?? element.inserted));
  const created = [...after].filter((element) => !before.has(element));
  return { created: created.length, removed: before.size + created.length - after.size, moved: moved.length };
};

test("a list shows its rows in order, and inputs carry the row", () => {
  const it = list();
  it.show(rows("a", "b"));

  it.document.fire(it.elements()[1].children[1], "click");

  assert.deepEqual(it.titles(), ["row a", "row b"]);
  assert.deepEqual(it.inputs, [["delete", "b"]]);
});

test("a list inside a row names both rows, outermost first", () => {
  const it = list();
  it.show([{ id: 7, title: "", tags: [{ id: "x", name: "X" }] }]);
  const tag = it.elements()[0].children[2].children[0];

  it.document.fire(tag, "click");

  assert.equal(tag.textContent, "X");
  assert.deepEqual(it.inputs, [["drop", "7", "x"]]);
});

test("one change in 1,000 rows touches one row", () => {
  const it = list();
  let reads = 0;
  const titled = (title) => ({ configurable: true, enumerable: true, get: () => ((reads += 1), title) });
  const many = rows(...Array.from({ length: 1000 }, (_, index) => `${index}`)).map((row) => Object.defineProperty(row, "title", titled(row.title)));
  it.show(many);
  const elements = it.elements();
  const changed = applyPatch({ rows: many }, [{ op: "replace", path: "/rows/500/title", value: "new" }]).rows;
  reads = 0;

  const done = counted(it, () => it.show(changed));

  assert.deepEqual([done, reads], [{ created: 0, removed: 0, moved: 0 }, 0]);
  assert.equal(it.titles()[500], "new");
  assert.deepEqual(it.elements(), elements);
});

test("a moved row keeps its element, and only it is moved", () => {
  const it = list();
  it.show(rows("a", "b", "c", "d"));
  const moved = it.elements()[3];

  const done = counted(it, () => it.show(rows("d", "a", "x", "b", "c")));

  assert.deepEqual(it.order(), ["d", "a", "x", "b", "c"]);
  assert.equal(it.elements()[0], moved);
  assert.equal(done.moved, 1);
  assert.equal(done.created, 1);
});

test("the element with the focus is laid out at once when its row is moved", () => {
  const it = list();
  it.show(rows("a", "b", "c"));
  const field = it.elements()[2].children[1];
  it.document.activeElement = field;

  it.show(rows("c", "a", "b"));

  assert.equal(field.laidOut, 1);
});

test("without moveBefore the row with the focus stays, and the others move around it", () => {
  const it = list({ hasMoveBefore: false });
  it.show(rows("a", "b", "c", "d"));
  it.document.activeElement = it.elements()[3].children[1];
  const { inserted } = it.elements()[3];

  it.show(rows("d", "a", "b", "c"));

  assert.deepEqual(it.order(), ["d", "a", "b", "c"]);
  assert.equal(it.elements()[0].inserted, inserted, "the row with the focus was not taken out");
});

test("random lists are shown as they are, and the rows keep their elements", () => {
  for (let seed = 0; seed < 300; seed += 1) {
    const random = seeded(seed);
    const it = list({ hasMoveBefore: seed % 2 === 0 });
    // Where the heading is looked for, if the row with the focus was the last one.
    globalThis.document = it.document;
    let known = new Map();
    for (let round = 0; round < 6; round += 1) {
      const ids = ["a", "b", "c", "d", "e", "f", "g"].filter(() => random() < 0.7).sort(() => random() - 0.5);
      if (it.elements().length) it.document.activeElement = it.elements()[0].children[1];
      it.show(rows(...ids));
      assert.deepEqual(it.order(), ids, `seed ${seed}`);
      for (const element of it.elements()) {
        const id = element.getAttribute("data-row");
        if (known.has(id)) assert.equal(known.get(id), element, `seed ${seed}`);
      }
      known = new Map(it.elements().map((element) => [element.getAttribute("data-row"), element]));
    }
    it.stop();
    assert.deepEqual(it.order(), []);
  }
});

test("rows without an id are told apart by their place", () => {
  const it = list();
  it.show([{ title: "a" }, { title: "a" }, { id: "x", title: "b" }, { id: "x", title: "c" }]);
  assert.deepEqual(it.titles(), ["a", "a", "b", "c"]);
});

test("list patches of the shared vectors give the new list", () => {
  const vectors = JSON.parse(readFileSync(new URL("../Vectors/list-patches.json", import.meta.url), "utf8"));
  for (const { old, new: next, operations } of vectors) assert.deepEqual(applyPatch(old, operations), next, JSON.stringify(operations));
  assert.ok(vectors.length >= 300);
});

test("the stand-in's own patches give the new list, too", () => {
  for (let seed = 0; seed < 300; seed += 1) {
    const random = seeded(seed);
    const make = () => rows(...["a", "b", "c", "d", "e"].filter(() => random() < 0.6).sort(() => random() - 0.5));
    const [before, after] = [{ rows: make() }, { rows: make() }];
    assert.deepEqual(applyPatch(before, diff(before, after)), after, `seed ${seed}`);
  }
});

test("an empty list shows the element that is meant for it", () => {
  for (const [value, isHidden] of [[[], false], [[1], true], ["", false], [true, true], [undefined, false]]) {
    const watchers = createWatchers();
    const [empty, full] = [fakeElement("p"), fakeElement("p")];
    hidden.attach(empty, watchers, { argument: "", name: "x" });
    hidden.attachShown(full, watchers, { argument: "", name: "x" });
    watchers.show({ x: value });
    assert.deepEqual([Boolean(empty.hidden), full.hidden], [isHidden, !isHidden], JSON.stringify(value));
  }
});

/** A session with a server of several screens; `views` is what the page shows of each. */
function visit(server = createScreenServer(), { name = "contents", path = "/contents", saved } = {}) {
  const it = { server, states: {}, sent: [], stack: undefined, problems: [], events: [] };
  const nothing = () => {};
  const notify = {
    send: (frame) => (it.sent.push(frame), it.connection?.receive(frame), true),
    state: (screen, state) => (it.states[screen] = state),
    screens: (stack) => (it.stack = stack),
    problem: (code) => it.problems.push(code),
    event: ({ name, value }) => it.events.push([name, value]),
    recover: (use) => use(recovery),
  };
  it.session = createSession(new Proxy(notify, { get: (target, key) => target[key] ?? nothing }), saved);
  it.open = () => {
    const first = it.session.open();
    it.connection = undefined;
    const waiting = [];
    let isOpen = false;
    const connection = server.connect({ name, path, isResuming: first !== undefined }, (frame) => (isOpen ? it.session.receive(frame) : waiting.push(frame)), nothing);
    it.connection = connection;
    isOpen = true;
    waiting.forEach((frame) => it.session.receive(frame));
    if (first) connection.receive(first);
    return it;
  };
  it.tap = (input, row, screen) => {
    it.session.input("tap", { name: input, row, screen });
    it.session.flush();
  };
  return it;
}

test("a session follows several screens, each with its own place in its stream", () => {
  const it = visit().open();
  it.tap("open", "1");

  it.server.model.contents = it.server.model.contents.map((entry) => ({ ...entry, title: "changed" }));
  it.server.publishAll();

  assert.deepEqual(it.stack.map(({ path }) => path), ["/contents", "/contents/1"]);
  assert.equal(it.states[1].title, "changed");
  assert.equal(it.states[0].contents[0].title, "changed");
});

test("a stack is told from the first entry on that has changed", () => {
  const it = visit().open();
  it.tap("open", "1");
  const deeper = { screen: 2, name: "note", path: "/contents/1/note" };

  it.session.receive({ screens: [deeper], after: 2 });
  assert.deepEqual(it.stack.map(({ screen }) => screen), [0, 1, 2]);

  it.session.receive({ screens: [{ ...deeper, dialog: { name: "ask" } }], after: 2 });
  assert.deepEqual(it.stack.map(({ dialog }) => dialog?.name), [undefined, undefined, "ask"]);

  it.session.receive({ screens: [], after: 2 });
  assert.deepEqual(it.stack.map(({ path }) => path), ["/contents", "/contents/1"]);
  assert.equal(it.session.hasState(1), true);
});

test("leaving a screen is an input, and late turns of it are ignored", () => {
  const it = visit().open();
  it.tap("open", "1");

  it.session.input("close", { back: 1 });
  it.session.flush();
  it.session.receive({ sequence: 99, patch: [], screen: 1 });

  assert.deepEqual(it.sent[it.sent.length - 1], { input: 2, back: 1 });
  assert.deepEqual(it.stack.map(({ screen }) => screen), [0]);
  assert.equal(it.session.hasState(1), false);
  assert.equal(it.session.queue.entries().length, 0);
});

test("a resumed session brings its screens and dialogs back, also after a reload of the page", () => {
  const server = createScreenServer();
  const before = visit(server).open();
  before.tap("delete", "1");
  before.tap("open", "2");

  const after = visit(server, { saved: JSON.parse(JSON.stringify(before.session.save())) }).open();

  assert.deepEqual(after.stack.map(({ screen }) => screen), [0, 1]);
  assert.equal(after.stack[0].dialog.name, "askDelete");
  assert.equal(after.states[1].id, "2");
});

test("text typed on a later screen goes along when its session is gone", () => {
  const note = {
    snapshot: { "note": "", "note.field": "", "colour": "blue" }, epoch: "e", sequence: 7, revisions: { note: 0 }, lineage: [["d", 4]],
  };
  const [sent, told] = [[], { moves: () => true, lost: 0 }];
  const notify = { send: (frame) => sent.push(frame), lost: (taps) => (told.lost = taps), moves: () => told.moves(), recover: (use) => use(recovery) };
  const listener = new Proxy(notify, { get: (target, key) => target[key] ?? (() => {}) });
  const before = createSession(listener);
  before.help(recovery);
  const stack = [{ screen: 0, name: "list", path: "/list" }, { screen: 1, name: "note", path: "/list/1" }];
  const greeting = { hello: { session: "s", token: "t", protocol: 1 } };
  for (const frame of [greeting, { snapshot: {}, epoch: "d", sequence: 0 }, { screens: stack }, { ...note, screen: 1 }]) {
    before.receive(frame);
  }
  before.open();
  before.input("tap", { name: "below" });
  before.edit("note", [[0, 0, "typed"]], undefined, 1);
  before.input("typed", { name: "colour", value: "red", screen: 1 });

  /** @type {any} */
  const left = {};
  const shown = { screen: 1, path: "/list/1" };
  globalThis.location = { reload: () => (left.isLoading = true) };
  const store = { leave: (path, record) => Object.assign(left, { path, record: JSON.parse(JSON.stringify(record)) }) };
  told.moves = () => (move({ session: before, shown, store }), true);
  before.receive({ hello: { session: "new", token: "u", protocol: 1 } });
  before.receive({ ...note, epoch: "f" });
  assert.deepEqual([left.path, left.isLoading, shown.path, sent.length], ["/list/1", true, "", 0]);

  told.moves = () => false;
  const after = createSession(listener, left.record);
  assert.equal(after.open().resume.session, "s");
  after.receive({ error: { code: "session-unknown", message: "" } });
  after.receive({ hello: { session: "third", token: "v", protocol: 1 } });
  after.receive({ ...note, epoch: "g" });
  assert.deepEqual(sent.splice(0), [
    { handOver: { name: "note", value: "" } }, { handOver: { name: "colour", value: "red" } },
    { handOver: { position: ["e", 7], lineage: [["d", 4]] } },
  ]);
  after.receive({ handedOver: [] });
  after.receive({ ...note, epoch: "g" });

  assert.equal(after.text("note").text(), "typed");
  assert.deepEqual(JSON.parse(JSON.stringify(sent)), [
    { input: 2, name: "note", revision: 0, edits: [[0, 0, "typed"]] }, { input: 3, name: "colour", value: "red" },
  ]);
  assert.equal(told.lost, 1);
});

test("a page that resumes learns that it has one screen only", () => {
  const it = visit().open();
  it.stack = undefined;
  it.open();
  assert.deepEqual(it.stack, []);
});

test("an address where there is nothing is told as not-found", () => {
  assert.deepEqual(visit(undefined, { name: "content", path: "/contents/999" }).open().problems, ["not-found"]);
});

test("events of a turn are told once", () => {
  const it = visit().open();
  it.tap("confirmDelete", "2");
  it.open();
  assert.deepEqual(it.events, [["deleted", "Two ends, one knot"]]);
});

test("typed values of different rows and screens stay apart until they are sent", () => {
  const session = createSession(new Proxy({}, { get: () => () => {} }));
  session.help(recovery);
  session.help(recovery);
  const view = createView(3, session, () => {}, {}, () => {});
  for (const row of [["1"], ["1"], ["2"], ["2", "x"], []]) view.context.input({}, "typed", "title", "t", row);

  const places = session.queue.entries().map(({ row, screen }) => [row, screen]);

  assert.deepEqual(places, [["1", 3], ["2", 3], [["2", "x"], 3], [undefined, 3]]);
});

test("controls are read and written by their type", () => {
  const options = ["a", "b", "c"].map((value) => ({ value, selected: value === "b" }));
  const several = { type: "select-multiple", dataset: {}, options, get selectedOptions() { return options.filter(({ selected }) => selected); } };
  assert.deepEqual(readControl(several), ["b"]);
  writeControl(several, ["a", "c"]);
  assert.deepEqual(readControl(several), ["a", "c"]);
  const radio = { type: "radio", value: "1", dataset: { type: "number" }, checked: false };
  assert.equal(readControl(radio), 1);
  writeControl(radio, 1);
  assert.equal(radio.checked, true);
  assert.equal(readControl({ type: "number", value: "", dataset: {} }), null);
  assert.equal(readControl({ type: "number", value: "", dataset: {}, required: true }), undefined);
  assert.equal(readControl({ type: "number", value: "", dataset: {}, validity: { badInput: true } }), undefined);
  assert.equal(readControl({ type: "date", value: "", dataset: {} }), null);
  const sizes = { type: "select-one", value: "", dataset: { type: "number" } };
  assert.equal(readControl(sizes), null);
  assert.equal(readControl({ ...sizes, required: true }), undefined);
  assert.equal(readControl({ ...sizes, dataset: {} }), "");
  const chosen = ["", "2", "many"].map((value) => ({ value }));
  assert.deepEqual(readControl({ ...sizes, type: "select-multiple", selectedOptions: chosen }), [2]);
  assert.equal(readControl({ type: "range", value: "2.5", dataset: {} }), 2.5);
  assert.equal(readControl({ type: "date", value: "2026-11-21", dataset: {} }), "2026-11-21");
});

test("a server's value waits while a person has a list open or drags a handle", () => {
  for (const type of ["select-one", "range", "date"]) {
    const document = fakeDocument();
    const element = document.element("input", {});
    Object.assign(element, { type, value: "1" });
    document.body.append(element);
    document.documentElement = document.body;
    const watchers = createWatchers();
    const inputs = [];
    const openScreen = () => ({ queue: createQueue({}) });
    const context = { watch: watchers.watch, openScreen, text: () => undefined, tooLong: () => undefined, listen: createListen(document), input: (_, __, ___, typed) => inputs.push(typed), later: (run) => run() };
    outlets.whole(element, context, { kind: "whole", argument: "1", name: "x" });
    document.fire(element, "pointerdown");
    watchers.show({ x: "5" });
    assert.equal(element.value, "1", type);

    document.fire(element, "blur");

    assert.equal(element.value, "5", type);
    document.fire(element, "keydown", { key: "3" });
    watchers.show({ x: "4" });
    assert.equal(element.value, "5", type);
    document.fire(element, "keydown", { key: "Enter" });
    assert.equal(element.value, "4", "Enter ends it, also where nothing has changed");
    document.fire(element, "pointerdown");
    watchers.show({ x: "6" });
    element.value = "7";
    document.fire(element, type === "select-one" ? "change" : "input");
    document.fire(element, "change");
    assert.equal(element.value, "7", "a person's choice counts");
    assert.ok(inputs.length > 0);
  }
});

/** Timers that run at once. */
function withoutWaiting(context) {
  const { setTimeout } = globalThis;
  globalThis.setTimeout = (run) => run();
  context.after(() => (globalThis.setTimeout = setTimeout));
}

test("a page that is outdated says so, and reloads itself once for each version", (context) => {
  withoutWaiting(context);
  const items = new Map();
  const storage = { getItem: (key) => items.get(key) ?? null, setItem: (key, value) => void items.set(key, value) };
  const links = [];
  const status = { setLink: (link) => void links.push(link) };
  let reloads = 0;
  const change = (version, memory = storage) => tellChange({ status }, version, () => void (reloads += 1), memory);

  change("b");
  change("b");
  assert.equal(reloads, 1, "the page that was loaded is no newer");
  change("a");
  change("b");
  change("a");
  assert.equal(reloads, 2, "two servers of different versions take turns");
  assert.deepEqual(links, Array(5).fill("outdated"));

  change("c", { getItem: () => assert.fail("forbidden") });
  assert.equal(reloads, 2, "without a memory it could go on for ever");
});

test("a page learns why it is not let in, and a page whose screen is gone reloads itself once", async (context) => {
  withoutWaiting(context);
  const items = new Map();
  const globals = { fetch: globalThis.fetch, location: globalThis.location, sessionStorage: globalThis.sessionStorage };
  context.after(() => Object.assign(globalThis, globals));
  const it = { told: [], reloads: 0, isPageThere: true, wasLive: true };
  Object.assign(globalThis, {
    fetch: async () => ({ ok: it.isPageThere }),
    location: { href: "http://h/number", reload: () => (it.reloads += 1) },
    sessionStorage: { getItem: (key) => items.get(key) ?? null, setItem: (key, value) => void items.set(key, value) },
  });
  const status = { link: () => "offline", setLink: (link, why) => it.told.push([link, why]) };
  const session = { save: () => undefined, hasState: () => it.wasLive };
  const host = { status, session, shown: {}, store: {} };
  const learn = async (body) => {
    await explain(host, { json: async () => body });
    return it.told.splice(0);
  };
  const gone = { code: "unknown-screen", message: "There is no screen." };

  assert.deepEqual(await learn({ code: "full", message: "No space." }), [["offline", "busy"]]);
  assert.deepEqual(await learn({ code: "closed", message: "Open from nine." }), [["offline", "Open from nine."]]);
  assert.deepEqual(await learn({ code: "upgrade-required", message: "WebSocket", protocol: 1 }), []);

  const asked = { code: "upgrade-required", message: "WebSocket", protocol: 1 };
  assert.deepEqual(await learn(asked), [], "a page that was live knows that WebSockets get through");
  it.wasLive = false;
  assert.deepEqual(await learn(asked), [], "once is chance");
  assert.deepEqual(await learn(asked), [["offline", "blocked"]]);

  it.isPageThere = false;
  assert.deepEqual(await learn(gone), [["offline", "unavailable"]]);
  assert.equal(it.reloads, 0, "there is no page that it could load");

  it.isPageThere = true;
  assert.equal((await learn(gone))[0][0], "outdated");
  assert.equal(it.reloads, 1);
  assert.deepEqual((await learn(gone)).pop(), ["offline", "unavailable"]);
  assert.equal(it.reloads, 1, "the page that was loaded is no newer");
  await learn({ code: "upgrade-required", message: "WebSocket", protocol: 2 });
  assert.equal(it.reloads, 2, "another protocol");
});
