// @ts-check
// SPDX-License-Identifier: Apache-2.0

/** An element shows that its input waits from then on; milliseconds. */
const pendingAfter = 200;

/**
 * Marks the elements whose inputs wait.
 *
 * @param {import("./status.js").Clock} clock
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
      const timer = marks.get(element)?.timer ?? clock.setTimeout(() => element.setAttribute("data-pending", ""), pendingAfter);
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

/** The elements that a full queue makes unusable, unless they are already. */
const controls =
  ":is([data-bind-value],[data-bind-checked],[data-on-change],[data-on-click],[data-on-input],[data-on-submit])" +
  ":not([readonly],[disabled],[aria-disabled=true])";

/** @type {Iterable<any>} The elements that the full queue has made unusable. */
let stopped = [];

/** @type {(isFull: boolean) => void} Makes the page's controls unusable while the queue takes nothing. */
export function stopControls(isFull) {
  const root = document.documentElement;
  if (isFull === root.hasAttribute("data-full")) return;
  root.toggleAttribute("data-full", isFull);
  if (isFull) stopped = document.querySelectorAll(controls);
  for (const control of stopped) {
    // A text that cannot be changed keeps focus and caret; a box, a list and a handle do not know `readonly`.
    const isText = !control.matches("select,[type=checkbox],[type=radio],[type=range],[type=color]");
    control.toggleAttribute(isText ? "readonly" : "disabled", isFull);
    control.ariaDisabled = isFull ? "true" : null;
  }
}
