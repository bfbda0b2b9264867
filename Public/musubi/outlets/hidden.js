// @ts-check
// SPDX-License-Identifier: Apache-2.0

/**
 * `data-bind-hidden`: the element is not shown while the value is true.
 *
 * @type {import("../page.js").Attach}
 */
export const attach = (element, context, { name }) =>
  context.watch(name, (value) => {
    element.hidden = Boolean(value);
  });
