// @ts-check
// SPDX-License-Identifier: Apache-2.0

/**
 * One direction of a line that is slow, for pages that let people feel one. It is no part of Musubi's client.
 *
 * @param {() => number} delay How long it takes at the moment, in milliseconds.
 * @returns {(work: () => void) => void} Runs work after the delay, and never before the work that came earlier.
 */
export function createLine(delay) {
  let last = 0;
  /** @type {(() => void)[]} */
  const waiting = [];
  return (work) => {
    last = Math.max(last, performance.now() + delay());
    waiting.push(work);
    // Timers count whole milliseconds: of two that are due at nearly the same time, the later one may ring first.
    setTimeout(() => waiting.shift()?.(), last - performance.now());
  };
}
