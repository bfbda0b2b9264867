// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { isHigh } from "./text-merge.js";

/** @typedef {import("./text-merge.js").Edit} Edit */

/**
 * Most inserted units in one frame. JSON writes a unit in at most 6 bytes, so no frame exceeds 16 KiB.
 */
export const largestInsertion = 2600;

/**
 * The same edit as several that fit into frames, each for the text that the one before leaves.
 *
 * @param {Edit} edit
 * @returns {Edit[]}
 */
export function split(edit) {
  if (insertedUnits(edit) <= largestInsertion) return [edit];
  /** @type {Edit[]} */
  const parts = [];
  let shift = 0;
  for (const [position, deleted, inserted] of edit) {
    let [from, left] = [0, deleted];
    do {
      let to = Math.min(from + largestInsertion, inserted.length);
      if (to < inserted.length && isHigh(inserted, to - 1)) to -= 1;
      parts.push([[position + shift + from, left, inserted.slice(from, to)]]);
      [from, left] = [to, 0];
    } while (from < inserted.length);
    shift += inserted.length - deleted;
  }
  return parts;
}

/**
 * How many units an edit inserts.
 *
 * @param {Edit} edit
 * @returns {number}
 */
export function insertedUnits(edit) {
  return edit.reduce((sum, component) => sum + component[2].length, 0);
}
