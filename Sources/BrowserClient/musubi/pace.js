// @ts-check
// SPDX-License-Identifier: Apache-2.0

/**
 * Decides when an element's inputs leave the page: at once, after a pause (`data-debounce`), or at most once in a
 * while (`data-throttle`). The inputs themselves are in the session's queue from the start, so their order is safe.
 *
 * @param {{debounce?: string, throttle?: string}} limits Milliseconds.
 * @param {() => void} flush
 * @param {Pick<import("./connection.js").Environment, "setTimeout" | "clearTimeout">} clock
 * @returns {() => void} To be called after each input.
 */
export function createPace({ debounce, throttle }, flush, clock) {
  const wait = Number(debounce ?? throttle) || 0;
  if (!wait) return flush;
  /** @type {any} */
  let timer;
  if (debounce !== undefined) {
    return () => {
      clock.clearTimeout(timer);
      timer = clock.setTimeout(flush, wait);
    };
  }
  let hasMore = false;
  /** Sends, is silent for a while, and then sends the rest. */
  const send = () => {
    hasMore = false;
    flush();
    timer = clock.setTimeout(() => {
      timer = undefined;
      if (hasMore) send();
    }, wait);
  };
  return () => {
    if (timer === undefined) send();
    else hasMore = true;
  };
}

/**
 * `data-debounce` and `data-throttle` of an element with inputs.
 *
 * @type {import("./page.js").Attach}
 */
export const attach = (element, context) => context.pace(element, (flush) => createPace(element.dataset, flush, window));
