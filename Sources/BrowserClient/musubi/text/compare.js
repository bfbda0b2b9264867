// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { append, applyEdit, difference, parted, typed } from "./edit.js";
import { transform } from "./transform.js";

/** @typedef {import("./edit.js").Edit} Edit */

/** The most pairs of characters that are compared; longer texts are told apart by one replaced range. */
const maxPairs = 1_000_000;

/**
 * The insertions and deletions, character by character, that turn one text into another: common text stays in place,
 * and so does text that somebody typed beside it.
 *
 * It keeps one of the longest common subsequences, by the table of Wagner and Fischer.
 *
 * @param {string} before
 * @param {string} after
 * @returns {Edit} In normal form.
 */
export function compare(before, after) {
  const [range] = difference(before, after);
  if (!range) return [];
  let [at, deleted, inserted] = range;
  const [old, made] = [[...before.slice(at, at + deleted)], [...inserted]];
  const width = made.length + 1;
  if (old.length * made.length > maxPairs) return typed([range]);
  /** The length of the longest common subsequence of the texts behind each pair of places. */
  const common = new Uint16Array((old.length + 1) * width);
  for (let i = old.length; i--; ) {
    for (let j = made.length; j--; ) {
      const here = i * width + j;
      common[here] = old[i] === made[j] ? common[here + width + 1] + 1 : Math.max(common[here + width], common[here + 1]);
    }
  }
  /** @type {import("./edit.js").Run[]} */
  const edit = [];
  for (let i = 0, j = 0; i < old.length || j < made.length; ) {
    const here = i * width + j;
    if (i < old.length && old[i] === made[j]) {
      at += old[i++].length;
      j += 1;
    } else if (j < made.length && (i === old.length || common[here + 1] >= common[here + width])) {
      append(edit, at, 0, made[j++]);
    } else {
      append(edit, at, old[i].length, "");
      at += old[i++].length;
    }
  }
  return parted(edit);
}

/**
 * Carries pending edits over to a text that the server has sent as a whole.
 *
 * @param {import("./document.js").TextDocument} document
 * @param {{server?: string, revision: number}} content The server's text; without it, the one before with the edits that
 *   are part of it.
 * @param {number} ack Pending edits up to this number are part of it.
 */
export function rebase(document, content, ack) {
  let { server, pending } = document.save();
  const isTaken = (/** @type {import("./document.js").Pending} */ { input, revision }) => revision || (input && input <= ack);
  const count = pending.findIndex((own) => !isTaken(own));
  for (const own of pending.splice(0, count < 0 ? Infinity : count)) server = applyEdit(server, own.edit);
  let step = compare(server, content.server ?? server);
  for (const own of pending) [own.edit, step] = transform(own.edit, step);
  document.become({ server, ...content, pending });
}
