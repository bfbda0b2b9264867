// @ts-check
// SPDX-License-Identifier: Apache-2.0

/**
 * What a person has set a form control to: a boolean, a number, a text or several. `data-type="number"` makes numbers
 * of the values of radio buttons and of a `<select>`.
 *
 * @param {any} control
 * @returns {boolean | number | string | unknown[] | null} Null for a number that is not one yet.
 */
export function readControl({ type, checked, value = "", dataset, selectedOptions }) {
  if (type === "checkbox") return checked;
  const isNumber = /^(number|range)$/.test(type) || dataset?.type === "number";
  const read = (/** @type {string} */ text) => (!isNumber ? text : text.trim() && Number.isFinite(+text) ? +text : null);
  return type === "select-multiple" ? [...selectedOptions].map((option) => read(option.value)) : read(value);
}

/**
 * Shows a value in a form control; writes nothing that is there already, because writing disturbs caret and undo.
 *
 * @param {any} control
 * @param {unknown} value
 */
export function writeControl(control, value) {
  const text = textOf(value);
  if (control.type === "radio") control.checked = control.value === text;
  else if (control.type === "select-multiple") {
    const chosen = Array.isArray(value) ? value.map(textOf) : [];
    for (const option of control.options) option.selected = chosen.includes(option.value);
  }
  else if (control.value !== text) control.value = text;
}

/**
 * A value as people read it.
 *
 * @param {unknown} value
 * @returns {string}
 */
export function textOf(value) {
  return value === null || value === undefined ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);
}
