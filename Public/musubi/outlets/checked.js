// @ts-check
// SPDX-License-Identifier: Apache-2.0

/**
 * `data-bind-checked`: a box or a switch, in both directions.
 *
 * @type {import("../page.js").Attach}
 */
export const attach = (element, context, { name }) => {
  const stopWatching = context.watch(name, (value) => {
    element.checked = Boolean(value);
  });
  const stopListening = context.listen("change", element, () => context.input(element, "typed", name, element.checked));
  return () => (stopWatching(), stopListening());
};
