// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { applyEdit, join, typed } from "./edit.js";
import { maxUnits, unitsOf } from "./split.js";
import { transform } from "./transform.js";

/** @typedef {import("./edit.js").Edit} Edit */

/**
 * An edit of one's own that is not part of the server's text yet. `input` is its number, 0 if the server is not going
 * to hear of it under the number that it had; `revision` is the one that it became, once the server has said so;
 * `isRefused` marks a refused edit.
 *
 * @typedef {{input: number, edit: Edit, revision?: number, isRefused?: boolean}} Pending
 */

/**
 * What makes a document. `isBlocked`: an edit was refused, and the empty step that stands for it has not come yet.
 *
 * `revision` is -1 while a row's text has none; `address` tells an input of a row's text from others, and of a long list's row,
 * while the text has none, what it is.
 *
 * @typedef {{server: string, revision: number, pending: Pending[], isBlocked?: boolean,
 *   address?: {name: string, row: string | string[], key: string, shown?: string}}} Content
 */

/** @typedef {ReturnType<typeof createDocument>} TextDocument */

/**
 * Learns of a change, with the text before it. `source` is the control that it comes from; "answer" is what follows an
 * edit of one's own at once, in the same turn: what the ViewModel has made of it.
 *
 * @typedef {(change: Edit, before: string, source?: unknown) => void} Changed
 */

/**
 * A two-way text as one page sees it: the server's text at a revision, and on top of it one's own pending edits.
 *
 * It always holds that applying the pending edits to the server's text gives `text`, whatever arrives; so nothing
 * that was typed depends on the connection.
 *
 * @param {Content} [content] What the page kept over a reload.
 */
export function createDocument(content = { server: "", revision: 0, pending: [] }) {
  const { address } = content;
  const shown = () => content.pending.reduce((result, own) => applyEdit(result, own.edit), content.server);
  let text = shown();
  /** @type {Set<Changed>} */
  const watchers = new Set();
  return {
    address,
    /** The text to show. */
    text: () => text,
    /** Everything that a reload of the page needs to know. */
    save: () => content,
    /** @param {Content} next All of it, with the same text on top or another one. */
    become(next) {
      content = { ...next, address };
      text = shown();
    },
    /** @type {(changed: Changed) => () => void} Returns the cleanup. */
    watch(changed) {
      watchers.add(changed);
      return () => watchers.delete(changed);
    },
    /** @type {Changed} */
    tell(change, before, source) {
      for (const changed of watchers) changed(change, before, source);
    },
    /** @type {(edit: Edit, input: number) => void} The person has changed the text. */
    change(edit, input) {
      text = applyEdit(text, edit);
      content.pending.push({ input, edit: typed(edit) });
    },
    /** @type {(edit: Edit) => boolean} Whether the newest edit, which was never sent, takes in what the person types on. */
    extend(edit) {
      const newest = content.pending.at(-1);
      const joined = newest && join(newest.edit, edit);
      if (!joined || unitsOf(joined) > maxUnits) return false;
      text = applyEdit(text, edit);
      newest.edit = joined;
      return true;
    },
    /** @type {(step: Edit, at: number) => Edit} The server's text has another revision. Returns what changes in `text`. */
    step(step, at) {
      if (at <= content.revision) return [];
      content.server = applyEdit(content.server, step);
      content.revision = at;
      if (!step.length) content.isBlocked = false;
      if (content.pending[0]?.revision === at) {
        content.pending.shift();
        return [];
      }
      for (const own of content.pending) [own.edit, step] = transform(own.edit, step);
      text = applyEdit(text, step);
      return step;
    },
  };
}
