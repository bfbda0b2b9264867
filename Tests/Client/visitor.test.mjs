// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { startOver, tellSignedOut, tellVisitor } from "../../Sources/BrowserClient/musubi/departure.js";
import { hear } from "../../Sources/BrowserClient/musubi/forbidden.js";
import { createView } from "../../Sources/BrowserClient/musubi/view.js";
import { explain, tell, tellEnd } from "../../Sources/BrowserClient/musubi/notices.js";
import { createConnection } from "../../Sources/BrowserClient/musubi/connection.js";
import * as recovery from "../../Sources/BrowserClient/musubi/recovery.js";
import { attach } from "../../Sources/BrowserClient/musubi/outlets/query.js";
import { createSession } from "../../Sources/BrowserClient/musubi/session.js";
import * as files from "../../Sources/BrowserClient/musubi/upload/memory.js";
import * as places from "../../Sources/BrowserClient/musubi/window/memory.js";
import { createStore } from "../../Sources/BrowserClient/musubi/store.js";
import { inherits } from "../../Sources/BrowserClient/musubi/visitor.js";
import { fakeWindow } from "./support/clock.mjs";
import { createPage } from "./support/network.mjs";
import { createServer } from "./support/server.mjs";
import { fakeStorage } from "./support/storage.mjs";

/** A page that `visitor` has open, on which an edit and a tap wait that the server has not got. */
function waiting(visitor, server = Object.assign(createServer(), { visitor })) {
  const page = createPage(server);
  page.open();
  page.settle();
  page.edit([[1, 0, "1"]]);
  page.settle();
  page.cut();
  page.edit([[2, 0, "2"]]);
  page.tap("roll");
  return { server, page };
}

/** The frames of the next connection, to the page itself or to its reloaded one. */
function returned({ server, page }, isReloaded) {
  const next = isReloaded ? createPage(server, JSON.parse(JSON.stringify(page.session.save()))) : page;
  next.sent.length = 0;
  next.open();
  next.settle();
  return next;
}

/** What becomes of the session meanwhile. */
const fates = { lives: () => {}, "has expired": (server) => server.forget(), "was lost by a restart": (server) => server.restart() };

for (const [fate, happen] of Object.entries(fates)) {
  for (const isReloaded of [false, true]) {
    const place = `${isReloaded ? "after a reload" : "on the open page"}, if the session ${fate}`;

    test(`what the same visitor typed is handed over ${place}`, () => {
      const before = waiting("ann");
      happen(before.server);

      const page = returned(before, isReloaded);

      assert.equal(page.changed, 0);
      assert.equal(before.server.taken.length, fate === "lives" ? 3 : 2);
      if (fate !== "lives") assert.deepEqual([page.shown, page.lost], ["012", 1]);
      assert.equal(page.session.save().visitor, "ann");
    });

    test(`text typed before signing in is handed over, and taps are not, ${place}`, () => {
      const before = waiting("anonymous");
      const session = before.page.session.identity();
      happen(before.server);
      before.server.visitor = "ann";

      const page = returned(before, isReloaded);

      assert.deepEqual([page.changed, page.lost, page.shown, before.server.text.value], [0, 1, "012", "012"]);
      assert.notEqual(page.session.identity(), session);
      assert.equal(page.session.save().visitor, "ann");
      assert.ok(!before.server.taken.some((entry) => entry === `${session}:3`), "the tap");
    });

    for (const [first, second] of [["ann", "bob"], ["ann", "anonymous"], ["ann", undefined], [undefined, "ann"]]) {
      test(`${second} gets nothing of what ${first} typed ${place}`, () => {
        const before = waiting(first);
        happen(before.server);
        const { value } = before.server.text;
        before.server.visitor = second;

        const page = returned(before, isReloaded);

        assert.equal(page.changed, 1);
        assert.deepEqual(page.sent.filter((frame) => !frame.resume), []);
        assert.equal(before.server.text.value, value);
        assert.deepEqual([page.shown, page.lost], [isReloaded ? undefined : "012", 0], "nothing of the new session is shown");
        page.edit([[0, 0, "x"]]);
        page.settle();
        assert.equal(before.server.text.value, value, "nor is anything sent that is typed before the page has gone");
      });
    }
  }
}

test("a session of which no server has said whose it is goes on if the server says that it does", () => {
  const before = waiting(undefined);
  for (const session of before.server.sessions.values()) session.visitor = before.server.visitor = "ann";

  const page = returned(before, true);

  assert.deepEqual([page.changed, page.session.queue.entries().length, page.session.save().visitor], [0, 0, "ann"]);
});

test("a session that a server continues for somebody else is not gone on with", () => {
  const before = waiting("ann");
  before.server.visitor = "bob";
  for (const session of before.server.sessions.values()) session.visitor = "bob";

  const page = returned(before, false);
  assert.deepEqual([page.brokenTimes, page.sent.filter((frame) => frame.input)], [1, []]);
  page.cut();
  page.open();
  page.settle();

  assert.deepEqual([page.changed, page.sent.filter((frame) => frame.input)], [1, []]);
});

test("the text that a screen begins with is not given to the session of a visitor who has another one", () => {
  const server = Object.assign(createServer({ text: "" }), { visitor: "anonymous" });
  const page = createPage(server);
  page.open();
  page.settle();
  page.cut();
  server.restart();
  server.visitor = "ann";
  Object.assign(server.text, { value: "Ann" });

  page.open();
  page.settle();

  assert.deepEqual([page.shown, server.text.value], ["Ann", "Ann"]);
});

test("the page of a later screen is told of another visitor, and does not take typing along", () => {
  const told = [];
  const notify = { changed: (visitor) => told.push(visitor), moves: () => assert.fail("it would take it along"), recover: (use) => use(recovery) };
  const session = createSession(new Proxy(notify, { get: (target, key) => target[key] ?? (() => {}) }));
  session.help(recovery);
  const state = { snapshot: {}, epoch: "e", sequence: 0 };
  const screens = [{ screen: 0, name: "list", path: "/list" }, { screen: 1, name: "note", path: "/list/1" }];
  for (const frame of [{ hello: { session: "s", token: "t", visitor: "ann" } }, state, { screens }, { ...state, screen: 1 }]) session.receive(frame);
  session.open();
  session.input("typed", { name: "size", value: "large", row: "7", screen: 1 });

  session.receive({ error: { code: "visitor-changed", message: "" } });
  session.receive({ hello: { session: "u", token: "v", visitor: "bob" } });
  session.receive(state);

  assert.deepEqual(told, ["bob"]);
});

test("a visitor has their own, and text typed before anybody had signed in", () => {
  const pairs = [["ann", "ann"], ["ann", "anonymous"], ["anonymous", "anonymous"], [undefined, undefined], ["ann", "bob"], ["anonymous", "ann"], ["ann", undefined], [undefined, "ann"]];

  assert.deepEqual(pairs.map(([now, before]) => inherits(now, before)), [true, true, true, true, false, false, false, false]);
});

test("values that others have left in the tab go when a visitor comes, and those without an owner stay for the server to decide", () => {
  const tab = fakeStorage({ "musubi versions": "[]", other: "x", "musubi /broken": "{" });
  const shared = fakeStorage();
  for (const [path, visitor] of [["/a", "ann"], ["/b", "bob"], ["/c", "anonymous"], ["/d", undefined]]) {
    const store = createStore(tab, shared);
    store.take(path);
    store.leave(path, { session: "s", visitor });
  }

  createStore(tab, shared).keepOnly("bob");

  assert.deepEqual(Object.keys(tab).sort(), ["musubi /b", "musubi /broken", "musubi /c", "musubi /d", "musubi versions", "other"]);
});

test("names of files and places in lists go with the visitor that they are of", (context) => {
  const globals = { location: globalThis.location, sessionStorage: globalThis.sessionStorage };
  context.after(() => Object.assign(globalThis, globals));
  const tab = fakeStorage();
  Object.assign(globalThis, { location: { pathname: "/a", search: "?word=tea" }, sessionStorage: tab });
  let visitor = "ann";
  files.useVisitor(() => visitor);
  places.useVisitor(() => visitor);
  const keep = () => {
    files.remember({ key: "photo", name: "ann.png", size: 1, date: 1, place: "/uploads/1" });
    places.remember("cards", { id: 7, top: 0 });
  };
  keep();
  assert.deepEqual([files.remembered("photo").length, places.recall("cards")?.id], [1, 7]);

  createStore(tab, fakeStorage()).keepOnly("ann");
  assert.equal(Object.keys(tab).length, 2);
  createStore(tab, fakeStorage()).keepOnly("bob");
  assert.deepEqual([Object.keys(tab), files.remembered("photo"), places.recall("cards")], [[], [], undefined]);

  // What was done before anybody had signed in is of who signs in.
  visitor = "anonymous";
  keep();
  createStore(tab, fakeStorage()).keepOnly("bob");
  assert.equal(Object.keys(tab).length, 2);
});

function connected() {
  const window = fakeWindow();
  const endings = [];
  const connection = createConnection(
    { open: () => undefined, url: () => "ws://h/live/x", receive: () => {}, ended: (code, reason, isFinal, hadOpened) => endings.push({ code, reason, isFinal, hadOpened }) },
    window,
    () => 0.5,
  );
  connection.connect();
  return { window, connection, endings };
}

test("a page that is to say again who it is returns at once, but not again and again", () => {
  const { window } = connected();
  for (const count of [2, 3, 4]) {
    window.socket().accept();
    window.advance(2000);
    window.socket().end(4005, "identify again");
    window.advance(0);
    assert.equal(window.sockets.length, count);
  }

  window.socket().accept();
  window.socket().end(4005, "identify again");
  window.advance(0);
  assert.equal(window.sockets.length, 4, "the server does not take it");
  window.advance(10_000);

  assert.equal(window.sockets.length, 5);
});

test("a page that rests comes back when somebody looks at it, and not before", () => {
  const { window, connection } = connected();
  window.socket().end();
  connection.rest();
  window.advance(600_000);
  assert.equal(window.sockets.length, 1);

  connection.wake();
  assert.equal(window.sockets.length, 2);
  connection.rest();
  window.advance(11_000);

  assert.equal(window.sockets.length, 3, "an attempt under way has its end");
});

globalThis.location = /** @type {any} */ ({ pathname: "/a", search: "?b=c", replace: () => {} });

/** What the second file needs of a page. */
function host({ identity } = {}) {
  const said = [];
  const status = {
    link: () => "offline",
    setLink: (...link) => said.push(link),
    say: (words) => said.push(words),
    text: (name) => `<${name}>`,
  };
  const connection = { rest: () => said.push("rests") };
  return { said, status, rests: 0, session: { identity: () => identity }, shown: {}, connection };
}

test("a page that is refused says so with the server's sentence, and rests", async () => {
  const answer = (message, type = "basic") => ({ type, json: async () => ({ code: "not-authorized", message }) });
  const refused = async (it, ...of) => (await explain(it, answer(...of)), it.said);

  assert.deepEqual(await refused(host({ identity: "s" }), "Members only."), ["rests", ["expired", "<signed-out> Members only."]]);
  assert.deepEqual(await refused(host({ identity: "s" }), undefined), ["rests", ["expired", "<signed-out>"]]);
  assert.deepEqual(await refused(host(), "Members only."), ["rests", ["expired", "Members only."]], "at a first visit");
  assert.deepEqual(await refused(host(), undefined), ["rests", ["expired", "<sign-in>"]], "if the application says nothing");
  assert.deepEqual(await refused(host({ identity: "s" }), "Cookies!", "cors"), [["offline", "Cookies!"]], "a request without cookies");
});

test("a page that its visitor may not open says that of the page, and not of an input", async () => {
  const it = host();

  await explain(it, { type: "basic", json: async () => ({ code: "not-allowed", message: "You may not open this page." }) });
  tell(it, "not-allowed", "You may not use next.");

  assert.deepEqual(it.said, [["offline", "forbidden"], "not-allowed"]);
});

test("a page goes where one logs in, and says where it wants to be afterwards; but not in a circle", async () => {
  const { replace } = location;
  const goes = async (logIn) => {
    const it = host({ identity: "s" });
    globalThis.document ??= /** @type {any} */ ({ querySelectorAll: () => [] });
    Object.assign(location, { href: "https://h/a?b=c", replace: (to) => it.said.push(to) });
    await explain(it, { json: async () => ({ code: "not-authorized", message: "Please log in.", logIn }) });
    return it.said;
  };

  assert.deepEqual(await goes("/login"), ["rests", "/login?next=%2Fa%3Fb%3Dc"]);
  assert.deepEqual(await goes("/login?kind=b"), ["rests", "/login?kind=b&next=%2Fa%3Fb%3Dc"]);
  assert.deepEqual(await goes("/a?kind=b"), ["rests", ["expired", "<signed-out> Please log in."]]);
  location.replace = replace;
});

test("a page that is refused behind its handshake ends its connection, and says why as behind a failed one", async () => {
  const it = host({ identity: "s" });
  it.connection.drop = () => void it.said.push("drops");

  hear(it, { refused: { status: 401, code: "not-authorized", message: "Members only." } });
  await new Promise((run) => setTimeout(run));
  hear(it, { refused: { status: 503, code: "timed-out", message: "Nobody knows." } });
  await new Promise((run) => setTimeout(run));

  assert.deepEqual(it.said, ["drops", "rests", ["expired", "<signed-out> Members only."], "drops", ["offline", "busy"]]);
});

test("a page that is no longer let in says so with the server's reason", () => {
  const it = host({ identity: "s" });

  tellEnd(it, 4503, "Your membership has ended.");

  assert.deepEqual(it.said, ["rests", ["expired", "<signed-out> Your membership has ended."]]);
});

test("a page whose visitor has changed does not show the server's word for it", () => {
  const it = host();

  tell(it, "visitor-changed", "This session belongs to another visitor.");

  assert.deepEqual(it.said, []);
});

/** A browser's window, as far as a page needs it that begins again. */
function fakePage(context, { state = null, visibilityState = "visible" } = {}) {
  const names = ["document", "history", "location", "addEventListener"];
  const globals = Object.fromEntries(names.map((name) => [name, globalThis[name]]));
  context.after(() => Object.assign(globalThis, globals));
  const it = Object.assign(host(), { children: ["her text", "line"], filters: [], listeners: [] });
  Object.assign(globalThis, {
    document: {
      title: "Ann's", visibilityState, body: { replaceChildren: (...next) => (it.children = next) },
      // The field of a long list is there as long as the page is.
      querySelectorAll: () => (it.children.includes("her text") ? it.filters : []),
    },
    history: { state, replaceState: (next, _title, to) => Object.assign(history, { state: next, to: String(to) }) },
    location: { href: "https://h/a?from=link&word=her+text", reload: () => it.said.push("reload") },
    addEventListener: (type, run) => it.listeners.push(run),
  });
  return Object.assign(it, { shown: { path: "/a" }, line: "line", store: { keepOnly: (visitor) => it.said.push(["keeps", visitor]) } });
}

test("what the visitor before saw and typed leaves screen, title and storage, and the next page says why", (context) => {
  const it = fakePage(context, { state: { musubi: ["s", "0"] } });

  startOver(it, "bob");

  assert.deepEqual([it.children, document.title, it.shown.path], [["line"], "", ""]);
  assert.deepEqual(it.said.splice(0), [["keeps", "bob"], "visitor", "reload"]);
  tellVisitor(it);
  assert.deepEqual([it.said.splice(0), history.state], [["visitor"], { musubi: ["s", "0"], query: undefined }]);

  startOver(it, "anonymous");
  assert.deepEqual([it.said[1], history.state.notice], ["nobody", "nobody"]);
});

test("what the page has written into its address goes with the visitor, and is not written again", (context) => {
  const it = fakePage(context, { state: { query: { word: "her text" }, y: 7 } });
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const values = {};
  const watch = (name, show) => void (values[name] = show);
  attach({}, { shown: { path: "/a", screen: 0 }, text: () => {}, watch, whenReady: (run) => run() }, { argument: "", name: "word" });

  startOver(it, "bob");

  assert.deepEqual([history.state, history.to], [{ query: undefined, y: 7, notice: "visitor" }, "https://h/a?from=link"]);
  values.word("her text");
  context.mock.timers.tick(1_000);
  assert.ok(!JSON.stringify([history.state, history.to]).includes("her text"));
});

test("what somebody has looked for in a long list leaves the address with them", (context) => {
  const it = fakePage(context);
  it.filters = [{ name: "word" }];

  startOver(it, "bob");

  assert.equal(history.to, "https://h/a?from=link");
});

test("what the page has written into its address stays away from who logs in next", (context) => {
  const it = fakePage(context);
  const goes = (identity, place) => {
    Object.assign(location, { pathname: "/a", search: "?from=link&word=her+text", replace: (to) => it.said.push(to) });
    it.session.identity = () => identity;
    it.shown.path = "/a?from=link&word=her+text";
    tellSignedOut(it, "Please log in.", place);
    return [it.said.splice(0).at(-1), it.shown.path];
  };
  const page = { shown: it.shown, text: () => {}, watch: () => () => {}, whenReady: (run) => run() };
  const stop = attach({}, page, { argument: "", name: "word" });

  assert.deepEqual(goes("s", "/login"), ["/login?next=%2Fa%3Ffrom%3Dlink", "/a?from=link"]);
  assert.deepEqual(goes("", "/login"), ["/login?next=%2Fa%3Ffrom%3Dlink%26word%3Dher%2Btext", "/a?from=link&word=her+text"]);
  assert.deepEqual(goes("s")[1], "/a?from=link&word=her+text", "who stays at the page keeps it");
  stop();
});

test("a page that nobody looks at says so when somebody does", (context) => {
  const it = fakePage(context, { visibilityState: "hidden", state: { notice: "visitor" } });

  tellVisitor(it);
  assert.deepEqual([it.said, history.state], [[], {}]);
  it.listeners.forEach((run) => run());

  assert.deepEqual(it.said, ["visitor"]);
});

test("a visitor's own values stand in the place of those that all have, and turns go on below", async () => {
  const shown = [];
  const views = [0, 2].map((screen) => createView(screen, {}, () => {}, {}, () => {}));
  const it = { session: { hasState: (screen = 0) => screen === 0 }, view: (screen) => views[screen / 2], views: new Map([[0, views[0]]]) };
  views[0].context.watch("cards", (cards) => shown.push(cards));
  views[1].context.watch("cards", (cards) => shown.push(["second", cards]));
  views[0].state({ count: 1, cards: ["?"] });

  hear(it, { personal: { cards: ["ace"] } });
  views[0].state({ count: 2, cards: ["?", "?"] });
  assert.deepEqual(shown, [["?"], ["ace"]], "a turn does not show through");
  hear(it, { personal: {} });
  assert.deepEqual(shown.at(-1), ["?", "?"], "the newest that all have");

  hear(it, { personal: { cards: [{ id: 1, face: "ace" }, { id: 2, face: "two" }] } });
  const second = shown.at(-1)[1];
  hear(it, { personal: [{ op: "replace", path: "/cards/0/face", value: "ten" }] });
  assert.deepEqual(shown.at(-1), [{ id: 1, face: "ten" }, { id: 2, face: "two" }], "a patch of what was before");
  assert.equal(shown.at(-1)[1], second, "what has not changed is the same");
  hear(it, { personal: [{ op: "remove", path: "/cards" }], screen: 2 });
  assert.equal(views[1].personal, undefined, "nothing for a screen that was left");
  hear(it, { personal: {} });
  shown.length = 3;

  hear(it, { personal: { cards: ["king"] }, screen: 2 });
  assert.equal(shown.length, 3, "no state, nothing to show");
  views[1].state({ cards: ["?"] });
  assert.deepEqual(shown.at(-1), ["second", ["king"]]);
});
