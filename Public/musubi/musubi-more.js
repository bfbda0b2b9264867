// @ts-check
// SPDX-License-Identifier: Apache-2.0
import * as attr from "./outlets/attr.js";
import * as back from "./outlets/back.js";
import * as checked from "./outlets/checked.js";
import * as class_ from "./outlets/class.js";
import * as disabled from "./outlets/disabled.js";
import * as each from "./outlets/each.js";
import * as event from "./outlets/event.js";
import * as hidden from "./outlets/hidden.js";
import * as prop from "./outlets/prop.js";
import * as query from "./outlets/query.js";
import * as time from "./outlets/time.js";
import * as typed from "./outlets/typed.js";
import * as whole from "./outlets/whole.js";
import * as pace from "./pace.js";
import { carryOver, changeRows, compare, handOver, openRow, prepare, queueValue, rebase, refuse, resubmit } from "./recovery.js";
import * as undo from "./text/undo.js";

/**
 * The part that a page loads when it needs more than text, two-way text and buttons; `typed` belongs to `data-on-`,
 * `whole` to `data-bind-value`.
 */
export const outlets = {
  "back": back.attach,
  "bind-attr-": attr.attach,
  "bind-checked": checked.attach,
  "bind-class-": class_.attach,
  "bind-disabled": disabled.attach,
  "bind-each": each.attach,
  "bind-hidden": hidden.attach,
  "bind-prop-": prop.attach,
  "bind-query": query.attach,
  "bind-shown": hidden.attachShown,
  "bind-time": time.attach,
  "debounce": pace.attach,
  "event-text": event.attach,
  "throttle": pace.attach,
  "typed": typed.attach,
  "undo": undo.attach,
  "whole": whole.attach,
};

export { learn } from "./more-words.js";
export { createStack } from "./stack.js";
export const recovery = { carryOver, changeRows, compare, handOver, openRow, prepare, queueValue, rebase, refuse, resubmit };

export { startOver, tellSignedOut, tellVisitor } from "./departure.js";

export { hear } from "./forbidden.js";
export { offer } from "./leftover.js";

export { tellLong, translatePage } from "./too-long.js";
export { explain, move, tell, tellChange, tellEnd, tellLoss } from "./notices.js";

/**
 * Checks the page against the screen's names; a development server asks for it.
 *
 * @param {unknown} _host
 * @param {{screen: string, inputs: string[], outputs: string[]}} names
 */
export async function inspect(_host, names) {
  const inspector = new URL(import.meta.url.endsWith("/musubi/musubi-more.js") ? "dev.js" : "musubi/dev.js", import.meta.url);
  (await import(inspector.href)).inspect(document, names);
}
