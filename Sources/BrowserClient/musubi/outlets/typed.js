// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { keep, readControl } from "../control-values.js";
import { together, whenReset } from "../controls.js";
import { further } from "../further.js";
import { attachKeyed } from "./keyed.js";

const attachMove = further("move");

/**
 * `data-on-input` and `data-on-change`: an input of the screen that carries the control's value; and whatever else of
 * `data-on-<event>` is no tap on a button. `data-on-move` has a file of its own.
 *
 * @type {import("../page.js").Attach}
 */
export const attach = (element, context, binding) => {
  const { argument: type, name } = binding;
  if (type === "move") return attachMove(element, context, binding);
  if (type !== "input" && type !== "change") return attachKeyed(element, context, binding);
  return together([
    context.listen(type, element, () => {
      const value = readControl(element);
      if (value !== undefined && element.getAttribute("aria-disabled") !== "true") context.input(element, "typed", name, value);
    }),
    whenReset(element, context, () => keep(element)),
  ]);
};
