// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { insertedUnits, largestInsertion } from "./codec.js";
import { applyEdit, difference, join, transform } from "./text-merge.js";

/** @typedef {import("./text-merge.js").Edit} Edit */

/**
 * An edit of one's own that is not part of the server's text yet. `input` is its number, 0 if the server is not going
 * to hear of it under the number that it had; `revision` is what it became, once the server has said so.
 *
 * @typedef {{input: number, edit: Edit, revision?: number}} Pending
 */

/** @typedef {{server: string, revision: number, pending: Pending[]}} SavedDocument */
/** @typedef {ReturnType<typeof createDocument>} TextDocument */

/**
 * A two-way text as one page sees it: the server's text at a revision, and on top of it one's own pending edits.
 *
 * It always holds that applying the pending edits to the server's text gives `text`, whatever arrives; so nothing
 * that was typed depends on the connection.
 *
 * @param {SavedDocument} [saved] What the page kept over a reload.
 */
export function createDocument(saved = { server: "", revision: 0, pending: [] }) {
  let { server, revision, pending } = saved;
  let text = pending.reduce((result, own) => applyEdit(result, own.edit), server);
  /** Whether an edit was refused, and the empty step that stands for it has not come yet. */
  let isBlocked = false;

  /** @type {(step: Edit) => Edit} Carries a change of the server's text over the pending edits. */
  const rebase = (step) => {
    for (const own of pending) [own.edit, step] = transform(own.edit, step);
    text = applyEdit(text, step);
    return step;
  };

  return {
    /** The text to show. */
    text: () => text,
    /** The highest revision that was applied. */
    revision: () => revision,
    /** @param {number} input The pending edit with this number. */
    pending: (input) => pending.find((own) => own.input === input),
    /** Whether there are edits that nobody is going to send. */
    isStranded: () => pending.some((own) => !own.input),
    /** Whether all that is pending may be given new numbers now. */
    isFree: () => !isBlocked && !pending.some((own) => own.input),
    /** Everything that a reload of the page needs to know. */
    save: () => ({ server, revision, pending }),

    /** @type {(edit: Edit, input: number) => void} The person has changed the text. */
    change(edit, input) {
      text = applyEdit(text, edit);
      pending.push({ input, edit });
    },

    /**
     * The person goes on typing, and the newest edit was never sent: one frame will do for both.
     *
     * @param {Edit} edit
     * @returns {boolean} Whether they could be made one.
     */
    extend(edit) {
      const newest = pending[pending.length - 1];
      const joined = newest && join(newest.edit, edit);
      if (!joined || insertedUnits(joined) > largestInsertion) return false;
      text = applyEdit(text, edit);
      newest.edit = joined;
      return true;
    },

    /**
     * The server has changed the text.
     *
     * @param {Edit} step
     * @param {number} at The revision after the step.
     * @returns {Edit} What changes in `text`.
     */
    step(step, at) {
      if (at <= revision) return [];
      server = applyEdit(server, step);
      revision = at;
      if (!step.length) isBlocked = false;
      if (pending[0]?.revision !== at) return rebase(step);
      pending.shift();
      return [];
    },

    /**
     * The server has sent the whole text, after edits or a history that this page has missed.
     *
     * @param {string} whole
     * @param {number} at Its revision.
     * @param {number} ack Pending edits up to this number are part of it.
     * @returns {Edit} What changes in `text`.
     */
    snapshot(whole, at, ack) {
      while (pending.length && (pending[0].revision || (pending[0].input && pending[0].input <= ack))) {
        server = applyEdit(server, /** @type {Pending} */ (pending.shift()).edit);
      }
      const step = difference(server, whole);
      server = whole;
      revision = at;
      isBlocked = false;
      return rebase(step);
    },

    /** @type {(number: () => number) => void} A new session has seen none of them: gives them new numbers. */
    renumber(number) {
      pending = pending.map(({ input, edit }) => ({ input: input && number(), edit }));
    },

    /** The server refuses what is pending: it stays in the field as one edit without a number. */
    strand() {
      pending = [{ input: 0, edit: difference(server, text) }];
      isBlocked = true;
    },

    /**
     * Takes back what is pending, to be given again under new numbers.
     *
     * @returns {Edit}
     */
    resubmit() {
      const edit = difference(server, text);
      pending = [];
      text = server;
      return edit;
    },
  };
}
