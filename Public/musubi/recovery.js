// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { split } from "./codec.js";
import { append, applyEdit, difference, parted, typed } from "./text-merge.js";
import { isStranded } from "./texts.js";

/** @typedef {import("./text-merge.js").Edit} Edit */
/** @typedef {import("./document.js").TextDocument} TextDocument */
/** @typedef {import("./document.js").Pending} Pending */
/** @typedef {import("./texts.js").Texts} Texts */
/** @typedef {import("./queue.js").Queue} Queue */
/** @typedef {typeof import("./recovery.js")} Recovery What is needed when the server's text and one's own have gone apart. */

/** The most pairs of characters that are compared; longer texts are told apart by one replaced range. */
const mostPairs = 1_000_000;

/**
 * What has to be inserted and deleted, character by character, to turn one text into another: what both have stays in
 * place, and so does what somebody typed beside it.
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
  if (old.length * made.length > mostPairs) return typed([range]);
  /** The length of the longest common subsequence of what is behind each pair of places. */
  const common = new Uint16Array((old.length + 1) * width);
  for (let i = old.length; i--; ) {
    for (let j = made.length; j--; ) {
      const here = i * width + j;
      common[here] = old[i] === made[j] ? common[here + width + 1] + 1 : Math.max(common[here + width], common[here + 1]);
    }
  }
  /** @type {import("./text-merge.js").Run[]} */
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
 * Carries what is pending over to a text that the server has sent as a whole.
 *
 * @param {TextDocument} document
 * @param {import("./document.js").Content} content The server's text.
 * @param {number} ack Pending edits up to this number are part of it.
 */
export function rebase(document, content, ack) {
  let { server, pending } = document.save();
  const isTaken = (/** @type {Pending} */ { input, revision }) => revision || (input && input <= ack);
  const count = pending.findIndex((own) => !isTaken(own));
  for (const own of pending.splice(0, count < 0 ? Infinity : count)) server = applyEdit(server, own.edit);
  let step = compare(server, content.server);
  for (const own of pending) [own.edit, step] = document.merge.transform(own.edit, step);
  document.become({ ...content, pending });
}

/**
 * The server refuses an edit, and with it all of the text that were made after it: they stay in the field as one edit
 * without a number.
 *
 * @param {Texts} texts
 * @param {Queue} queue
 * @param {number} input
 */
export function refuse(texts, queue, input) {
  for (const document of texts.documents.values()) {
    const { pending, ...content } = document.save();
    const first = pending.findIndex((own) => own.input === (input || -1));
    if (first < 0) continue;
    const kept = pending.slice(0, first);
    const before = kept.reduce((text, { edit }) => applyEdit(text, edit), content.server);
    const rest = { input: 0, edit: compare(before, document.text()) };
    const numbers = pending.slice(first).map((own) => own.input);
    document.become({ ...content, pending: [...kept, rest], isBlocked: true });
    queue.forget((entry) => numbers.includes(entry.input));
  }
}

/**
 * Gives what was refused new numbers, unless the server is not ready for it or it still does not fit.
 *
 * @param {Texts} texts
 * @param {Queue} queue
 */
export function resubmit(texts, queue) {
  for (const [name, document] of texts.documents) {
    const { pending, isBlocked, ...content } = document.save();
    const isFree = !isBlocked && pending.every(isStranded);
    if (!isFree || !pending.length || !texts.fits(document.text(), content.server)) continue;
    const edit = compare(content.server, document.text());
    document.become({ ...content, pending: [] });
    if (edit.length) texts.enqueue(name, edit);
  }
}

/** Most authors that are told of: those that came last. */
const mostAuthors = 100;

/**
 * Tells a new session what the texts of the old one were, as far as the page knows, in pieces that fit into frames, and
 * who the page is: others may know that its last edits were taken.
 *
 * @param {Texts} texts
 * @param {Queue} queue
 * @param {string | undefined} epoch The stream that they come from.
 * @param {string | undefined} author The session that names it.
 * @param {(frame: object) => void} send
 */
export function restore(texts, queue, epoch, author = "", send) {
  for (const [name, document] of texts.documents) {
    const { server, revision, by = {} } = document.save();
    const newest = Object.fromEntries(Object.entries(by).slice(-mostAuthors));
    for (const [[at, , text]] of split([[0, 0, server]])) {
      send({ restore: { epoch, name, revision, text, by: at ? undefined : newest } });
    }
  }
  send({ restore: { author: author.slice(0, 8), last: queue.last() } });
}

/**
 * The old session is gone: what it has not acknowledged is to be given to the new one, under the numbers that it has.
 *
 * @param {Texts} texts
 * @param {Queue} queue
 * @param {Record<string, number>} [restored] The texts that the server has from a page like this one, each with the number
 *   of the last input of this page that is part of it.
 * @returns {number} How many taps are left; nobody knows whether they took effect, so they are not repeated.
 */
export function handOver(texts, queue, restored = {}) {
  const entries = queue.entries();
  /** @type {import("./queue.js").Entry[]} */
  const kept = entries.filter((entry) => entry.kind === "typed" && !entry.screen);
  for (const [name, document] of texts.documents) {
    const { server, by, pending } = document.save();
    for (const own of pending) {
      const { input } = own;
      own.revision = input <= (restored[name] ?? 0) ? input : 0;
      // What was acknowledged, but in a turn that has not come, is waited for no longer.
      const entry = entries.find((one) => one.input === input) ?? { input, kind: "edit", name, sent: true, bytes: 64 };
      if (input && !own.revision) kept.push(entry);
    }
    document.become({ server, revision: 0, by, pending });
  }
  kept.sort((one, other) => one.input - other.input);
  const taps = entries.filter((entry) => entry.kind === "tap").length;
  entries.splice(0, Infinity, ...kept);
  queue.rewind();
  return taps;
}
