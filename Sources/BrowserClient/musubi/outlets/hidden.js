// @ts-check
// SPDX-License-Identifier: Apache-2.0

/** @type {(value: unknown) => boolean} An empty list counts as nothing, so that a page can show that it is empty. */
const isOn = (value) => (Array.isArray(value) ? value.length > 0 : Boolean(value));

/**
 * `data-bind-hidden`: the element is not shown while the value is true, or a list with rows.
 *
 * @type {import("../page.js").Attach}
 */
export const attach = (element, context, { name }) => context.watch(name, (value) => (element.hidden = isOn(value)));

/**
 * `data-bind-shown`: the element is shown only while the value is true, a text or a list with rows.
 *
 * @type {import("../page.js").Attach}
 */
export const attachShown = (element, context, { name }) => {
  element.hidden = true;
  return context.watch(name, (value) => (element.hidden = !isOn(value)));
};
