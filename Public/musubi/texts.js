// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { insertedUnits, split } from "./codec.js";
import { createDocument } from "./document.js";
import { applyEdit } from "./text-merge.js";

/** @typedef {import("./text-merge.js").Edit} Edit */
/** @typedef {Record<string, import("./document.js").Content>} SavedTexts */
/** @typedef {ReturnType<typeof createTexts>} Texts */

/** @type {(own: import("./document.js").Pending) => boolean} Whether nobody is going to send it. */
export const isStranded = (own) => !own.input;

/**
 * The two-way texts of a screen, by name, and which of the queue's inputs are their edits.
 *
 * @param {import("./queue.js").Queue} queue
 * @param {SavedTexts} [saved]
 * @param {number} [screen] Its number, unless it is the first.
 */
export function createTexts(queue, saved, screen) {
  /** @type {Map<string, import("./document.js").TextDocument>} */
  const documents = new Map();
  for (const name in saved) documents.set(name, createDocument(saved[name]));
  /** @type {(text: string, before: string) => boolean} Whether the server takes a text; a shorter one always. */
  const fits = (text, before) => text.length <= before.length || new Blob([text]).size <= queue.mostTextBytes;

  /** @type {(name: string, edit: Edit) => void} Queues an edit in pieces that fit into frames. */
  const enqueue = (name, edit) => {
    for (const part of split(edit)) {
      documents.get(name)?.change(part, queue.push({ kind: "edit", name, screen, bytes: 64 + 3 * insertedUnits(part) }));
    }
  };

  return {
    documents,
    enqueue,
    fits,
    /** What the person has typed and the server's texts do not have; without a number if nobody is going to send it. */
    pending: () => [...documents.values()].flatMap((text) => text.save().pending),
    save: () => Object.fromEntries([...documents].map(([name, text]) => [name, text.save()])),

    /**
     * The person has changed a text.
     *
     * @param {string} name
     * @param {Edit} edit
     * @param {unknown} source Who knows already.
     * @returns {number} The most bytes of a text if this one has more, and is not sent for it.
     */
    edit(name, edit, source) {
      const text = /** @type {import("./document.js").TextDocument} */ (documents.get(name));
      const before = text.text();
      const isFitting = fits(applyEdit(before, edit), before);
      const open = queue.open();
      if (!isFitting || text.save().pending.some(isStranded)) {
        text.change(edit, 0);
      } else if (open?.kind === "edit" && open.name === name && open.screen === screen && text.extend(edit)) {
        open.bytes += 3 * insertedUnits(edit);
      } else {
        enqueue(name, edit);
      }
      text.tell(edit, before, source);
      return isFitting ? 0 : queue.mostTextBytes;
    },
  };
}
