// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { sentence } from "./words.js";

/** @typedef {"live" | "connecting" | "offline" | "resuming" | "expired" | "outdated"} Link */
/** @typedef {Pick<import("./connection.js").Environment, "setTimeout" | "clearTimeout">} Clock */

/** A state has to last so long before the status line tells it, so that a screen reader is not chased. */
const toldAfter = 700;
/** How long a message stays. */
const readFor = 8_000;

/**
 * The polite line that tells about the connection, waiting changes and refusals; it never asks for anything.
 *
 * Each message has a name, of which `words.js` makes a sentence in the page's language.
 *
 * @param {Pick<Element, "textContent" | "getAttribute">} line An element with `role="status"`.
 * @param {Pick<HTMLElement, "dataset" | "lang">} page The element that shows the link as `data-link`.
 * @param {Clock} clock
 */
export function createStatus(line, page, clock) {
  let link = /** @type {Link} */ ("connecting");
  /** Whether the link was ever lost, or never came to be. */
  let wasOffline = false;
  let [waiting, isFull] = [0, false];
  /** Why the server does not let the page in: a sentence's name, or a sentence of the server. */
  let reason = "";
  /** @type {[name: string, count?: number] | undefined} The message that is told for a while. */
  let message;
  /** @type {Map<string, string>} What the line tells of the states below, by its name. */
  let told = new Map();
  let [telling, reading] = /** @type {any[]} */ ([]);
  /** @type {(name: string, count?: number) => string} */
  const text = (name, count) => sentence(line, page.lang, name, count);
  const states = () => {
    const now = new Map();
    if (link !== "live") now.set("link", text(reason || (wasOffline ? "offline" : "connecting")));
    if (isFull) now.set("full", text("full"));
    else if (waiting) now.set("waiting", text("waiting", waiting));
    return now;
  };
  /** Takes an outdated message away at once. A new one has to last before it is told, unless it is due. */
  const tell = (isDue = false) => {
    const now = states();
    told = isDue ? now : new Map([...told].filter(([name]) => now.has(name)));
    const words = [...(message ? [text(...message)] : []), ...told.values()].join(" ");
    if (line.textContent !== words) line.textContent = words;
    clock.clearTimeout(telling);
    if ([...now].some(([name, words]) => told.get(name) !== words)) telling = clock.setTimeout(() => tell(true), toldAfter);
  };
  return {
    link: () => link,
    text,
    /** The page's language has changed. */
    translate: () => tell(true),
    /** @type {(next: Link, why?: string) => void} Tells `why` at once: a sentence's name, or a sentence of the server. */
    setLink(next, why = reason) {
      link = page.dataset.link = next;
      wasOffline ||= next === "offline";
      reason = next === "live" ? "" : why;
      tell(Boolean(reason));
    },
    /** @type {(count: number, full: boolean) => void} */
    setWaiting(count, full) {
      if (count === waiting && full === isFull) return;
      [waiting, isFull] = [count, full];
      tell();
    },
    /** @type {(name: string, count?: number) => void} Tells it at once, for a while. */
    say(...next) {
      message = next;
      clock.clearTimeout(reading);
      reading = clock.setTimeout(() => {
        message = undefined;
        tell();
      }, readFor);
      tell();
    },
  };
}
