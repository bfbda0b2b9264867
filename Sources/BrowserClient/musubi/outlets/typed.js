// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { keep, readControl } from "../control-values.js";
import { followCompositions, together, whenReset } from "../controls.js";
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
  let before = element.value;
  const send = () => {
    const value = readControl(element);
    before = element.value;
    if (value !== undefined && element.getAttribute("aria-disabled") !== "true") context.input(element, "typed", name, value);
  };
  const begins = () => void (before = element.value);
  const composed = () => void (type === "change" || element.value === before || send());
  const [, stop, isHeld] = followCompositions(element, context, begins, composed);
  return together([
    stop,
    context.listen(type, element, () => void ((type === "input" && isHeld()) || send())),
    whenReset(element, context, () => keep(element)),
  ]);
};
