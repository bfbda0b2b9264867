// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { maxUnits } from "./codec.js";
import { append, applyEdit, difference, isHigh, parted, typed } from "./text-merge.js";
import { leaveRow, replaceRows } from "./rows.js";
import { isStranded, sizeOf } from "./texts.js";

export { changeRows, openRow } from "./rows.js";

/** @typedef {import("./text-merge.js").Edit} Edit */
/** @typedef {import("./document.js").TextDocument} TextDocument */
/** @typedef {import("./document.js").Pending} Pending */
/** @typedef {import("./texts.js").Texts} Texts */
/** @typedef {import("./queue.js").Queue} Queue */
/** @typedef {Map<number, import("./screen.js").Screen>} Screens By their numbers. */
/** @typedef {typeof import("./recovery.js")} Recovery The functions for a server's text and one's own that have gone apart. */

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
 * Carries pending edits over to a text that the server has sent as a whole.
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
 * @param {Screens} screens
 * @param {Queue} queue
 * @param {{code: string, input?: number}} error
 * @returns {boolean | undefined} Whether the person was told, because a row has gone.
 */
export function refuse(screens, queue, { code, input = -1 }) {
  const all = [...screens.values()];
  if (code === "unknown-row" && all.some((screen) => leaveRow(screen, input))) return true;
  for (const document of all.flatMap(({ texts }) => [...texts.documents.values()])) {
    const { pending, ...content } = document.save();
    const first = pending.findIndex((own) => own.input === input);
    if (first < 0) continue;
    const kept = pending.slice(0, first);
    const before = kept.reduce((text, { edit }) => applyEdit(text, edit), content.server);
    const rest = { input: 0, edit: compare(before, document.text()), isRefused: true };
    const numbers = pending.slice(first).map((own) => own.input);
    document.become({ ...content, pending: [...kept, rest], isBlocked: true });
    queue.forget((entry) => numbers.includes(entry.input));
    // The text is the same, but it is not on its way any longer.
    document.tell([], document.text());
  }
}

/**
 * Gives refused edits new numbers, unless the server is not ready for them or they still do not fit.
 *
 * @param {Screens} screens
 */
export function resubmit(screens) {
  for (const { texts } of screens.values()) {
    for (const [name, document] of texts.documents) {
      const { pending, isBlocked, ...content } = document.save();
      const isFree = !isBlocked && pending.every(isStranded);
      // A refused edit waits for the person's next change.
      if (!isFree || !pending.length || pending.at(-1)?.isRefused) continue;
      const edit = compare(content.server, document.text());
      if (!texts.fits(edit, content.server)) continue;
      document.become({ ...content, pending: [] });
      if (edit.length) texts.enqueue(name, edit);
    }
  }
}

/**
 * Hands a new session what the page shows of the first screen: the two-way texts as the server had them, in pieces that fit
 * into frames, and the other controls that the person has set.
 *
 * @param {Pick<import("./screen.js").Screen, "texts" | "known" | "state">} screen
 * @param {Queue} queue
 * @param {{limits?: {frame: number}}} hello The session's first frame.
 * @param {(frame: object) => void} send
 * @returns {boolean} Whether there is anything; the server answers it.
 */
export function handOver({ texts, known, state }, queue, { limits }, send) {
  const { position, lineage = [] } = known();
  const most = Math.min(16_384, limits?.frame ?? Infinity);
  /** @type {object[]} */
  const parts = [];
  for (const [name, document] of texts.documents) {
    const { server, revision, pending } = document.save();
    // The rows of a new session are its own, and so is a text that nobody has changed.
    if (document.address || !(revision || pending.length)) continue;
    let at = 0;
    do {
      // A unit takes 6 bytes at most.
      let end = at + Math.min(maxUnits, Math.floor((most - 512) / 6));
      if (isHigh(server, end - 1)) end -= 1;
      parts.push({ name, value: server.slice(at, end) });
      at = end;
    } while (at < server.length);
  }
  for (const { name = "", screen, value: chosen } of queue.choices.values()) {
    // As long as no state answers a choice, it is the person's value.
    const value = (state() ?? { [name]: chosen })[name];
    const isKnown = value !== undefined && !screen && !texts.documents.has(name);
    if (isKnown && sizeOf(JSON.stringify(value)) <= most - 512) parts.push({ name, value });
  }
  if (!position[0] || !parts.length) return false;
  for (const part of [...parts, { position, lineage }]) send({ handOver: part });
  return true;
}

/** @type {WeakMap<Texts, string[]>} Which texts have to give way to those of the next snapshot. */
const givenUp = new WeakMap();

/**
 * The old session is gone: its unacknowledged inputs go to the new one, under their old numbers.
 *
 * @param {Texts} texts
 * @param {Queue} queue
 * @param {number} ack Inputs up to this number are part of the new session's state.
 * @param {string[]} [names] The texts that have to give way to those of the next snapshot.
 * @returns {number} How many taps are left; nobody knows whether they took effect, so they are not repeated.
 */
export function carryOver(texts, queue, ack, names = []) {
  givenUp.set(texts, names);
  queue.forget(({ input }) => input <= ack);
  const entries = queue.entries();
  /** @type {import("./queue.js").Entry[]} */
  const kept = entries.filter((entry) => entry.kind === "typed" && !entry.screen);
  for (const [name, document] of texts.documents) {
    const { server, pending } = document.save();
    for (const own of pending) {
      const { input } = own;
      own.revision = 0;
      // An acknowledged edit whose turn has not come is waited for no longer.
      const entry = entries.find((one) => one.input === input) ??
        { input, kind: "edit", name, ...document.address, sent: true, bytes: 64 };
      if (input > ack) kept.push(entry);
    }
    document.become({ server, revision: document.address ? -1 : 0, pending });
  }
  kept.sort((one, other) => one.input - other.input);
  const taps = entries.filter((entry) => entry.kind === "tap").length;
  entries.splice(0, Infinity, ...kept);
  for (const [place, { screen }] of queue.tooLong) if (screen) queue.tooLong.delete(place);
  queue.rewind();
  return taps;
}

/**
 * A snapshot has come: its texts may take the place of what the page shows, and rows are others.
 *
 * @param {import("./screen.js").Screen} screen
 * @param {Record<string, any>} state
 * @param {Record<string, number>} revisions
 * @param {number} acked Pending edits up to this number are part of it.
 */
export function prepare(screen, state, revisions, acked) {
  const { texts, left } = screen;
  for (const name of givenUp.get(texts) ?? []) {
    const text = texts.documents.get(name);
    if (text && text.save().server !== state[`${name}.field`]) left(text.text(), "given-up");
  }
  givenUp.delete(texts);
  replaceRows(screen, state, revisions, acked);
}
