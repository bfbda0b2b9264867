// @ts-check
// SPDX-License-Identifier: Apache-2.0

/**
 * One change: at `position` take out `deleted` units and put `inserted` there. Units are UTF-16 code units of the
 * text before the edit.
 *
 * @typedef {[position: number, deleted: number, inserted: string]} Component
 */

/**
 * Components in ascending order that do not overlap. In normal form none is without effect and no two touch, but for
 * text typed over a range as long as itself: an insertion and a deletion at one position. As one component it would be
 * a substitution, such as capitals, and go when somebody else deletes the range.
 *
 * What two edits make of one text, and why, is told in `TextEdit.swift`; both follow the same vectors.
 *
 * @typedef {Component[]} Edit
 */

/**
 * Components that touched, joined. The last member tells whether all of them were substitutions.
 *
 * @typedef {[position: number, deleted: number, inserted: string, isRewriting?: boolean]} Run
 */

/**
 * The text after an edit.
 *
 * @param {string} text
 * @param {Edit} edit
 * @returns {string}
 */
export function applyEdit(text, edit) {
  let result = "";
  let at = 0;
  for (const [position, deleted, inserted] of edit) {
    result += text.slice(at, position) + inserted;
    at = position + deleted;
  }
  return result + text.slice(at);
}

/** @type {Component} What an edit without effect changes. */
const nowhere = [NaN, 0, ""];

/**
 * Two edits in a row as one, if each changes a single place and the places touch, as in typing.
 *
 * @param {Edit} first
 * @param {Edit} second An edit of the text that `first` leaves.
 * @returns {Edit | undefined} Nothing, if they are apart.
 */
export function join(first, second) {
  const [[position, deleted, inserted] = nowhere, more] = joined(first);
  const [[start, count, text] = nowhere, rest] = joined(second);
  const end = start + count - position;
  if (more || rest || !(end >= 0 && start <= position + inserted.length)) return undefined;
  const left = Math.max(0, position - start);
  const right = Math.max(0, end - inserted.length);
  const middle = inserted.slice(0, Math.max(0, start - position)) + text + inserted.slice(end);
  return typed([[position - left, deleted + left + right, middle]]);
}

/**
 * The smallest replacement of one range that turns one text into the other and splits no surrogate pair.
 *
 * @param {string} before
 * @param {string} after
 * @param {number | null} [caret] Where a person has just typed, as a position in `after`: it tells which of several
 *   equal characters is the new one.
 * @returns {Edit} One component, if any; `typed` brings it into normal form.
 */
export function difference(before, after, caret) {
  if (before === after) return [];
  const shorter = Math.min(before.length, after.length);
  let end = 0;
  let start = 0;
  const extendEnd = (/** @type {number} */ limit) => {
    while (end < limit && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  };
  extendEnd(Math.min(shorter, after.length - (caret ?? after.length)));
  while (start < shorter - end && before[start] === after[start]) start += 1;
  extendEnd(shorter - start);
  if (isHigh(before, start - 1)) start -= 1;
  if (isLow(before, before.length - end)) end -= 1;
  return [[start, before.length - end - start, after.slice(start, after.length - end)]];
}

/**
 * Whether the unit is the first half of a surrogate pair.
 *
 * @param {string} text
 * @param {number} index
 */
export const isHigh = (text, index) => (text.charCodeAt(index) & 0xfc00) === 0xd800;

/**
 * Whether the unit is the second half of a surrogate pair.
 *
 * @param {string} text
 * @param {number} index
 */
export const isLow = (text, index) => (text.charCodeAt(index) & 0xfc00) === 0xdc00;

/**
 * Adds a component behind the others, and joins it with the last one if they touch.
 *
 * @param {Run[]} edit
 * @param {number} position
 * @param {number} deleted
 * @param {string} inserted
 * @param {boolean} [isRewriting] Whether its text stands for the range unit by unit, or is a part of one that does.
 * @returns {Run[]} The same edit.
 */
export function append(edit, position, deleted, inserted, isRewriting = deleted === inserted.length) {
  const last = edit.at(-1);
  if (last && last[0] + last[1] === position) {
    last[1] += deleted;
    last[2] += inserted;
    last[3] &&= isRewriting;
  } else if (deleted || inserted) edit.push([position, deleted, inserted, isRewriting]);
  return edit;
}

/** @type {(edit: Edit) => any} The edit with one component where several touch. */
export const joined = (edit) => edit.reduce((result, component) => append(result, ...component), /** @type {Run[]} */ ([]));

/** @type {(runs: Run[], isTyped?: boolean) => Edit} Normal form: in two what only looks like a substitution. */
export const parted = (runs, isTyped) =>
  runs.flatMap(([at, count, text, isRewriting]) =>
    count === text.length && (isTyped || !isRewriting) ? [[at, 0, text], [at, count, ""]] : [[at, count, text]],
  );

/** @type {(edit: Edit) => Edit} */
export const normalized = (edit) => parted(joined(edit));

/** @type {(edit: Edit) => Edit} The edit as a person makes it, in normal form without a substitution. */
export const typed = (edit) => parted(joined(edit), true);
