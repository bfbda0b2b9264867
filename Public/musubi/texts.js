// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { insertedUnits, split } from "./codec.js";
import { createDocument } from "./document.js";
import { applyEdit } from "./text-merge.js";

/** @typedef {import("./text-merge.js").Edit} Edit */
/** @typedef {Record<string, import("./document.js").SavedDocument>} SavedTexts */

/**
 * The two-way texts of a session, by name, and which of the queue's inputs are their edits.
 *
 * @param {import("./queue.js").Queue} queue
 * @param {SavedTexts} [saved]
 */
export function createTexts(queue, saved) {
  /** @type {Map<string, import("./document.js").TextDocument>} */
  const documents = new Map();
  for (const name in saved) documents.set(name, createDocument(saved[name]));
  /** The most bytes of a text; the server tells it. */
  let limit = 262_144;

  /** @type {(text: string, before: string) => boolean} Whether the server takes a text; a shorter one always. */
  const fits = (text, before) => text.length <= before.length || new Blob([text]).size <= limit;

  /** @type {(name: string, edit: Edit) => void} Queues an edit in pieces that fit into frames. */
  const enqueue = (name, edit) => {
    for (const part of split(edit)) {
      documents.get(name)?.change(part, queue.push({ kind: "edit", name, bytes: 64 + 3 * insertedUnits(part) }));
    }
  };

  const texts = {
    documents,
    /** @param {{text: number}} [limits] */
    limit: (limits) => void (limit = limits?.text ?? limit),
    save: () => Object.fromEntries([...documents].map(([name, text]) => [name, text.save()])),

    /** @type {(input: number, revision?: number) => void} An edit of one's own became this revision. */
    claim(input, revision) {
      for (const text of documents.values()) {
        const own = text.pending(input);
        if (own) own.revision = revision;
      }
    },

    /** @type {(input: number) => void} The server refuses an edit, and with it all of the text that were sent after it. */
    refuse(input) {
      for (const [name, text] of documents) {
        if (!input || !text.pending(input)) continue;
        text.strand();
        queue.forgetEdits(name);
      }
    },

    /** Gives what was refused new numbers, unless the server is not ready for it or it still does not fit. */
    resubmit() {
      for (const [name, text] of documents) {
        if (!text.isStranded() || !text.isFree() || !fits(text.text(), text.save().server)) continue;
        const edit = text.resubmit();
        if (edit.length) enqueue(name, edit);
      }
    },

    /** A new session has seen none of the pending edits. */
    renumber() {
      for (const [name, text] of documents) text.renumber(() => queue.push({ kind: "edit", name, bytes: 64 }));
    },

    /**
     * The person has changed a text.
     *
     * @param {string} name
     * @param {Edit} edit
     * @returns {number} The most bytes of a text if this one has more, and is not sent for it.
     */
    edit(name, edit) {
      const text = /** @type {import("./document.js").TextDocument} */ (documents.get(name));
      const isFitting = fits(applyEdit(text.text(), edit), text.text());
      const open = queue.open();
      if (text.isStranded() || !isFitting) {
        text.change(edit, 0);
        texts.resubmit();
      } else if (open?.kind === "edit" && open.name === name && text.extend(edit)) {
        open.bytes += 3 * insertedUnits(edit);
      } else {
        enqueue(name, edit);
      }
      return isFitting ? 0 : limit;
    },
  };
  return texts;
}
