// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { textOf } from "./controls.js";

/** Controls that may hold nothing, which is then null and not an empty text. */
const emptiable = ["date", "time", "month", "week", "datetime-local"];

/** How much of a moment in ISO 8601 a control takes. */
const lengths = /** @type {Record<string, number>} */ ({ date: 10, month: 7, "datetime-local": 16 });

/**
 * The value that a person has given a form control: a boolean, a number, a text or several. `data-type="number"` makes
 * numbers of the values of radio buttons and of a `<select>`. An emptied number or date is null, and so is the empty option
 * of a list of numbers, unless it is `required`.
 *
 * @param {any} control
 * @returns {boolean | number | string | unknown[] | null | undefined} Nothing, if it is half typed, or missing.
 */
export function readControl({ type, checked, value = "", dataset, selectedOptions, required, validity }) {
  if (type === "checkbox") return checked;
  const isNumber = type === "number" || type === "range" || dataset?.type === "number";
  const read = (/** @type {string} */ text) => (!isNumber ? text : text.trim() && Number.isFinite(+text) ? +text : undefined);
  if (type === "select-multiple") return [...selectedOptions].map(({ value }) => read(value)).filter((one) => one !== undefined);
  const isEmpty = !value && (isNumber || emptiable.includes(type));
  return isEmpty ? (required || validity?.badInput ? undefined : null) : read(value);
}

/**
 * Shows a value in a form control; writes nothing that is there already, because writing disturbs caret and undo.
 *
 * @param {any} control
 * @param {unknown} value
 */
export function writeControl(control, value) {
  const text = textOf(value).slice(0, lengths[control.type]);
  if (control.type === "radio") control.checked = control.value === text;
  else if (control.type === "select-multiple") {
    const chosen = Array.isArray(value) ? value.map(textOf) : [];
    for (const option of control.options) option.selected = chosen.includes(option.value);
  }
  else if (control.value !== text) control.value = text;
}

/**
 * Keeps a control's value.
 *
 * @param {any} control
 * @returns {() => void} Shows it again.
 */
export function keep(control) {
  const { value, checked, options = [] } = control;
  const chosen = [...options].map(({ selected }) => selected);
  return () => {
    if (control.value !== value) control.value = value;
    if (checked !== undefined) control.checked = checked;
    chosen.forEach((isChosen, index) => (options[index].selected = isChosen));
  };
}
