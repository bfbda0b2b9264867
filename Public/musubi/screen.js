// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { createDocument } from "./document.js";
import { applyPatch } from "./patch.js";
import { createTexts } from "./texts.js";

/** @typedef {import("./text-merge.js").Edit} Edit */
/** @typedef {ReturnType<typeof createScreen>} Screen */

/**
 * One screen of a session as a page knows it: the state, its place in the stream of turns, and the two-way texts.
 *
 * @param {Pick<import("./session.js").Notify, "text" | "state" | "event">} notify
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
    /** Where in the stream the page is; without a state only a snapshot helps, and no room has the empty epoch. */
    position: () => [epoch, sequence],

    /**
     * @param {Record<string, any>} frame
     * @param {number} acked Pending edits up to this number are part of it.
     */
    snapshot(frame, acked) {
      const { snapshot, revisions = {} } = frame;
      ({ epoch, sequence } = frame);
      state = snapshot;
      for (const name in revisions) {
        const text = documents.get(name) ?? createDocument();
        documents.set(name, text);
        const before = text.text();
        notify.text(name, text.snapshot(snapshot[`${name}.field`] ?? "", revisions[name], acked), before, undefined, number);
      }
      notify.state(snapshot, number);
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
        const { revision, steps } = edits[name];
        steps.forEach((/** @type {Edit} */ step, /** @type {number} */ index) => {
          const before = text.text();
          notify.text(name, text.step(step, revision - steps.length + 1 + index), before, undefined, number);
        });
      }
      notify.state(/** @type {Record<string, any>} */ (state), number);
      for (const { name, value } of events) notify.event(name, value);
      return true;
    },
  };
}
