// @ts-check
// SPDX-License-Identifier: Apache-2.0
import * as attr from "./outlets/attr.js";
import * as back from "./outlets/back.js";
import * as checked from "./outlets/checked.js";
import * as class_ from "./outlets/class.js";
import * as each from "./outlets/each.js";
import * as event from "./outlets/event.js";
import * as prop from "./outlets/prop.js";
import * as whole from "./outlets/whole.js";
import * as pace from "./pace.js";

/** What a page loads when it needs more than text, two-way text and buttons; `whole` belongs to `data-bind-value`. */
export const outlets = {
  "back": back.attach,
  "bind-attr-": attr.attach,
  "bind-checked": checked.attach,
  "bind-class-": class_.attach,
  "bind-each": each.attach,
  "bind-prop-": prop.attach,
  "debounce": pace.attach,
  "event-text": event.attach,
  "throttle": pace.attach,
  "whole": whole.attach,
};

export { refusal } from "./address.js";
export { createStack } from "./stack.js";

/** What is said seldom, and only while there is a connection. */
export const words = {
  outdated: "This page has changed on the server. Reload it to see the new one.",
  lost: (/** @type {number} */ taps) =>
    `The server was restarted. Not confirmed: ${taps} ${taps === 1 ? "press" : "presses"} of a button.`,
};

/**
 * Tells what the server has refused. Where there is nothing, the page's elements with `data-not-found` say so.
 *
 * @param {[code: string, message: string]} problem
 * @param {Pick<ReturnType<typeof import("./status.js").createStatus>, "say">} status
 * @param {Pick<ReturnType<typeof import("./session.js").createSession>, "flush" | "resubmit">} session
 */
export function tell([code, message], status, session) {
  if (code === "session-unknown" || code === "token-refused") return;
  const elements = code === "not-found" ? [...document.querySelectorAll("[data-not-found]")] : [];
  for (const element of elements) element.removeAttribute("hidden");
  if (!elements.length) status.say(message);
  if (code === "rate-limited") setTimeout(() => (session.resubmit(), session.flush()), 2000);
}
