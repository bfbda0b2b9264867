// @ts-check
// SPDX-License-Identifier: Apache-2.0

/** @type {WeakMap<Element, boolean>} Whether a control's screen wants it disabled. */
export const wanted = new WeakMap();

/**
 * `data-bind-disabled`: the control cannot be used while the value is true.
 *
 * @type {import("../page.js").Attach}
 */
export const attach = (element, context, { name }) =>
  context.watch(name, (value) => {
    wanted.set(element, Boolean(value));
    element.disabled = Boolean(value) || element.hasAttribute("data-forbidden");
  });
