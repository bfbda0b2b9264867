// @ts-check
// SPDX-License-Identifier: Apache-2.0

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
 * Its words are the page's own, if the line has them: `data-say-offline-ja` for a page with `lang="ja"`.
 *
 * @param {Pick<Element, "textContent" | "getAttribute">} line An element with `role="status"`.
 * @param {Pick<HTMLElement, "dataset" | "lang">} page The element that shows the link as `data-link`.
 * @param {Clock} clock
 */
export function createStatus(line, page, clock) {
  let link = /** @type {Link} */ ("connecting");
  let waiting = 0;
  let isFull = false;
  /** Why the server does not let the page in. */
  let reason = "";
  let message = "";
  /** @type {any} */
  let telling;
  /** @type {any} */
  let reading;

  /** @type {(name: string, english: string, value?: unknown) => string} */
  const text = (name, english, value) =>
    (line.getAttribute(`data-say-${name}-${page.lang}`) ?? english).replace("{}", String(value));
  const wording = () => {
    const parts = message ? [message] : [];
    if (link !== "live") parts.push(reason || text("offline", "No connection to the server. Trying again."));
    if (isFull) parts.push(text("full", "Too many changes are waiting."));
    else if (waiting) parts.push(text("waiting", "Changes waiting: {}.", waiting));
    return parts.join(" ");
  };
  const tell = () => {
    clock.clearTimeout(telling);
    const words = wording();
    if (line.textContent !== words) line.textContent = words;
  };
  const update = () => {
    clock.clearTimeout(telling);
    if (wording() === message || reason) tell();
    else telling = clock.setTimeout(tell, toldAfter);
  };

  return {
    link: () => link,
    text,
    /**
     * @param {Link} next
     * @param {string} [why] What the server said about it.
     */
    setLink(next, why) {
      link = next;
      page.dataset.link = next;
      reason = next === "live" ? "" : why ?? reason;
      update();
    },
    /**
     * @param {number} count
     * @param {boolean} full
     */
    setWaiting(count, full) {
      if (count === waiting && full === isFull) return;
      waiting = count;
      isFull = full;
      update();
    },
    /** @param {string} words Shown at once, for a while. */
    say(words) {
      message = words;
      clock.clearTimeout(reading);
      reading = clock.setTimeout(() => {
        message = "";
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
