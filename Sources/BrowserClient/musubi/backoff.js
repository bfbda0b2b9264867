// @ts-check
// SPDX-License-Identifier: Apache-2.0

/** The longest wait before the first retry, in milliseconds. */
const first = 500;
/** The longest wait ever, in milliseconds: somebody may be looking at the page. */
const ceiling = 10_000;

/**
 * The wait before the next connection attempt: exponential with full jitter, so that the pages of a server that
 * restarts return spread over the whole interval and not all at its end.
 *
 * @param {number} attempt Failed attempts so far; 0 for the first retry.
 * @param {() => number} [random] Values in [0, 1); tests pass a fixed one.
 * @returns {number} Milliseconds, between 0 and the exponential delay.
 */
export function backoffMs(attempt, random = Math.random) {
  return random() * Math.min(ceiling, first * 2 ** attempt);
}
