// @ts-check
// SPDX-License-Identifier: Apache-2.0
import * as attr from "./outlets/attr.js";
import * as back from "./outlets/back.js";
import * as checked from "./outlets/checked.js";
import * as class_ from "./outlets/class.js";
import * as disabled from "./outlets/disabled.js";
import * as each from "./outlets/each.js";
import * as event from "./outlets/event.js";
import * as file from "./outlets/file.js";
import * as hidden from "./outlets/hidden.js";
import * as prop from "./outlets/prop.js";
import * as query from "./outlets/query.js";
import * as script from "./outlets/script.js";
import * as time from "./outlets/time.js";
import * as typed from "./outlets/typed.js";
import * as whole from "./outlets/whole.js";
import { learn } from "./more-words.js";
import { further, useFiles } from "./further.js";
import { startOver, tellSignedOut, tellVisitor } from "./departure.js";
import { offer } from "./leftover.js";
import { explain, move, reloadOnce, tell, tellChange, tellEnd, tellLoss } from "./notices.js";
import * as pace from "./pace.js";
import { carryOver, changeRows, compare, leave, renew, prepare, rebase, refuse, resubmit } from "./recovery.js";
import { share } from "./shared.js";
import * as undo from "./text/undo.js";
import { queueTap, queueValue } from "./values.js";

/**
 * The part that a page loads when it needs more than text, two-way text and buttons; `typed` belongs to `data-on-`,
 * `whole` to `data-bind-value`, `observe` and `send` to a page's scripts.
 */
export const outlets = {
  "back": back.attach,
  "bind-attr-": attr.attach,
  "bind-carets": further("carets"),
  "bind-checked": checked.attach,
  "bind-class-": class_.attach,
  "bind-disabled": disabled.attach,
  "bind-each": each.attach,
  "bind-file": file.attach,
  "bind-hidden": hidden.attach,
  "bind-prop-": prop.attach,
  "bind-query": query.attach,
  "bind-selected": further("select"),
  "bind-shown": hidden.attachShown,
  "bind-time": time.attach,
  "debounce": pace.attach,
  "event-text": event.attach,
  "observe": script.observe,
  "send": script.send,
  "throttle": pace.attach,
  "typed": typed.attach,
  "undo": undo.attach,
  "whole": whole.attach,
};

export { createStack } from "./stack.js";
export const recovery = {
  ...{ carryOver, changeRows, compare, leave, renew, prepare, rebase, refuse, resubmit, tap: queueTap, typed: queueValue },
};

export { hear } from "./forbidden.js";

export { tellLong, translatePage } from "./too-long.js";
export { explain, tell, tellChange, tellEnd, tellSignedOut, tellVisitor };

/**
 * Takes what both files need, and adds to what the first one has.
 *
 * A first file of another build would hand over other functions. It is of a page from before an update of the server.
 *
 * @param {string} build The first file's: `deploy/bundle` gives both the same one.
 * @param {typeof import("./shared.js").shared} values
 * @param {import("./words.js").Words} words
 * @param {Record<string, import("./page.js").Attach>} others The first file's outlets.
 * @param {import("./stack.js").Host} host
 * @param {(file: string) => Promise<any>} fetchFile Loads a further file, and begins it in the same way.
 */
export function begin(build, values, words, others, host, fetchFile) {
  const own = /** @type {any} */ (import.meta).build;
  if (build !== own) {
    reloadOnce(own);
    throw new Error(build);
  }
  share(values);
  learn(words);
  Object.assign(others, outlets);
  useFiles(fetchFile, others);
  query.useHost(host);
  Object.assign(host.notify, noticesOf(host));
  host.session.help(recovery);
}

/** @type {(host: import("./stack.js").Host) => Partial<import("./screen.js").Notify>} What a session tells its page rarely. */
const noticesOf = (host) => ({
  problem: (code, message) => tell(host, code, message),
  left: (text, name) => offer(host, text, name),
  moves: () => host.shown.screen && move(host),
  changed: (visitor) => startOver(host, visitor),
  lost: (taps = 0) => tellLoss(host, taps),
});
