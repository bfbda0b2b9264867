// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { createDocument } from "./document.js";
import { applyEdit } from "./edit.js";
import { split, unitsOf } from "./split.js";

/** @typedef {import("./edit.js").Edit} Edit */
/** @typedef {import("./document.js").Content} Content */
/** @typedef {import("./document.js").TextDocument} TextDocument */
/** @typedef {Record<string, Content>} SavedTexts */
/** @typedef {ReturnType<typeof createTexts>} Texts */

/** @type {(own: import("./document.js").Pending) => boolean} Whether nobody is going to send it. */
export const isStranded = (own) => !own.input;

/** @type {(text: string) => number} Its bytes of UTF-8. */
export const sizeOf = (text) => new Blob([text]).size;

/** @type {(entry: [string, TextDocument]) => unknown} A row's text without typing of one's own is in the row. */
const isWorthKeeping = ([, text]) => !text.address || text.save().pending.length;

/**
 * The two-way texts of a screen, by their keys, which `rows.js` explains, and which of the queue's inputs are their edits.
 *
 * @param {import("../queue.js").Queue} queue
 * @param {SavedTexts} [saved]
 * @param {number} [screen] Its number, unless it is the first.
 */
export function createTexts(queue, saved, screen) {
  /** @type {Map<string, TextDocument>} */
  const documents = new Map();
  for (const key in saved) documents.set(key, createDocument(saved[key]));
  /** @type {(before: string, after: string) => boolean} Whether the server takes it: what makes a text no longer, always. */
  const fits = (before, after) => sizeOf(after) <= Math.max(queue.limits.text, sizeOf(before));
  /** @type {(key: string, edit: Edit) => void} Queues an edit in pieces that fit into frames. */
  const enqueue = (key, edit) => {
    const text = documents.get(key);
    for (const part of split(edit)) {
      text?.change(part, queue.push({ kind: "edit", name: key, ...text.address, screen, bytes: 64 + 3 * unitsOf(part) }));
    }
  };
  return {
    documents, enqueue, fits,
    /** What the person has typed and the server's texts do not have; without a number if nobody is going to send it. */
    pending: () => [...documents.values()].flatMap((text) => text.save().pending),
    save: () => Object.fromEntries([...documents].filter(isWorthKeeping).map(([key, text]) => [key, text.save()])),
    /** @type {(key: string, content?: Content) => TextDocument} */
    open(key, content) {
      const text = documents.get(key) ?? createDocument(content);
      documents.set(key, text);
      return text;
    },
    /** @type {(key: string, edit: Edit, source: unknown) => boolean} Whether a person's edit is on its way, or stays here. */
    edit(key, edit, source) {
      const text = /** @type {TextDocument} */ (documents.get(key));
      const before = text.text();
      const isSent = fits(before, applyEdit(before, edit)) && !text.save().pending.some(isStranded);
      const open = queue.open();
      const isSame = open?.kind === "edit" && (open.key ?? open.name) === key && open.screen === screen;
      if (!isSent) text.change(edit, 0);
      else if (isSame && text.extend(edit)) open.bytes += 3 * unitsOf(edit);
      else enqueue(key, edit);
      text.tell(edit, before, source);
      return isSent;
    },
  };
}
