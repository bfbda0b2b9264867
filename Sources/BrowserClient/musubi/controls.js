// @ts-check
// SPDX-License-Identifier: Apache-2.0

/** @type {(cleanups: ((() => void) | void)[]) => () => void} All of them as one. */
export const together = (cleanups) => () => cleanups.forEach((cleanup) => cleanup?.());

/**
 * Tells of what changes a control without an event of its own: the reset of its form, and the return of its page from the
 * browser's cache, when WebKit resets every control with `autocomplete="off"`.
 *
 * @param {any} control
 * @param {import("./page.js").Context} context
 * @param {() => () => void} begin Called before the change; the function that it returns is called after it.
 * @returns {() => void} The cleanup.
 */
export function whenReset(control, context, begin) {
  const root = control.ownerDocument;
  // A row is attached before it is in the page, and in its form.
  const run = (/** @type {any} */ { target, persisted = target === control.form }) => persisted && context.later(begin());
  return together([context.listen("pageshow", root, run), context.listen("reset", root.documentElement, run)]);
}

/**
 * Follows the compositions in a control, such as the typing of Japanese; with `data-compose="final"` only their ends count.
 *
 * @param {any} control
 * @param {import("./page.js").Context} context
 * @param {() => void} begins
 * @param {() => void} ended Called once the control has the composed text; if that is all that counts, maybe before, too.
 * @returns {[current: () => Event | undefined, stop: () => void, isHeld: () => unknown]} The composition that goes on, by the
 *   event that began it; the cleanup; and whether what the control has does not count yet.
 */
export function followCompositions(control, context, begins, ended) {
  const isFinal = control.dataset.compose === "final";
  /** @type {Event | undefined} */
  let composition;
  const stop = together([
    context.listen("compositionstart", control, (event) => {
      begins();
      composition = event;
    }),
    context.listen("compositionend", control, () => {
      const last = composition;
      // A tap may follow in this task, and is not to overtake the text, which all but Safari have by now.
      if (isFinal) ended();
      // Safari tells the end first and changes the text after it; the next task has seen both, in any browser.
      context.later(() => {
        if (composition !== last) return;
        composition = undefined;
        ended();
      });
    }),
  ]);
  return [() => composition, stop, () => isFinal && composition];
}

/**
 * A value as people read it.
 *
 * @param {unknown} value
 * @returns {string}
 */
export function textOf(value) {
  return value === null || value === undefined ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);
}
