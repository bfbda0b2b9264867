// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { followCompositions, textOf, together, whenReset } from "./controls.js";
import { createWatchers, uncloak } from "./page.js";
import { applyPatch } from "./patch.js";
import { append, applyEdit, difference, isHigh, join, joined, parted, typed } from "./text/edit.js";
import { pieces, transform } from "./text/transform.js";

/**
 * What the second file shares with the first one. `deploy/bundle` leaves the modules above out of the second bundle, which
 * has a variable for each of these, in this order, until `share` fills them.
 */
export const shared = [
  followCompositions, textOf, together, whenReset, createWatchers, uncloak, applyPatch,
  append, applyEdit, difference, isHigh, join, joined, parted, typed, pieces, transform,
];

/** @type {(values: typeof shared) => void} Without bundles both files have the same modules. */
export const share = () => {};
