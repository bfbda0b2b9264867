// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { refusal } from "./address.js";
import * as attr from "./outlets/attr.js";
import * as back from "./outlets/back.js";
import * as checked from "./outlets/checked.js";
import * as class_ from "./outlets/class.js";
import * as disabled from "./outlets/disabled.js";
import * as each from "./outlets/each.js";
import * as event from "./outlets/event.js";
import * as hidden from "./outlets/hidden.js";
import * as prop from "./outlets/prop.js";
import * as time from "./outlets/time.js";
import * as typed from "./outlets/typed.js";
import * as whole from "./outlets/whole.js";
import * as pace from "./pace.js";
import * as recovery from "./recovery.js";
import * as undo from "./undo.js";

/**
 * What a page loads when it needs more than text, two-way text and buttons; `typed` belongs to `data-on-`,
 * `whole` to `data-bind-value`.
 */
export const outlets = {
  "back": back.attach,
  "bind-attr-": attr.attach,
  "bind-checked": checked.attach,
  "bind-class-": class_.attach,
  "bind-disabled": disabled.attach,
  "bind-each": each.attach,
  "bind-hidden": hidden.attach,
  "bind-prop-": prop.attach,
  "bind-shown": hidden.attachShown,
  "bind-time": time.attach,
  "debounce": pace.attach,
  "event-text": event.attach,
  "throttle": pace.attach,
  "typed": typed.attach,
  "undo": undo.attach,
  "whole": whole.attach,
};

export { createStack } from "./stack.js";
export { recovery };

/** @typedef {ReturnType<typeof import("./status.js").createStatus>} Status */

/**
 * The server has another version of the screen, or of the protocol: the page says so, and loads itself anew, once in the
 * life of its tab for each version; a page that is no newer then stays as it is.
 *
 * @param {Pick<Status, "setLink">} status
 * @param {string} version What tells the version from others.
 * @param {Pick<Storage, "getItem" | "setItem">} [storage]
 * @param {() => void} [reload]
 */
export function tellChange(status, version, storage, reload = () => setTimeout(() => location.reload(), 1000)) {
  status.setLink("outdated", "This page has changed. Reload it.");
  try {
    storage ??= sessionStorage;
    const known = JSON.parse(storage.getItem("musubi versions") ?? "[]");
    if (known.includes(version)) return;
    storage.setItem("musubi versions", JSON.stringify([...known, version]));
    reload();
  } catch {
    // Without a memory it could go on for ever.
  }
}

/** @type {(taps: number, status: Pick<Status, "say">) => void} The session is gone, and taps that nobody has confirmed. */
export const tellLoss = (taps, status) => status.say(`The server restarted. Unconfirmed taps: ${taps}.`);

/**
 * The session of a later screen is gone. Its address opens the screen alone, in a new session, and what a person has typed
 * there goes along.
 *
 * @param {import("./session.js").SavedSession | undefined} record
 * @param {{screen: number, path: string}} shown
 * @param {Pick<ReturnType<typeof import("./store.js").createStore>, "leave">} store
 */
export function move(record, shown, store) {
  if (record) {
    const entries = record.entries
      .filter(({ kind, screen }) => kind === "tap" || (kind !== "close" && screen === shown.screen))
      .map(({ screen, ...entry }) => entry);
    store.leave(shown.path, { ...record, entries, texts: { 0: record.texts[shown.screen] } });
  }
  // What leaves the page from now on is of no use to anybody.
  shown.path = "";
  location.reload();
}

/**
 * Tells what the server has refused. Where there is nothing, the page's elements with `data-not-found` say so.
 *
 * @param {[code: string, message: string]} problem
 * @param {Pick<ReturnType<typeof import("./status.js").createStatus>, "say">} status
 * @param {Pick<ReturnType<typeof import("./session.js").createSession>, "flush" | "resubmit">} session
 */
export function tell([code, message], status, session) {
  if (code === "session-unknown" || code === "token-refused") return;
  const elements = code === "not-found" ? [...document.querySelectorAll("[data-not-found]")] : [];
  for (const element of elements) element.removeAttribute("hidden");
  if (!elements.length) status.say(message);
  if (code === "rate-limited") setTimeout(() => (session.resubmit(), session.flush()), 2000);
}

/**
 * Checks the page against the screen's names; a development server asks for it.
 *
 * @param {{screen: string, inputs: string[], outputs: string[]}} names
 */
export async function inspect(names) {
  const inspector = new URL(import.meta.url.endsWith("/musubi/musubi-more.js") ? "dev.js" : "musubi/dev.js", import.meta.url);
  (await import(inspector.href)).inspect(document, names);
}

/**
 * Tells why the server did not let the page in.
 *
 * @param {string} url
 * @param {ReturnType<typeof import("./status.js").createStatus>} status
 */
export async function explain(url, status) {
  const why = await refusal(url);
  if (why && status.link() !== "live") status.setLink(status.link(), why);
}
