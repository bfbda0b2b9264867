// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { screenAddress } from "./address.js";
import { createConnection } from "./connection.js";
import * as on from "./outlets/on.js";
import * as text from "./outlets/text.js";
import * as value from "./outlets/value.js";
import { attachAll, createListen, uncloak } from "./page.js";
import { createPendingMarks, stopControls } from "./pending.js";
import { createSession } from "./session.js";
import { shared } from "./shared.js";
import { createStatus } from "./status.js";
import { createStore } from "./store.js";
import { createView } from "./view.js";
import { inherits } from "./visitor.js";
import { words } from "./words.js";

/** @typedef {typeof import("./musubi-more.js")} SecondFile */

/**
 * The outlets that most pages use, one per `data-` attribute; what ends in `-` has an argument. Lists, navigation,
 * dialogs and the other outlets are in a second file, which loads when a page needs one of them; the panel of the
 * connection is in a file of its own.
 *
 * @type {Record<string, import("./page.js").Attach>}
 */
const outlets = {
  "bind-spoken": text.attachSpoken,
  "bind-text": text.attach,
  "bind-value": value.attach,
  "connection": () => void fetchFile("./musubi-connection.js"),
  "on-": on.attach,
};

const root = document.documentElement;
const store = createStore();
const here = location.pathname + location.search;
const saved = store.take(here);
/** The screen that the page shows, its address, and where the session began: kept for a reload. */
const shown = {
  screen: saved?.screen ?? 0, path: here,
  first: saved?.screen ? saved.first : { href: location.href, ...document.body.dataset },
};
const address = screenAddress(shown.first);
/** The page's own status line, or a new one at its end. */
const line = document.querySelector("[role=status]") ?? document.body.appendChild(document.createElement("output"));
const status = createStatus(line, root, window);
const marks = createPendingMarks(window);
/** @type {WeakMap<Element, () => void>} */
const paces = new WeakMap();
/** @type {Map<number, import("./view.js").View>} */
const views = new Map();
let schema = "";
/** @type {string | undefined} */
let visitor;
/** @type {Promise<SecondFile> | undefined} */
let loading;
/** @type {import("./stack.js").Stack | undefined} */
let stack;

/** @type {Partial<import("./screen.js").Notify>} The second file knows the rest, which is rare. */
const notify = {
  send: (frame) => connection.send(frame),
  live() {
    if (status.link() !== "outdated") status.setLink("live");
    if (!document.hidden) return;
    // The inputs that a hidden page has left are old now: its duplicate would send them once more.
    if (!store.isTaken()) store.take(shown.path);
    comeOrGo({ type: "" });
  },
  state: (screen, state) => view(screen).state(state),
  async screens(list) {
    // The history may hold screens of this session, or of another one.
    if (!(list.length || stack || shown.screen || history.state?.musubi)) return;
    const { createStack } = await load();
    stack ??= createStack(host);
    stack.show(list);
  },
  acknowledged(ack) {
    marks.acknowledge(ack);
    showWaiting();
  },
  event: ({ name, value }) => root.dispatchEvent(new CustomEvent(`musubi:${name}`, { detail: value })),
  hello(hello) {
    if (hello.protocol > 1 || (schema && schema !== hello.schema)) ask("tellChange", hello.schema);
    schema = hello.schema;
    visitor = hello.visitor;
    store.keepOnly(visitor);
    if (hello.dev || hello.forbidden) ask("hear", hello);
  },
  broken: () => connection.drop(),
  more: (frame) => ask("hear", frame),
  recover: (use) => load().then(({ recovery }) => use(recovery)),
};
const session = createSession(/** @type {any} */ (notify), saved);

const connection = createConnection({
  open() {
    if (status.link() !== "live") status.setLink(session.hasState() ? "resuming" : "connecting");
    return session.open();
  },
  url: address,
  receive: (frame) => session.receive(frame),
  ended(code, reason, isFinal, hadOpened) {
    // The page only says again who it is.
    if (code === 4005) return;
    status.setLink(isFinal ? "expired" : "offline");
    showWaiting();
    if (isFinal) ask("tellEnd", code, reason);
    // A script cannot read why a handshake failed; the server answers the same request in plain HTTP with the reason.
    else if (!hadOpened) fetch(address().replace("ws", "http")).then((answer) => ask("explain", answer), () => {});
  },
});

/** What further files may use of the page. */
const host = { session, notify, shown, status, store, view, views, connection, line, leave: comeOrGo };

/** What a view may use of the page. */
const page = {
  shown,
  /** @type {import("./page.js").Context["pace"]} */
  pace: (element, createPace) => void paces.set(element, createPace(flush)),
  listen: createListen(window),
  attach: (/** @type {Element} */ element, /** @type {import("./page.js").Context} */ context) =>
    attachAll(element, context, outlets),
  /** @type {import("./page.js").Context["more"]} */
  more(element, context, binding) {
    /** @type {any} What ends it; nothing, if that was before it has begun. */
    let stop = () => (stop = undefined);
    load().then(() => (stop &&= outlets[/** @type {any} */ (binding.kind)]?.(element, context, binding)));
    return () => stop?.();
  },
};

/** @param {number} screen */
function view(screen) {
  const found = views.get(screen) ?? createView(screen, session, queued, page, tellLong);
  views.set(screen, found);
  return found;
}

/**
 * Counts an input that was queued, and sends it when its element may.
 *
 * @param {Element} element
 * @param {number} input
 */
function queued(element, input) {
  if (input > 0) marks.add(element, input);
  (paces.get(element) ?? session.flush)();
  showWaiting();
}

/** @type {import("./view.js").TellLong} */
function tellLong(element, over, ...about) {
  if (over > 0 || element.hasAttribute("aria-invalid")) ask("tellLong", element, over, ...about);
}

/** Tells how many changes wait, and whether there are too many. */
function showWaiting() {
  const isFull = session.queue.isFull();
  status.setWaiting(session.queue.changes(status.link() === "live"), isFull);
  stopControls(isFull);
}

/** Sends what waits, also for a pause in typing. */
function flush() {
  session.flush();
  showWaiting();
}

/** @type {(file: string) => Promise<any>} A further file of this build, as soon as it loads. */
async function fetchFile(file) {
  try {
    const module = await import(file);
    module.begin(/** @type {any} */ (import.meta).build, shared, words, outlets, host, fetchFile);
    return module;
  } catch {
    status.say("offline");
    await new Promise((run) => setTimeout(run, 2_000));
    // A module that did not load stays so under its address.
    return fetchFile(`${file}#`);
  }
}

/** @type {() => Promise<SecondFile>} The second file, which loads once. */
const load = () => (loading ??= fetchFile("./musubi-more.js"));

/** @type {(name: any, ...values: any[]) => Promise<void>} Has the second file do something. */
async function ask(name, ...values) {
  return /** @type {any} */ (await load())[name](host, ...values);
}

/** What outlets of the shown screen may ask for. */
const front = () => view(shown.screen).context;

/**
 * The screen that the page shows, for scripts of its own: `import { screen } from "/musubi.js"`. `types.d.ts` has its types.
 */
export const screen = {
  /** @type {import("./page.js").Context["watch"]} */
  observe: (name, show) => page.more(root, front(), /** @type {any} */ ({ kind: "observe", name, show })),
  /** @type {(name: string, value?: unknown) => void} */
  send: (name, value) =>
    void page.more(root, front(), /** @type {any} */ ({ kind: "send", name, json: JSON.stringify(value) })),
};

/** @type {(event: {type: string}) => void} The person leaves the page, or returns to it. */
function comeOrGo({ type }) {
  // The browser may keep the page whole. Who comes back to it may be another than its visitor, and must see nothing of it.
  if (type === "pagehide" && !inherits(undefined, visitor)) root.style.opacity = "0";
  if (type === "pageshow" && root.style.opacity) location.reload();
  else if (store.isTaken()) document.hidden ? connection.drop(4502) : location.reload();
  else if (type !== "storage") {
    if (type === "pagehide" || document.hidden) {
      session.flush();
      const record = session.save();
      store.leave(shown.path, record && { ...record, ...shown });
    } else if (session.hasState() || status.link() === "expired" || type === "online") {
      store.take(shown.path);
      connection.wake();
    }
  }
  // Chromium may keep the connection of a page that it keeps whole, and its visitor would be here still.
  if (type === "pagehide") connection.drop();
}

const translate = () => ask("translatePage");

// Finished typing leaves at once, in order; registered first, hence before the outlets' own listeners.
for (const type of ["click", "focusout", "submit", "change"]) addEventListener(type, flush, true);
addEventListener("keydown", (event) => event.key === "Enter" && flush(), true);
// The head, too: a title is a text like any other.
attachAll(root, front(), outlets);
front().whenReady(() => Promise.resolve(loading).then(uncloak));
// A phone ends hidden pages without another word, so being hidden counts as going.
for (const type of ["pagehide", "pageshow", "online", "offline", "storage", "visibilitychange"]) addEventListener(type, comeOrGo);
if (history.state?.notice) ask("tellVisitor");
addEventListener("languagechange", translate);
// English alone is in this file.
if (root.lang && !root.lang.startsWith("en")) translate();
connection.connect();
