// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { textOf } from "../controls.js";

/**
 * `data-bind-text`: the element's text.
 *
 * @type {import("../page.js").Attach}
 */
export const attach = (element, context, { name }) => context.watch(name, (value) => (element.textContent = textOf(value)));

/** How long a value rests before it is spoken; milliseconds. */
const restsFor = 1_000;

/**
 * `data-bind-spoken` on an element with `aria-live`: the value for screen readers, once it rests. What changes with
 * every key would be read with every key; what the page comes with is read as its text.
 *
 * @type {import("../page.js").Attach}
 */
export const attachSpoken = (element, context, { name }) => {
  /** -1 until the page has its first state. */
  let timer = -1;
  const stop = context.watch(name, (value) => {
    clearTimeout(timer);
    if (timer >= 0) timer = setTimeout(() => (element.textContent = textOf(value)), restsFor);
  });
  context.whenReady(() => (timer = 0));
  return stop;
};
