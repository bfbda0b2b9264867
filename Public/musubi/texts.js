// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { split, unitsOf } from "./codec.js";
import { createDocument } from "./document.js";
import { applyEdit } from "./text-merge.js";

/** @typedef {import("./text-merge.js").Edit} Edit */
/** @typedef {Record<string, import("./document.js").Content>} SavedTexts */
/** @typedef {ReturnType<typeof createTexts>} Texts */

/** @type {(own: import("./document.js").Pending) => boolean} Whether nobody is going to send it. */
export const isStranded = (own) => !own.input;

/** @type {(text: string) => number} Its bytes of UTF-8. */
export const sizeOf = (text) => new Blob([text]).size;

/**
 * The two-way texts of a screen, by their keys, which `rows.js` explains, and which of the queue's inputs are their edits.
 *
 * @param {import("./queue.js").Queue} queue
 * @param {SavedTexts} [saved]
 * @param {number} [screen] Its number, unless it is the first.
 */
export function createTexts(queue, saved, screen) {
  /** @type {Map<string, import("./document.js").TextDocument>} */
  const documents = new Map();
  for (const key in saved) documents.set(key, createDocument(saved[key]));
  /** @type {(edit: Edit, before: string) => boolean} Whether the server takes it: what makes a text no longer, always. */
  const fits = (edit, before) => sizeOf(applyEdit(before, edit)) <= Math.max(queue.limits.text, sizeOf(before));

  /** @type {(key: string, edit: Edit) => void} Queues an edit in pieces that fit into frames. */
  const enqueue = (key, edit) => {
    const text = documents.get(key);
    for (const part of split(edit)) {
      text?.change(part, queue.push({ kind: "edit", name: key, ...text.address, screen, bytes: 64 + 3 * unitsOf(part) }));
    }
  };

  return {
    documents,
    enqueue,
    fits,
    /** What the person has typed and the server's texts do not have; without a number if nobody is going to send it. */
    pending: () => [...documents.values()].flatMap((text) => text.save().pending),
    /** A row's text without typing of one's own is in the row. */
    save: () =>
      Object.fromEntries(
        [...documents].flatMap(([key, text]) => (text.address && !text.save().pending.length ? [] : [[key, text.save()]])),
      ),
    /** Inputs of texts that have ended. */
    gone: /** @type {Set<number>} */ (new Set()),

    /** @type {(key: string, content: import("./document.js").Content) => import("./document.js").TextDocument} */
    open(key, content) {
      const text = documents.get(key) ?? createDocument(content);
      documents.set(key, text);
      return text;
    },

    /**
     * A text ends; what nobody has taken of it is not sent.
     *
     * @param {string} key
     * @returns {number[]} The inputs that are given up.
     */
    end(key) {
      const inputs = documents.get(key)?.save().pending.map(({ input }) => input) ?? [];
      documents.delete(key);
      queue.forget(({ input }) => inputs.includes(input));
      return inputs;
    },

    /**
     * The person has changed a text.
     *
     * @param {string} key
     * @param {Edit} edit
     * @param {unknown} source Who knows already.
     * @returns {boolean} Whether it is on its way; what makes a text too long stays here.
     */
    edit(key, edit, source) {
      const text = /** @type {import("./document.js").TextDocument} */ (documents.get(key));
      const before = text.text();
      const isSent = fits(edit, before) && !text.save().pending.some(isStranded);
      const open = queue.open();
      if (!isSent) {
        text.change(edit, 0);
      } else if (open?.kind === "edit" && (open.key ?? open.name) === key && open.screen === screen && text.extend(edit)) {
        open.bytes += 3 * unitsOf(edit);
      } else {
        enqueue(key, edit);
      }
      text.tell(edit, before, source);
      return isSent;
    },
  };
}
