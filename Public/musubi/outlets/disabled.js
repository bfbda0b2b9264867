// @ts-check
// SPDX-License-Identifier: Apache-2.0

/**
 * `data-bind-disabled`: the control cannot be used while the value is true.
 *
 * @type {import("../page.js").Attach}
 */
export const attach = (element, context, { name }) =>
  context.watch(name, (value) => {
    element.disabled = Boolean(value);
  });
