// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { keepOnly } from "../queue.js";
import { compare } from "./compare.js";
import { applyEdit } from "./edit.js";
import { leaveRow } from "./rows.js";
import { isStranded } from "./texts.js";

/** @typedef {Map<number, import("../screen.js").Screen>} Screens By their numbers. */

/**
 * The server refuses an edit, and with it all of the text that were made after it: they stay in the field as one edit
 * without a number.
 *
 * @param {Pick<import("../session.js").State, "screensByNumber" | "queue" | "notify">} session
 * @param {{code: string, message: string, input?: number}} error
 */
export function refuse({ screensByNumber, queue, notify }, { code, message, input = -1 }) {
  const all = [...screensByNumber.values()];
  // Of a row that has gone the person was told.
  if (code === "unknown-row" && all.some((screen) => leaveRow(screen, input))) return;
  for (const document of all.flatMap(({ texts }) => [...texts.documents.values()])) {
    const { pending, ...content } = document.save();
    const first = pending.findIndex((own) => own.input === input);
    if (first < 0) continue;
    const kept = pending.slice(0, first);
    const before = kept.reduce((text, { edit }) => applyEdit(text, edit), content.server);
    const rest = { input: 0, edit: compare(before, document.text()), isRefused: true };
    const numbers = pending.slice(first).map((own) => own.input);
    // Of a row's text that nobody has edited there is no document, so that no step comes.
    document.become({ ...content, pending: [...kept, rest], isBlocked: code !== "not-allowed" || content.revision >= 0 });
    keepOnly(queue, (entry) => !numbers.includes(entry.input));
    // The text is the same, but it is not on its way any longer.
    document.tell([], document.text());
  }
  notify.problem(code, message);
}

/**
 * Gives refused edits new numbers, unless the server is not ready for them or they still do not fit.
 *
 * @param {Screens} screens
 */
export function resubmit(screens) {
  for (const { texts } of screens.values()) {
    for (const [name, document] of texts.documents) {
      const { pending, isBlocked, ...content } = document.save();
      const isFree = !isBlocked && pending.every(isStranded);
      // A refused edit waits for the person's next change.
      if (!isFree || !pending.length || pending.at(-1)?.isRefused) continue;
      const edit = compare(content.server, document.text());
      if (!texts.fits(content.server, document.text())) continue;
      document.become({ ...content, pending: [] });
      if (edit.length) texts.enqueue(name, edit);
    }
  }
}
