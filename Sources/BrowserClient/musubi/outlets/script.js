// @ts-check
// SPDX-License-Identifier: Apache-2.0

/**
 * `screen.observe` of a page's script: it gets a copy of the value, and its errors keep nothing else from being shown.
 *
 * @type {import("../page.js").Attach}
 */
export const observe = (_, context, { name, show }) =>
  context.watch(name, (value) => queueMicrotask(() => show?.(structuredClone(value))));

/**
 * `screen.send` of a page's script. The value is as it was at the call, also if this file had to load first.
 *
 * @type {import("../page.js").Attach}
 */
export const send = (element, context, { name, json }) => context.input(element, "tap", name, json && JSON.parse(json));
