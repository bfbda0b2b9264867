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
 * @param {{textContent: string | null}} line An element with `role="status"`.
 * @param {{dataset: DOMStringMap}} page The element that shows the link as `data-link`.
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

  const wording = () => {
    const parts = message ? [message] : [];
    if (link === "expired" || link === "outdated") parts.push(reason || "This page has ended. Reload it.");
    else if (link !== "live") parts.push(reason || "No connection to the server. Trying again.");
    if (isFull) parts.push("Too many changes are waiting.");
    else if (waiting) parts.push(`Changes waiting: ${waiting}.`);
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
    /**
     * @param {Link} next
     * @param {string} [why] What the server said about it.
     */
    setLink(next, why) {
      link = next;
      page.dataset.link = next;
      if (next === "live") reason = "";
      else if (why !== undefined) reason = why;
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
      const mark = marks.get(element);
      if (mark) mark.input = input;
      else {
        const timer = clock.setTimeout(() => element.setAttribute("data-pending", ""), pendingAfter);
        marks.set(element, { input, timer });
      }
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
