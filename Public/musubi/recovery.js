// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { split } from "./codec.js";
import { append, applyEdit, difference, transform } from "./text-merge.js";
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
  if (old.length * made.length > mostPairs) return [range];
  /** The length of the longest common subsequence of what is behind each pair of places. */
  const common = new Uint16Array((old.length + 1) * width);
  for (let i = old.length; i--; ) {
    for (let j = made.length; j--; ) {
      const here = i * width + j;
      common[here] = old[i] === made[j] ? common[here + width + 1] + 1 : Math.max(common[here + width], common[here + 1]);
    }
  }
  /** @type {Edit} */
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
  return edit;
}

/**
 * One's own edit without what the other side has made of the same place as well.
 *
 * @param {Edit} edit
 * @param {Edit} step The other side's, of the same text.
 * @returns {Edit}
 */
function untaken(edit, step) {
  return edit.map(([position, deleted, inserted]) => {
    const there = step.filter(([start, count]) => start <= position + deleted && position <= start + count);
    const made = there.map((component) => component[2]).join("");
    return [position, deleted, compare(made, inserted).map((component) => component[2]).join("")];
  });
}

/**
 * Carries what is pending over to a text that the server has sent as a whole.
 *
 * @param {TextDocument} document
 * @param {import("./document.js").Content} content The server's text.
 * @param {number} ack Pending edits up to this number are part of it.
 */
export function rebase(document, content, ack) {
  let { server, pending, isRestored } = document.save();
  const isTaken = (/** @type {Pending} */ { input, revision }) => revision || (input && input <= ack);
  const count = pending.findIndex((own) => !isTaken(own));
  for (const own of pending.splice(0, count < 0 ? Infinity : count)) server = applyEdit(server, own.edit);
  let step = compare(server, content.server);
  for (const own of pending) {
    // What one does not know to be taken may have come to others before the server lost its memory.
    if (isRestored) own.edit = untaken(own.edit, step);
    [own.edit, step] = transform(own.edit, step);
  }
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
  pushTyped(queue);
}

/**
 * Tells a new session what the texts of the old one were, as far as the page knows, in pieces that fit into frames.
 *
 * @param {Texts} texts
 * @param {string | undefined} epoch The stream that they come from.
 * @param {(frame: object) => void} send
 */
export function restore(texts, epoch, send) {
  for (const [name, document] of texts.documents) {
    const { server, revision } = document.save();
    for (const [[, , text]] of split([[0, 0, server]])) send({ restore: { epoch, name, revision, text } });
  }
  send({ restore: {} });
}

/** @param {Queue} queue */
function pushTyped(queue) {
  for (const { input, sent, ...entry } of queue.later.splice(0)) queue.push(entry);
}

/**
 * The old session is gone: what it has not acknowledged is to be given to the new one, once its texts are known.
 *
 * @param {Texts} texts
 * @param {Queue} queue
 * @param {string[]} restored The texts that the server has from a page like this one.
 * @returns {number} How many taps are left; nobody knows whether they took effect, so they are not repeated.
 */
export function handOver(texts, queue, restored) {
  for (const [name, document] of texts.documents) {
    const { server } = document.save();
    const edit = compare(server, document.text());
    const pending = edit.length ? [{ input: 0, edit }] : [];
    document.become({ server, revision: 0, pending, isRestored: restored.includes(name) });
  }
  const left = queue.restart();
  queue.later = left.filter((entry) => entry.kind === "typed" && !entry.screen);
  if (!texts.pending().length) pushTyped(queue);
  return left.filter((entry) => entry.kind === "tap").length;
}
