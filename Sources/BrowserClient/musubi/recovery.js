// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { inherits } from "./visitor.js";
import { isHigh } from "./text/edit.js";
import { replaceRows } from "./text/rows.js";
import { maxUnits } from "./text/split.js";
import { sizeOf } from "./text/texts.js";

export { compare, rebase } from "./text/compare.js";
export { refuse, resubmit } from "./text/refusal.js";
export { changeRows } from "./text/rows.js";
export { queueTap as tap, queueValue as typed } from "./values.js";

/** @typedef {import("./text/texts.js").Texts} Texts */
/** @typedef {import("./queue.js").Queue} Queue */
/** @typedef {import("./session.js").State} Session */
/** @typedef {typeof import("./recovery.js")} Recovery The functions for a server's text and one's own that have gone apart. */

/**
 * A page that was in a session is in a new one.
 *
 * @param {Session} session
 * @param {{visitor?: string, limits?: {frame: number}}} hello The new session's first frame.
 * @returns {unknown} Whether the page is about to go, or has handed over what it shows, and waits for the answer. If the
 *   connection is lost before that, the next one asks for the old session again.
 */
export function renew({ identity, notify, queue, openScreen }, hello) {
  const leave = inherits(hello.visitor, identity.visitor) ? notify.moves : notify.changed;
  return leave(hello.visitor) || (identity.token && handOver(openScreen(), queue, hello, notify.send));
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
function handOver({ texts, known, state }, queue, { limits }, send) {
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
 * The old session is gone: its unacknowledged inputs go to the new one, under their old numbers. Nobody knows whether taps
 * took effect, so they are not repeated but told.
 *
 * @param {Session} session
 * @param {number} ack Inputs up to this number are part of the new session's state.
 * @param {string[]} [names] The texts that have to give way to those of the next snapshot.
 */
export function carryOver({ notify, queue, openScreen }, ack, names = []) {
  const { texts } = openScreen();
  notify.acknowledged(Infinity);
  givenUp.set(texts, names);
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
  queue.rewind();
  if (taps) notify.lost(taps);
}

/** @type {(session: Session) => void} Forgets the screens that are no longer open, and what their controls held. */
export function leave({ queue, screensByNumber, stack }) {
  const isGone = (number = 0) => number && !stack.some(({ screen }) => screen === number);
  for (const number of screensByNumber.keys()) if (isGone(number)) screensByNumber.delete(number);
  for (const contents of [queue.tooLong, queue.choices]) {
    for (const [place, { screen }] of contents) if (isGone(screen)) contents.delete(place);
  }
}

/**
 * A snapshot has come: its texts may take the place of what the page shows, and rows are others.
 *
 * @param {import("./screen.js").Screen} screen
 * @param {Record<string, any>} state
 * @param {Record<string, number>} revisions
 * @param {number} acked Pending edits up to this number are part of it.
 * @param {string} epoch The stream of turns that it belongs to; `screen` knows the one before.
 */
export function prepare(screen, state, revisions, acked, epoch) {
  const { texts, left } = screen;
  for (const name of givenUp.get(texts) ?? []) {
    const text = texts.documents.get(name);
    if (text && text.save().server !== state[`${name}.field`]) left(text.text(), "given-up");
  }
  givenUp.delete(texts);
  replaceRows(screen, state, revisions, acked, epoch === screen.known().position[0]);
}
