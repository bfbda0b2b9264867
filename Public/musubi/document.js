// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { insertedUnits, largestInsertion } from "./codec.js";
import { applyEdit, difference, join, transform } from "./text-merge.js";

/** @typedef {import("./text-merge.js").Edit} Edit */

/**
 * An edit of one's own that the server has not ordered yet. `input` is its number; 0 if the server refused it or
 * has never heard of it.
 *
 * @typedef {{input: number, edit: Edit}} Pending
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
  /** @type {Map<number, number>} Revisions that one's own edits became, and the edits' numbers. */
  const claims = new Map();

  /**
   * Carries a change of the server's text over the pending edits.
   *
   * @param {Edit} step
   * @returns {Edit} What changes in `text`.
   */
  const rebase = (step) => {
    for (const own of pending) [own.edit, step] = transform(own.edit, step);
    text = applyEdit(text, step);
    return step;
  };

  const document = {
    /** The text to show. */
    text: () => text,
    /** The highest revision that was applied. */
    revision: () => revision,
    /** @param {number} input The pending edit with this number. */
    pending: (input) => pending.find((own) => own.input === input)?.edit,
    /** Whether there are edits that nobody is going to send. */
    isStranded: () => pending.some((own) => !own.input),
    /** Everything that a reload of the page needs to know. */
    save: () => ({ server, revision, pending }),

    /**
     * The person has changed the text.
     *
     * @param {Edit} edit
     * @param {number} input The edit's number.
     */
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
     * The server says which revision an edit became; the turn with that revision follows.
     *
     * @param {number} input
     * @param {number} at
     */
    claim(input, at) {
      claims.set(at, input);
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
      const input = claims.get(at);
      claims.delete(at);
      const before = server;
      server = applyEdit(server, step);
      revision = at;
      if (input === undefined) return rebase(step);
      if (pending[0]?.input === input) {
        const expected = applyEdit(before, /** @type {Pending} */ (pending.shift()).edit);
        return rebase(difference(expected, server));
      }
      // An earlier edit was refused and this later one taken: keep what the person sees, work out anew what is left.
      document.strand();
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
      let expected = server;
      while (pending[0]?.input && pending[0].input <= ack) {
        expected = applyEdit(expected, /** @type {Pending} */ (pending.shift()).edit);
      }
      claims.clear();
      server = whole;
      revision = at;
      return rebase(difference(expected, whole));
    },

    /** Turns all pending edits into one without a number, which waits for `resubmit`. */
    strand() {
      const edit = difference(server, text);
      pending = edit.length ? [{ input: 0, edit }] : [];
      claims.clear();
    },

    /**
     * An edit was refused, or acknowledged without a revision: it stays in the field, but the server will not hear of
     * it under this number.
     *
     * @param {number} input
     */
    refuse(input) {
      if ([...claims.values()].includes(input)) return;
      for (const own of pending) if (own.input === input) own.input = 0;
      pending = pending.filter((own) => own.input || own.edit.length);
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
  return document;
}
