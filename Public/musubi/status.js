// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { sentence } from "./words.js";

/** @typedef {"live" | "connecting" | "offline" | "resuming" | "expired" | "outdated"} Link */
/** @typedef {Pick<import("./connection.js").Environment, "setTimeout" | "clearTimeout">} Clock */

/** An element shows that its input waits from then on; milliseconds. */
const pendingAfter = 200;
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
  let waiting = 0;
  let isFull = false;
  /** Why the server does not let the page in: a sentence's name, or a sentence of the server. */
  let reason = "";
  /** @type {[name: string, count?: number] | undefined} The message that is told for a while. */
  let message;
  /** @type {Map<string, string>} What the line tells of the states below, by its name. */
  let told = new Map();
  /** @type {any} */
  let telling;
  /** @type {any} */
  let reading;

  /** @type {(name: string, count?: number) => string} */
  const text = (name, count) => sentence(line, page.lang, name, count);

  /** What there is to tell as long as it lasts. */
  const states = () => {
    const now = /** @type {Map<string, string>} */ (new Map());
    if (link !== "live") now.set("link", text(reason || (wasOffline ? "offline" : "connecting")));
    if (isFull) now.set("full", text("full"));
    else if (waiting) now.set("waiting", text("waiting", waiting));
    return now;
  };

  /**
   * Takes an outdated message away at once; a new one has to last, unless it is due.
   *
   * @param {boolean} [isDue]
   */
  const tell = (isDue) => {
    const now = states();
    const next = isDue ? now : new Map([...told].filter(([name]) => now.has(name)));
    told = next;
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
    /**
     * @param {Link} next
     * @param {string} [why] Told at once: a sentence's name, or a sentence of the server.
     */
    setLink(next, why) {
      link = next;
      page.dataset.link = next;
      wasOffline ||= next === "offline";
      reason = next === "live" ? "" : why ?? reason;
      tell(Boolean(reason));
    },
    /**
     * @param {number} count
     * @param {boolean} full
     */
    setWaiting(count, full) {
      if (count === waiting && full === isFull) return;
      waiting = count;
      isFull = full;
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

/**
 * Marks the elements whose inputs wait.
 *
 * @param {Clock} clock
 */
export function createPendingMarks(clock) {
  /** @type {Map<Element, {input: number, timer: any}>} */
  const marks = new Map();
  return {
    /**
     * @param {Element} element
     * @param {number} input
     */
    add(element, input) {
      const timer =
        marks.get(element)?.timer ?? clock.setTimeout(() => element.setAttribute("data-pending", ""), pendingAfter);
      marks.set(element, { input, timer });
    },
    /** @param {number} ack */
    acknowledge(ack) {
      for (const [element, { input, timer }] of marks) {
        if (input > ack) continue;
        clock.clearTimeout(timer);
        element.removeAttribute("data-pending");
        marks.delete(element);
      }
    },
  };
}
