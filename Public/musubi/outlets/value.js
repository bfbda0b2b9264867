// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { readControl, writeControl } from "../controls.js";
import { attachField } from "../field.js";

/**
 * `data-bind-value`: a control's value, in both directions. If the name is a two-way text, its edits travel; any
 * other control sends whole values.
 *
 * @type {import("../page.js").Attach}
 */
export const attach = (element, context, { name }) => {
  const initial = element.value;
  /** @type {() => void} */
  let cleanup = () => {};
  // Only the first state tells which names are two-way texts; what is typed before it is not lost.
  context.whenReady(() => {
    cleanup = context.text(name) ? attachField(element, context, name, initial) : attachWhole(element, context, name, initial);
  });
  return () => cleanup();
};

/**
 * @param {any} element
 * @param {import("../page.js").Context} context
 * @param {string} name
 * @param {string} initial
 * @returns {() => void}
 */
function attachWhole(element, context, name, initial) {
  const type = /^(radio|select-one|select-multiple)$/.test(element.type) ? "change" : "input";
  let isComposing = false;
  const send = () => {
    const value = readControl(element);
    if (value !== null) context.input(element, "typed", name, value);
  };
  const cleanups = [
    context.listen(type, element, () => {
      if (!(isComposing && element.dataset.compose === "final")) send();
    }),
    context.listen("compositionstart", element, () => void (isComposing = true)),
    context.listen("compositionend", element, () => {
      isComposing = false;
      if (element.dataset.compose === "final") context.later(send);
    }),
  ];
  if (element.value !== initial) send();
  else
    cleanups.push(
      context.watch(name, (value) => {
        if (!isComposing) writeControl(element, value);
      }),
    );
  return () => cleanups.forEach((stop) => stop());
}
