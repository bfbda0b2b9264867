// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { applyPatch } from "./patch.js";
import { difference } from "./text/edit.js";
import { createTexts } from "./text/texts.js";

/** @typedef {import("./text/edit.js").Edit} Edit */
/** @typedef {import("./text/document.js").TextDocument} TextDocument */
/** @typedef {import("./recovery.js").Recovery} Recovery */
/** @typedef {ReturnType<typeof createScreen>} Screen */
/** @typedef {{screen: number, name: string, path: string, dialog?: {name: string, value?: any}}} StackEntry */

/**
 * The calls of a session to its page.
 * @typedef {object} Notify
 * @property {(frame: object) => boolean} send A frame is to be sent; false if there is no connection.
 * @property {() => unknown} live The state is the server's and inputs travel.
 * @property {(screen: number, state: Record<string, any>) => void} state The state has changed.
 * @property {(ack: number) => void} acknowledged Inputs up to this number have taken effect, or never will.
 * @property {(event: {name: string, value?: unknown}) => void} event
 * @property {(stack: StackEntry[]) => void} screens The stack of screens; empty if it is screen 0 without a dialog.
 * @property {(code: string, message: string) => unknown} problem Something was refused.
 * @property {() => unknown} moves The old session is gone; whether the page leaves, too.
 * @property {(visitor?: string) => unknown} changed The new session is of a visitor who must not have what the page shows
 *   and keeps; whether the page leaves.
 * @property {(text: string, name?: string) => unknown} left A text reaches nobody any more: its row has gone, or the
 *   sentence of that name tells why.
 * @property {(taps?: number) => unknown} lost The old session is gone, and with it so many unconfirmed taps.
 * @property {(hello: Record<string, any>) => void} hello A new session.
 * @property {() => void} broken The stream has a gap: connect again.
 * @property {(frame: Record<string, any>) => unknown} more A frame of a kind that only the second file knows, or nobody.
 * @property {(use: (recovery: import("./recovery.js").Recovery) => void) => void} recover Brings the second file's help,
 *   for the case that the server's text and one's own have gone apart.
 */

/**
 * A place in the stream of turns, and what the room descends from.
 *
 * @typedef {{position: [epoch: string, sequence: number], lineage?: [string, number][]}} Known
 */

/** @type {(key: string) => boolean} Whether it is the key of a row's text, which the second file knows more about. */
export const isOfRow = (key) => key[0] === "/";

/**
 * Takes over what a snapshot says of a two-way text.
 *
 * @param {TextDocument} text
 * @param {string} server
 * @param {number} revision
 * @param {number} acked Pending edits up to this number are part of it.
 * @param {Recovery} [recovery]
 */
function replaceText(text, server, revision, acked, recovery) {
  const before = text.text();
  const content = { server, revision, pending: [] };
  if (recovery && text.save().pending.length) recovery.rebase(text, content, acked);
  else text.become(content);
  text.tell((recovery?.compare ?? difference)(before, text.text()), before);
}

/**
 * Takes over what a turn has done to a two-way text.
 *
 * @param {TextDocument} text
 * @param {{revision: number, steps: Edit[]}} edits
 */
function takeSteps(text, { revision, steps }) {
  let at = revision - steps.length;
  /** @type {string | undefined} */
  let source;
  for (const step of steps) {
    const before = text.text();
    const change = text.step(step, (at += 1));
    text.tell(change, before, source);
    source = change.length ? undefined : "answer";
  }
}

/**
 * One screen of a session as a page knows it: the state, its place in the stream of turns, and the two-way texts.
 *
 * @param {Pick<Notify, "state" | "event" | "left">} notify
 * @param {import("./queue.js").Queue} queue
 * @param {number} number
 * @param {import("./text/texts.js").SavedTexts} [saved] What the page kept over a reload.
 * @param {Known} [known] Likewise.
 */
export function createScreen(notify, queue, number, saved, known = { position: ["", 0] }) {
  /** @type {any} */
  let state;
  const texts = createTexts(queue, saved, number || undefined);
  const { documents } = texts;
  return {
    texts, queue,
    left: (/** @type {string} */ text, /** @type {string | undefined} */ name) => notify.left(text, name),
    state: () => state,
    /** @type {() => Known["position"]} Without a state only a snapshot helps, and no room has the empty epoch. */
    position: () => (state ? known.position : ["", 0]),
    known: () => known,
    /** @param {import("./queue.js").Entry} entry An edit; a row's text may have no revision. */
    edit({ name = "", key = name, input }) {
      const text = documents.get(key)?.save();
      const edits = text?.pending.find((own) => own.input === input)?.edit ?? [];
      if (!text) return undefined;
      if (text.revision >= 0) return { revision: text.revision, edits };
      return { sequence: known.position[1], shown: text.address?.shown, edits };
    },
    /** @type {(frame: any, acked: number, recovery?: Recovery) => void} */
    snapshot({ snapshot, epoch, sequence, revisions = {}, lineage }, acked, recovery) {
      recovery?.prepare(this, snapshot, revisions, acked, epoch);
      known = { position: [epoch, sequence], lineage };
      state = snapshot;
      for (const name in revisions) {
        if (!isOfRow(name)) replaceText(texts.open(name), snapshot[`${name}.field`] ?? "", revisions[name], acked, recovery);
      }
      notify.state(number, snapshot);
    },
    /** @type {(frame: any, recovery?: Recovery) => boolean} Whether it followed the one before and could be applied. */
    turn({ sequence, patch = [], edits = {}, events = [] }, recovery) {
      if (!state || sequence !== known.position[1] + 1) return false;
      try {
        state = applyPatch(state, patch);
      } catch {
        return false;
      }
      known.position[1] += 1;
      recovery?.changeRows(this, state, edits);
      for (const name in edits) {
        const text = documents.get(name);
        if (text) takeSteps(text, edits[name]);
        else if (!isOfRow(name)) return false;
      }
      notify.state(number, state);
      events.forEach(notify.event);
      return true;
    },
  };
}
