// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { placeOf } from "./queue.js";

/** A page looks so often whether the server has answered; milliseconds. */
const lookEvery = 50;
/** After so many looks without a new value an input has changed nothing: a `debounce` may take a moment. */
const maxLooks = 10;

/**
 * Tells whether the server has answered what a person has last set a control to. What it says before that is about earlier
 * inputs, and would take the person's value back.
 *
 * An acknowledgement comes just before the turn of its input: the next value is the answer. If none comes for a moment, the
 * input has changed nothing.
 *
 * In a dialog nothing answers: a question stays as it was asked.
 *
 * @param {Pick<import("./page.js").Context, "openScreen" | "screen" | "place" | "isQuestion">} context
 * @param {string} name The input's.
 * @param {() => void} answered The server has answered, and told no new value.
 */
export function createAnswer(context, name, answered) {
  const row = context.place?.filter((_, index) => index % 2).map((id) => id.trim());
  const place = placeOf({ name, screen: context.screen, row });
  let looks = 0;
  /** @type {any} */
  let timer;
  const waits = () => context.openScreen().queue.entries().filter((entry) => placeOf(entry) === place).at(-1);
  const stop = () => {
    clearInterval(timer);
    timer = undefined;
  };
  const look = () => {
    looks = waits() ? 0 : looks + 1;
    if (looks < maxLooks) return;
    stop();
    answered();
  };
  return {
    stop,
    /** There may be a new input; one that a full queue or a frame does not take has no answer. Returns the newest that waits. */
    sent() {
      const newest = context.isQuestion ? undefined : waits();
      if (!newest) return;
      looks = 0;
      timer ??= setInterval(look, lookEvery);
      return newest;
    },
    /** The server tells a value: the answer, if nothing waits any more. */
    heard() {
      if (!waits()) stop();
    },
    /** Whether what the server has told is older than the person's value. */
    isAwaited: () => timer !== undefined,
  };
}
