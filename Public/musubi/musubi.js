// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { refusal, screenAddress } from "./address.js";
import { createConnection } from "./connection.js";
import * as attr from "./outlets/attr.js";
import * as checked from "./outlets/checked.js";
import * as class_ from "./outlets/class.js";
import * as disabled from "./outlets/disabled.js";
import * as hidden from "./outlets/hidden.js";
import * as on from "./outlets/on.js";
import * as prop from "./outlets/prop.js";
import * as text from "./outlets/text.js";
import * as value from "./outlets/value.js";
import { createPace } from "./pace.js";
import { attachAll, createListen, createWatchers } from "./page.js";
import { createSession } from "./session.js";
import { createPendingMarks, createStatus } from "./status.js";
import { createStore } from "./store.js";

/** One outlet per `data-` attribute; what ends in `-` has an argument. */
const outlets = {
  "bind-text": text.attach,
  "bind-value": value.attach,
  "bind-checked": checked.attach,
  "bind-hidden": hidden.attach,
  "bind-disabled": disabled.attach,
  "bind-class-": class_.attach,
  "bind-attr-": attr.attach,
  "bind-prop-": prop.attach,
  "on-": on.attach,
};

/** Elements that a full queue makes unusable. */
const controls = "[data-bind-value], [data-bind-checked], [data-on-click], [data-on-submit]";

/** Joins the page to its screen. */
function start() {
  const root = document.documentElement;
  const address = screenAddress(location, document.body.dataset);
  const status = createStatus(statusLine(), root, window);
  const marks = createPendingMarks(window);
  const listen = createListen(document);
  const watchers = createWatchers();
  /** @type {Map<string, Set<(change: any, before: string, source: unknown) => void>>} */
  const textListeners = new Map();
  /** @type {WeakMap<Element, () => void>} */
  const paces = new WeakMap();
  /** @type {(() => void)[]} */
  let whenReady = [];
  let schema = "";

  status.setLink("connecting");
  const store = createStore(`musubi ${address.socket(false)}`);

  const session = createSession(
    {
      send: (frame) => connection.send(frame),
      live: () => status.setLink(status.link() === "outdated" ? "outdated" : "live"),
      state(state) {
        watchers.show(state);
        for (const run of whenReady.splice(0)) run();
        for (const element of document.querySelectorAll("[data-cloak]")) element.removeAttribute("data-cloak");
      },
      text(name, change, before, source) {
        for (const changed of textListeners.get(name) ?? []) changed(change, before, source);
      },
      acknowledged(ack) {
        marks.acknowledge(ack);
        showWaiting();
      },
      event: (name, value) => root.dispatchEvent(new CustomEvent(`musubi:${name}`, { detail: value })),
      problem(code, message) {
        if (code === "session-unknown" || code === "token-refused") return;
        status.say(message);
        if (code === "rate-limited") setTimeout(() => (session.resubmit(), session.flush()), 2000);
      },
      lost(taps) {
        if (taps) status.say(`The server restarted. Unconfirmed taps: ${taps}.`);
      },
      hello(hello) {
        if (hello.protocol > 1 || (schema && schema !== hello.schema)) {
          status.setLink("outdated", "This page has changed. Reload it.");
        }
        schema = hello.schema;
        if (hello.dev) inspect(hello.dev);
      },
      broken: () => connection.drop(),
      reload: () => location.reload(),
    },
    store.take(),
  );

  const connection = createConnection(
    {
      open: () => {
        const resume = session.open();
        status.setLink(session.hasState() ? "resuming" : "connecting");
        return resume;
      },
      url: address.socket,
      receive: session.receive,
      async ended({ code, reason, isFinal, hadOpened }) {
        const link = !isFinal ? "offline" : code === 4501 ? "outdated" : "expired";
        status.setLink(link, isFinal ? reason : undefined);
        showWaiting();
        if (hadOpened || session.hasState()) return;
        const why = await refusal(address.explanation);
        if (why && status.link() !== "live") status.setLink(status.link(), why);
      },
    },
  );

  /**
   * Counts an input that was queued, and sends it when its element may.
   *
   * @param {Element} element
   * @param {number} input
   */
  const queued = (element, input) => {
    if (input) marks.add(element, input);
    const { dataset } = /** @type {HTMLElement} */ (element);
    const pace = paces.get(element) ?? createPace(dataset, session.flush, window);
    paces.set(element, pace);
    pace();
    showWaiting();
  };

  const showWaiting = () => {
    const isFull = session.isFull();
    status.setWaiting(session.waiting(), isFull);
    if (isFull === root.hasAttribute("data-full")) return;
    root.toggleAttribute("data-full", isFull);
    for (const control of document.querySelectorAll(controls)) {
      control.toggleAttribute("readonly", isFull);
      control.setAttribute("aria-disabled", String(isFull));
    }
  };

  /** @type {import("./page.js").Context} */
  const context = {
    watch: watchers.watch,
    whenReady: (run) => void (session.hasState() ? run() : whenReady.push(run)),
    text: session.text,
    onText(name, changed) {
      const listeners = textListeners.get(name) ?? new Set();
      textListeners.set(name, listeners.add(changed));
      return () => listeners.delete(changed);
    },
    edit: (element, name, edit, source) => queued(element, session.edit(name, edit, source)),
    input: (element, kind, name, value) => queued(element, session.input(kind, name, value)),
    listen,
    later: (run) => void setTimeout(run, 0),
  };

  // What a person finishes leaves at once, in order; registered first, hence before the outlets' own listeners.
  for (const type of ["click", "focusout", "submit", "change"]) document.addEventListener(type, session.flush, true);
  document.addEventListener("keydown", (event) => event.key === "Enter" && !event.isComposing && session.flush(), true);
  attachAll(document.body, context, outlets);

  const comeOrGo = (/** @type {Event} */ { type }) => {
    if (type === "pagehide" || document.visibilityState === "hidden") {
      session.flush();
      store.leave(session.save());
    } else if (session.hasState()) {
      store.take();
      connection.wake();
    }
  };
  // A phone ends hidden pages without another word, so being hidden counts as going.
  for (const type of ["pagehide", "pageshow", "online"]) addEventListener(type, comeOrGo);
  document.addEventListener("visibilitychange", comeOrGo);
  connection.connect();
}

/** The page's own status line, or a new one at its end. */
function statusLine() {
  const existing = document.querySelector("[role=status]");
  if (existing) return existing;
  const line = document.createElement("p");
  line.setAttribute("role", "status");
  return document.body.appendChild(line);
}

/**
 * Checks the page against the screen's names; a development server asks for it.
 *
 * @param {{screen: string, inputs: string[], outputs: string[]}} names
 */
async function inspect(names) {
  // The bundle lies beside the folder of the modules.
  const inspector = new URL(import.meta.url.endsWith("/musubi/musubi.js") ? "dev.js" : "musubi/dev.js", import.meta.url);
  (await import(inspector.href)).inspect(document, names);
}

start();
