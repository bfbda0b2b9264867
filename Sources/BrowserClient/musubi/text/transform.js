// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { append, isLow, normalized, parted } from "./edit.js";

/** @typedef {import("./edit.js").Edit} Edit */
/** @typedef {import("./edit.js").Run} Run */

/**
 * Makes each of two edits of the same text applicable after the other: `server` then the first result gives what
 * `client` then the second gives (TP1). In a tie the server's text comes first.
 *
 * @param {Edit} client A pending edit.
 * @param {Edit} server A step that the server has ordered already.
 * @returns {[Edit, Edit]} Both in normal form.
 */
export function transform(client, server) {
  const [p, s] = [normalized(client), normalized(server)];
  const [ours, theirs] = [pieces(p, s), pieces(s, p)];
  return [rebased(ours, theirs), rebased(theirs, ours, true)];
}

/**
 * Where a caret goes when somebody else's edit is applied: where a text typed there would go.
 *
 * @param {number} caret
 * @param {Edit} edit
 * @param {boolean} [staysBefore] Whether text inserted exactly there goes behind it, as at the end of a selection.
 * @returns {number}
 */
export function mapCaret(caret, edit, staysBefore) {
  let shift = 0;
  for (const [position, deleted, inserted] of pieces(normalized(edit), [[caret, 0, ""]])) {
    if (position > caret || (position === caret && (deleted || staysBefore))) break;
    shift += inserted.length - (Math.min(position + deleted, caret) - position);
  }
  return caret + shift;
}

/**
 * The components of an edit, the substitutions among them (as long as what they replace) cut at the edges of the
 * other edit's components: they stand for the range unit by unit, so that others' text between the units stays there,
 * and what others delete is not brought back.
 *
 * @param {Edit} edit
 * @param {Edit} others
 * @returns {Edit}
 */
export function pieces(edit, others) {
  return edit.flatMap(([position, deleted, inserted]) => {
    /** @type {Edit} */
    const parts = [];
    let [at, from] = [position, 0];
    const add = (/** @type {number} */ edge, /** @type {number} */ to) => {
      // A part is a substitution only if it is as long as its range; it goes where the other edit deletes the range.
      const isPlain = to - from !== edge - at;
      const isWanted = others.every(([start, count, text]) => start > at || edge > start + count || text.length === count);
      if (isPlain || isWanted) parts.push([at, edge - at, inserted.slice(from, to)]);
      [at, from] = [edge, to];
    };
    for (const [start, count] of inserted.length === deleted ? others : []) {
      for (const edge of [start, start + count]) {
        if (edge > at && edge < position + deleted) add(edge, edge - position - (isLow(inserted, edge - position) ? 1 : 0));
      }
    }
    add(position + deleted, inserted.length);
    return parts;
  });
}

/**
 * One edit's pieces as they apply after the other's.
 *
 * @param {Edit} mine
 * @param {Edit} others
 * @param {boolean} [winsTies]
 * @returns {Edit}
 */
function rebased(mine, others, winsTies) {
  /** @type {Run[]} */
  const edit = [];
  let next = 0;
  let shift = 0;
  /** How far the last of the others that are behind reaches. */
  let covered = 0;
  const step = () => {
    const [start, count, text] = others[next];
    shift += text.length - count;
    covered = start + count;
    next += 1;
  };
  for (const [position, deleted, inserted] of mine) {
    // By position, insertions before replacements, and only a real tie asks whose text it is.
    while (next < others.length) {
      const [place, count] = others[next];
      const isFirst = place !== position ? position < place : !deleted !== !count ? !deleted : winsTies;
      if (isFirst) break;
      step();
    }
    // The last of those may reach over this piece; its deletion there is no shift yet.
    let start = Math.max(position, covered);
    const end = position + deleted;
    const isRewriting = deleted === inserted.length;
    append(edit, start + shift, 0, inserted, isRewriting);
    while (start < end) {
      const stop = Math.min(others[next]?.[0] ?? end, end);
      if (stop > start) append(edit, start + shift, stop - start, "", isRewriting);
      if (stop === end) break;
      step();
      start = Math.max(start, covered);
    }
  }
  return parted(edit);
}
