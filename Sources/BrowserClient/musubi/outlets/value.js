// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { together } from "../controls.js";
import { attachField } from "../text/field.js";

/**
 * Tells a person's changes of a control from those of scripts and of a browser that restores it after a reload, before
 * the control's name is known to the screen.
 *
 * @param {any} element
 * @param {import("../page.js").Context} context
 * @returns {() => string | undefined} To be called when that is known: returns the value before the person's first change, if
 *   there was any, and leaves the one after the last in the control.
 */
function untilAttached(element, context) {
  let initial = element.value;
  /** @type {string | undefined} */
  let latest;
  context.listen("beforeinput", element, () => void (latest ?? (initial = element.value)));
  for (const type of ["input", "change"]) context.listen(type, element, () => void (latest = element.value));
  return () => {
    if (latest === undefined) return;
    if (element.value !== latest) element.value = latest;
    return initial;
  };
}

/** @type {(control: any) => boolean} Whether a person writes a text in it: it tells where its caret is, or is for e-mail. */
const isWritable = ({ selectionStart, type }) => selectionStart != null || type === "email";

/**
 * `data-bind-value`: a control's value, in both directions. If the name is a two-way text and the control one to write
 * in, its edits travel; any other control sends whole values.
 *
 * @type {import("../page.js").Attach}
 */
export const attach = (element, context, { name }) => {
  // Only the first state tells which names are two-way texts; earlier typing is not lost.
  const initial = untilAttached(element, context);
  /** @type {(() => void) | undefined} */
  let clean;
  context.whenReady(() => {
    const place = context.inField?.(name) ?? context;
    const text = place.text(name);
    const whole = /** @type {any} */ ({ kind: "whole", name, initial });
    if (!text || !isWritable(element)) return void (clean = context.more(element, context, whole));
    const stop = attachField(element, place, name, initial() ?? element.value);
    const measure = () => context.measure(element, text);
    clean = together([stop, text.watch(measure)]);
    measure();
  });
  return () => clean?.();
};
