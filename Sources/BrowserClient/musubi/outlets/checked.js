// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { together, whenReset } from "../controls.js";

/**
 * `data-bind-checked`: a box or a switch, in both directions.
 *
 * @type {import("../page.js").Attach}
 */
export const attach = (element, context, { name }) => {
  let view = element.checked;
  return together([
    context.watch(name, (value) => (element.checked = view = Boolean(value))),
    context.listen("change", element, () => context.input(element, "typed", name, (view = element.checked))),
    whenReset(element, context, () => () => (element.checked = view)),
  ]);
};
