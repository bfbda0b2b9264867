// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { isHigh } from "./edit.js";

/** @typedef {import("./edit.js").Edit} Edit */

/**
 * Most units of an edit in one frame. JSON writes a unit in at most 6 bytes, so no frame exceeds 16 KiB.
 */
export const maxUnits = 2600;

/** Units that stand for the two numbers of a component. */
const unitsOfPlace = 4;

/**
 * The same edit as several that fit into frames, each for the text that the one before leaves. Deletions go first: so
 * no part makes the text longer than it was, or will be.
 *
 * @param {Edit} edit
 * @returns {Edit[]}
 */
export function split(edit) {
  if (unitsOf(edit) <= maxUnits) return [edit];
  /** @type {Edit[]} */
  const parts = [];
  let gone = 0;
  for (const [position, deleted] of edit) {
    if (deleted) parts.push([[position - gone, deleted, ""]]);
    gone += deleted;
  }
  let shift = 0;
  for (const [position, deleted, inserted] of edit) {
    for (let from = 0, to; from < inserted.length; from = to) {
      to = Math.min(from + maxUnits - unitsOfPlace, inserted.length);
      if (to < inserted.length && isHigh(inserted, to - 1)) to -= 1;
      parts.push([[position + shift + from, 0, inserted.slice(from, to)]]);
    }
    shift += inserted.length - deleted;
  }
  return parts;
}

/**
 * How much of a frame an edit takes.
 *
 * @param {Edit} edit
 * @returns {number}
 */
export const unitsOf = (edit) => edit.reduce((sum, component) => sum + component[2].length + unitsOfPlace, 0);
