// @ts-check
// SPDX-License-Identifier: Apache-2.0

/**
 * `data-bind-class-<name>`: the element has the class while the value is true.
 *
 * @type {import("../page.js").Attach}
 */
export const attach = (element, context, { argument, name }) =>
  context.watch(name, (value) => element.classList.toggle(argument, Boolean(value)));
