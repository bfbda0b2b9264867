// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { followCompositions, together, whenReset } from "../controls.js";
import { applyEdit, difference, typed } from "./edit.js";
import { mapCaret, transform } from "./transform.js";

/** @typedef {import("./edit.js").Edit} Edit */
/** @typedef {HTMLInputElement | HTMLTextAreaElement} Field */

/**
 * The text as a control holds it: a line of input has no line ends, a textarea has only line feeds.
 *
 * @param {string} text
 * @param {boolean} isLine
 */
export const shown = (text, isLine) => (isLine ? text.replace(/[\r\n]/g, "") : text.replace(/\r\n?/g, "\n"));

/**
 * An edit of the document as an edit of what the control shows.
 *
 * @param {string} text The document before the edit.
 * @param {Edit} edit
 * @param {boolean} isLine
 * @returns {Edit}
 */
function inward(text, edit, isLine) {
  const after = applyEdit(text, edit);
  const [old, next] = [shown(text, isLine), shown(after, isLine)];
  return old === text && next === after ? edit : difference(old, next);
}

/**
 * An edit of what the control shows as an edit of the document, whose line ends the control hides.
 *
 * @param {string} text The document before the edit.
 * @param {Edit} edit
 * @param {boolean} isLine
 * @returns {Edit}
 */
export function outward(text, edit, isLine) {
  if (shown(text, isLine) === text) return edit;
  let at = 0;
  let seen = 0;
  /** @param {number} position */
  const place = (position) => {
    for (; seen < position; at += 1) {
      const isHidden = isLine ? "\r\n".includes(text[at]) : text[at] === "\r" && text[at + 1] === "\n";
      if (!isHidden) seen += 1;
    }
    return at;
  };
  return edit.map(([position, deleted, inserted]) => {
    const start = place(position);
    return [start, place(position + deleted) - start, inserted];
  });
}

/**
 * Keeps what a control shows of a two-way text equal to the text.
 *
 * @param {Field} field
 * @param {import("../page.js").Context} context
 * @param {string} name
 * @param {string} initial What the control showed when the page was loaded: what differs by now, a person has typed.
 * @param {() => Event | undefined} composition The one that goes on, by the event that began it.
 * @returns What to call before the person's edit, after it, and when others' changes may be shown; and the cleanup.
 */
function follow(field, context, name, initial, composition) {
  const text = /** @type {import("./document.js").TextDocument} */ (context.text(name));
  const isLine = field.tagName === "INPUT";
  /** What the control showed last, as far as is known here. */
  let view = initial;
  /** Changes that are not shown yet, one after the other, from `view` on. */
  let held = [difference(initial, shown(text.text(), isLine))];
  let isAnswer = false;
  /** What the person and then others did to the control, for the day when the browser's own undo no longer fits. */
  const log = /** @type {import("./undo.js").Log} */ ([]);
  /** @type {(() => void) | undefined} */
  let stopUndo;
  const needUndo = () => (stopUndo ??= context.more(field, context, /** @type {any} */ ({ kind: "undo", name, log })));

  /** Finds what changed the control without an event, and takes it back behind the edit that is about to come. */
  const find = () => {
    // WebKit drops the edit if the control is written to now.
    if (composition() || field.value === view) return;
    log.push([difference(view, field.value)]);
    held.unshift(difference(field.value, view));
    view = field.value;
    context.later(show);
  };
  const read = () => {
    const change = difference(view, field.value, field.selectionStart);
    if (!change.length) return;
    if (log.push([change, view, composition()]) > 200) log.shift();
    view = field.value;
    let own = typed(change);
    held.forEach((other, index) => ([own, held[index]] = transform(own, other)));
    context.edit(field, name, outward(text.text(), own, isLine), field);
  };
  const show = () => {
    if (composition()) return;
    const foreign = difference(field.value, view);
    if (foreign.length) {
      // The browser's own undo would bring it back.
      needUndo();
      write(field, foreign);
    }
    for (const change of held.splice(0)) {
      if (!change.length) continue;
      if (stopUndo || log.length) {
        log.push([change, undefined, isAnswer]);
        needUndo();
      }
      write(field, change);
    }
    view = field.value;
  };
  const stop = text.watch((change, before, source) => {
    if (source === field || !change.length) return;
    isAnswer = source === "answer";
    // `before` already has the held-back changes, and so does the edit.
    held.push(inward(before, change, isLine));
    show();
  });
  return /** @type {const} */ ([find, read, show, () => together([stop, stopUndo])()]);
}

/**
 * Ties a text control to a two-way text.
 *
 * Between `compositionstart` and `compositionend` nothing is written into the control; others' changes are held back
 * meanwhile, and typing is carried past them on its way out.
 *
 * Only what an `input` event tells is an edit. What else changes the control (a script, a reset, WebKit behind Back) is
 * found before the next edit, is no part of it, and is taken back.
 *
 * @param {Field} field
 * @param {import("../page.js").Context} context
 * @param {string} name
 * @param {string} initial What the control showed when the page was loaded.
 * @returns {() => void} The cleanup.
 */
export function attachField(field, context, name, initial) {
  const update = () => {
    read();
    show();
  };
  const [composition, stopFollowing, isHeld] = followCompositions(field, context, () => find(), update);
  const [find, read, show, stop] = follow(field, context, name, initial, composition);
  update();
  return together([
    context.listen("input", field, () => void (isHeld() || read())),
    context.listen("beforeinput", field, find),
    context.listen("focus", field, show),
    whenReset(field, context, () => show),
    stopFollowing,
    stop,
  ]);
}

/**
 * Changes a control's text piece by piece and keeps the selection where it was; assigning `value` as a whole would
 * destroy the browser's own undo.
 *
 * @param {Field} field
 * @param {Edit} edit
 */
function write(field, edit) {
  const { selectionStart: start, selectionEnd: end, selectionDirection: direction, value } = field;
  const after = applyEdit(value, edit);
  if (start === null || end === null) return void (field.value = after);
  for (const [position, deleted, inserted] of [...edit].reverse()) {
    field.setRangeText(inserted, position, position + deleted, "preserve");
  }
  // Setting the selection moves the focus in Safari.
  if (field.ownerDocument.activeElement !== field) return;
  field.setSelectionRange(mapCaret(start, edit), mapCaret(end, edit, end > start), direction ?? undefined);
}
