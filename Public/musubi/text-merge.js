// @ts-check
// SPDX-License-Identifier: Apache-2.0

/**
 * One replacement: at `position` take out `deleted` units and put `inserted` there, in UTF-16 code units of the
 * text before the edit.
 *
 * @typedef {[position: number, deleted: number, inserted: string]} Component
 */

/**
 * An edit: components in ascending order that do not overlap.
 *
 * @typedef {Component[]} Edit
 */

/**
 * A piece of an edit read from left to right: a positive number keeps so many units, a negative one deletes them,
 * a string is inserted.
 *
 * @typedef {number | string} Piece
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

/**
 * Carries two edits of the same text past each other: `first` then the first result equals `second` then the other
 * (TP1).
 *
 * What either deletes is deleted once; an insertion inside a range that the other deletes survives; when both insert
 * at the same position, the text of `second`, which the server has already ordered, comes first.
 *
 * @param {Edit} first A pending edit.
 * @param {Edit} second A step from the server.
 * @returns {[Edit, Edit]} `first` to apply after `second`, and `second` to apply after `first`.
 */
export function transform(first, second) {
  if (!first.length || !second.length) return [first, second];
  const ours = reader(first);
  const theirs = reader(second);
  const newOurs = builder();
  const newTheirs = builder();
  while (ours.more() || theirs.more()) {
    const a = ours.peek();
    const b = theirs.peek();
    if (typeof b === "string") {
      newTheirs.add(b);
      newOurs.add(b.length);
      theirs.take(b.length);
    } else if (typeof a === "string") {
      newOurs.add(a);
      newTheirs.add(a.length);
      ours.take(a.length);
    } else {
      const count = Math.min(Math.abs(a), Math.abs(b));
      if (a > 0) newTheirs.add(b > 0 ? count : -count);
      if (b > 0) newOurs.add(a > 0 ? count : -count);
      ours.take(count);
      theirs.take(count);
    }
  }
  return [newOurs.edit, newTheirs.edit];
}

/**
 * One edit that does what `first` and then `second` do.
 *
 * @param {Edit} first
 * @param {Edit} second An edit of the text that `first` leaves.
 * @returns {Edit}
 */
export function compose(first, second) {
  const before = reader(first);
  const after = reader(second);
  const result = builder();
  while (before.more() || after.more()) {
    const a = before.peek();
    const b = after.peek();
    if (typeof b === "string") {
      result.add(b);
      after.take(b.length);
    } else if (typeof a === "number" && a < 0) {
      result.add(a);
      before.take(-a);
    } else {
      const count = Math.min(typeof a === "string" ? a.length : a, Math.abs(b));
      if (b > 0) result.add(typeof a === "string" ? a.slice(0, count) : count);
      else if (typeof a === "number") result.add(-count);
      before.take(count);
      after.take(count);
    }
  }
  return result.edit;
}

/**
 * The smallest single replacement that turns one text into the other; never splits a surrogate pair.
 *
 * @param {string} before
 * @param {string} after
 * @param {number | null} [caret] Where the caret stands in `after`: typing ends there, which tells which of two equal
 *   characters is the new one.
 * @returns {Edit} Empty if the texts are equal.
 */
export function difference(before, after, caret) {
  if (before === after) return [];
  const shorter = Math.min(before.length, after.length);
  let end = 0;
  let start = 0;
  /** @param {number} limit */
  const extendEnd = (limit) => {
    while (end < limit && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  };
  extendEnd(Math.min(shorter, after.length - (caret ?? after.length)));
  while (start < shorter - end && before[start] === after[start]) start += 1;
  extendEnd(shorter - start);
  if (isHigh(before, start - 1) || isHigh(after, start - 1)) start -= 1;
  if (isLow(before, before.length - end) || isLow(after, after.length - end)) end -= 1;
  return [[start, before.length - end - start, after.slice(start, after.length - end)]];
}

/**
 * Where a caret stands after an edit that somebody else made.
 *
 * Text inserted exactly at the caret goes behind it; in a replaced range the caret keeps its distance from the start.
 *
 * @param {number} caret
 * @param {Edit} edit
 * @returns {number}
 */
export function mapCaret(caret, edit) {
  let shift = 0;
  for (const [position, deleted, inserted] of edit) {
    if (position >= caret) break;
    if (position + deleted > caret) return position + shift + Math.min(caret - position, inserted.length);
    shift += inserted.length - deleted;
  }
  return caret + shift;
}

/**
 * Whether the unit is the first half of a surrogate pair.
 *
 * @param {string} text
 * @param {number} index
 */
export function isHigh(text, index) {
  return (text.charCodeAt(index) & 0xfc00) === 0xd800;
}

/**
 * Whether the unit is the second half of a surrogate pair.
 *
 * @param {string} text
 * @param {number} index
 */
function isLow(text, index) {
  return (text.charCodeAt(index) & 0xfc00) === 0xdc00;
}

/**
 * Reads an edit piece by piece; behind its end everything is kept.
 *
 * @param {Edit} edit
 */
function reader(edit) {
  /** @type {Piece[]} */
  const pieces = [];
  let at = 0;
  for (const [position, deleted, inserted] of edit) pieces.push(position - at, inserted, -deleted), (at = position + deleted);
  let index = 0;
  /** Steps over pieces without effect. */
  const skip = () => {
    while (index < pieces.length && (pieces[index] === "" || pieces[index] === 0)) index += 1;
  };
  skip();
  return {
    more: () => index < pieces.length,
    /** @returns {Piece} */
    peek: () => pieces[index] ?? Infinity,
    /** @param {number} count Units of the current piece. */
    take(count) {
      const piece = pieces[index];
      if (typeof piece === "string") pieces[index] = piece.slice(count);
      else if (piece !== undefined) pieces[index] = piece > 0 ? piece - count : piece + count;
      skip();
    },
  };
}

/** Collects pieces into an edit in normal form: no empty component, and components that touch are one. */
function builder() {
  /** @type {Edit} */
  const edit = [];
  let at = 0;
  return {
    edit,
    /** @param {Piece} piece */
    add(piece) {
      if (typeof piece === "number" && piece > 0) return void (at += piece);
      let last = edit[edit.length - 1];
      if (!last || last[0] + last[1] < at) edit.push((last = [at, 0, ""]));
      if (typeof piece === "string") last[2] += piece;
      else (last[1] -= piece), (at -= piece);
    },
  };
}
