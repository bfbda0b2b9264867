// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { createDocument } from "./document.js";
import { applyPatch } from "./patch.js";
import { difference } from "./text-merge.js";
import { createTexts } from "./texts.js";

/** @typedef {import("./text-merge.js").Edit} Edit */
/** @typedef {ReturnType<typeof createScreen>} Screen */
/** @typedef {{screen: number, name: string, path: string, dialog?: {name: string, value?: any}}} StackEntry */

/**
 * What a session tells the page.
 * @typedef {object} Notify
 * @property {(frame: object) => boolean} send A frame is to be sent; false if there is no connection.
 * @property {() => unknown} live The state is the server's and inputs travel.
 * @property {(screen: number, state: Record<string, any>) => void} state The state has changed.
 * @property {(ack: number) => void} acknowledged Inputs up to this number have taken effect, or never will.
 * @property {(event: {name: string, value?: unknown}) => void} event
 * @property {(stack: StackEntry[]) => void} screens The stack of screens; empty if it is screen 0 without a dialog.
 * @property {(code: string, message: string | number) => unknown} problem Something was refused; the
 *   most bytes of a text instead of a sentence, if the page has found out by itself.
 * @property {() => unknown} moves The old session is gone; whether the page leaves, too.
 * @property {(taps?: number) => unknown} lost The old session is gone, and with it so many unconfirmed taps.
 * @property {(hello: Record<string, any>) => void} hello A new session.
 * @property {() => void} broken The stream has a gap: connect again.
 * @property {() => void} reload The page's files have changed.
 * @property {(use: (recovery: import("./recovery.js").Recovery) => void) => void} recover Brings the second file's help,
 *   for the case that the server's text and one's own have gone apart.
 */

/**
 * One screen of a session as a page knows it: the state, its place in the stream of turns, and the two-way texts.
 *
 * @param {Pick<Notify, "state" | "event">} notify
 * @param {import("./queue.js").Queue} queue
 * @param {number} number
 * @param {import("./texts.js").SavedTexts} [saved] What the page kept over a reload.
 */
export function createScreen(notify, queue, number, saved) {
  /** @type {Record<string, any> | undefined} */
  let state;
  let epoch = "";
  let sequence = 0;
  const texts = createTexts(queue, saved, number || undefined);
  const { documents } = texts;

  return {
    texts,
    hasState: () => state !== undefined,
    /**
     * Where in the stream the page is; without a state only a snapshot helps, and no room has the empty epoch.
     *
     * @returns {[epoch: string, sequence: number]}
     */
    position: () => [epoch, sequence],

    /**
     * @param {Record<string, any>} frame
     * @param {number} acked Pending edits up to this number are part of it.
     * @param {import("./recovery.js").Recovery} [recovery] Needed if there are others.
     */
    snapshot(frame, acked, recovery) {
      const { snapshot, revisions = {}, by = {} } = frame;
      ({ epoch, sequence } = frame);
      state = snapshot;
      for (const name in revisions) {
        const text = documents.get(name) ?? createDocument();
        documents.set(name, text);
        const before = text.text();
        const server = snapshot[`${name}.field`] ?? "";
        const content = { server, revision: revisions[name], by: by[name], pending: [] };
        if (recovery && text.save().pending.length) recovery.rebase(text, content, acked);
        else text.become(content);
        text.tell((recovery?.compare ?? difference)(before, text.text()), before);
      }
      notify.state(number, snapshot);
    },

    /**
     * @param {Record<string, any>} frame
     * @returns {boolean} Whether it followed the one before and could be applied.
     */
    turn(frame) {
      const { patch = [], edits = {}, events = [] } = frame;
      if (!state || frame.sequence !== sequence + 1) return false;
      try {
        state = applyPatch(state, patch);
      } catch {
        return false;
      }
      sequence = frame.sequence;
      for (const name in edits) {
        const text = documents.get(name);
        if (!text) return false;
        const { revision, steps, by } = edits[name];
        /** @type {string | undefined} */
        let source;
        text.save().by = { ...text.save().by, ...by };
        steps.forEach((/** @type {Edit} */ step, /** @type {number} */ index) => {
          const before = text.text();
          const change = text.step(step, revision - steps.length + 1 + index);
          text.tell(change, before, source);
          source = change.length ? undefined : "answer";
        });
      }
      notify.state(number, /** @type {Record<string, any>} */ (state));
      events.forEach(notify.event);
      return true;
    },
  };
}
