// @ts-check
// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { createLine } from "../../Public/line.js";

test("a slow line keeps its order, whatever parts of a millisecond timers leave out", () => {
  const { performance: clock, setTimeout: timeout } = globalThis;
  let now = 0;
  /** @type {{at: number, run: () => void}[]} */
  const timers = [];
  const fakes = {
    performance: { now: () => (now += 0.3) },
    setTimeout: (/** @type {() => void} */ run, /** @type {number} */ ms) => timers.push({ at: now + Math.trunc(ms), run }),
  };
  for (const [name, value] of Object.entries(fakes)) Object.defineProperty(globalThis, name, { value, configurable: true });
  try {
    let delay = 500.5;
    const line = createLine(() => delay);
    /** @type {number[]} */
    const done = [];
    for (let number = 0; number < 40; number += 1) {
      delay = [500.5, 500, 0, 500.1][number % 4];
      line(() => done.push(number));
    }
    const places = timers.map(({ at }) => at);
    assert.notDeepEqual(places, [...places].sort((one, other) => one - other), "Some timers ring before earlier ones.");

    for (const { run } of [...timers].sort((one, other) => one.at - other.at)) run();

    assert.deepEqual(done, [...Array(40).keys()]);
  } finally {
    Object.defineProperty(globalThis, "performance", { value: clock, configurable: true });
    globalThis.setTimeout = timeout;
  }
});
