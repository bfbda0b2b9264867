// @ts-check
// SPDX-License-Identifier: Apache-2.0

/**
 * What a person has set a form control to: a boolean, a number or a text.
 *
 * @param {any} control
 * @returns {boolean | number | string | null} Null for a number that is not one yet.
 */
export function readControl(control) {
  if (control.type === "checkbox") return control.checked;
  if (control.type === "number" || control.type === "range") {
    return Number.isNaN(control.valueAsNumber) ? null : control.valueAsNumber;
  }
  return control.value ?? "";
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
