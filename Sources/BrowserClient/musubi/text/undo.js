// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { together } from "../controls.js";
import { applyEdit, join, joined, typed } from "./edit.js";
import { pieces, transform } from "./transform.js";

/** @typedef {import("./edit.js").Edit} Edit */
/** @typedef {import("./edit.js").Component} Component */

/** So many steps can be undone. */
const maxSteps = 200;

/**
 * What happened to a control, oldest first: the person's edits with the text before them, and others' without. `whole`
 * is the composition that the person's edit is a part of; of others' edits it tells an answer, which the ViewModel has made
 * of the person's edit in the same turn.
 *
 * @typedef {[edit: Edit, before?: string, whole?: unknown][]} Log
 */

/**
 * Does the same as `transform`, for an edit that an undo makes. Restored text is typed text: as long as the range that it
 * replaces, it is no rewriting of it, and does not go with it.
 *
 * @param {Edit} undoing
 * @param {Edit} edit
 * @returns {[Edit, Edit]}
 */
function pass(undoing, edit) {
  const [own, rest] = transform(typed(undoing), edit);
  return [joined(own), rest];
}

/**
 * The same for an answer: what the ViewModel has put in the place of text that an undo takes back, such as capitals, is
 * taken back with it.
 *
 * @type {typeof pass}
 */
function passAnswer(undoing, answer) {
  if (undoing.length !== 1) return pass(undoing, answer);
  const [[start, deleted, inserted]] = undoing;
  let growth = 0;
  /** @type {Edit} */
  const rest = [];
  for (const [position, count, text] of pieces(answer, undoing)) {
    if (count && text && start <= position && position + count <= start + deleted) growth += text.length - count;
    else rest.push([position + growth, count, text]);
  }
  return pass([[start, deleted + growth, inserted]], rest);
}

/** @type {(last: Edit, edit: Edit) => boolean} Whether they are one step: typed on or deleted on, inside of one word. */
const continues = ([[at, , text]], [[start, deleted, inserted]]) =>
  text ? !deleted && start === at + text.length && text.trimEnd() === text : !inserted && start <= at && at <= start + deleted;

/** @type {(step: Edit[], edit: Edit) => void} Adds what undoes the newest edit; in place of the one before, if they touch. */
const addUndoing = (step, edit) => {
  const older = step.at(-1);
  const both = older && join(edit, older);
  if (both) step.pop();
  step.push(both ? joined(both) : edit);
};

/**
 * The steps of one field that can be undone and redone. Each is a list of edits, the last of which applies to what the
 * control shows, the one before it to what that leaves, and so on through the stack; others' edits are carried down
 * through it.
 *
 * @param {Log} log
 */
function createSteps(log) {
  /** @type {Edit[][]} */
  const done = [];
  /** @type {Edit[][]} */
  const undone = [];
  /** @type {Edit[][] | undefined} Where the edits of an undo or redo that is under way go. */
  let target;
  /** @type {Edit | undefined} */
  let last;
  /** @type {unknown} */
  let composition;
  /** @type {(edit: Edit, before: string, whole: unknown) => void} Takes in an edit of the person. */
  const add = (edit, before, whole) => {
    if (!target) {
      undone.length = 0;
      if (whole ? whole !== composition : !last || !continues(last, edit)) done.push([]);
      done.splice(0, done.length - maxSteps);
    }
    const step = (target ?? done).at(-1);
    if (step) addUndoing(step, inverse(edit, before));
    last = target ? undefined : edit;
    composition = whole;
  };
  /** Takes in the edits since the last call. */
  const catchUp = () => {
    for (const [edit, before, whole] of log.splice(0)) {
      if (before !== undefined) {
        add(edit, before, whole);
        continue;
      }
      for (const stack of [done, undone]) carry(stack, edit, whole ? passAnswer : pass);
      if (!whole) last = undefined;
    }
  };
  return {
    catchUp,
    /** @type {(isRedo: boolean, make: (component: Component) => void) => void} Makes what takes the newest step back. */
    takeBack(isRedo, make) {
      const [from, to] = isRedo ? [undone, done] : [done, undone];
      /** @type {Edit} */
      let components = [];
      // A step of which others have deleted everything is none.
      while (from.length && !components.length) components = (from.pop() ?? []).flat().reverse();
      if (!components.length) return;
      to.push([]);
      target = to;
      components.forEach(make);
      target = undefined;
    },
  };
}

/**
 * Undo and redo that take back the person's own edits only. A field needs them once somebody else has changed its text:
 * the browser's own undo knows texts, not authors, and would take that back, too.
 *
 * @type {import("../page.js").Attach}
 */
export const attach = (field, context, { name, log = [] }) => {
  const text = /** @type {import("./document.js").TextDocument} */ (context.text(name));
  const steps = createSteps(log);
  const takeBack = (/** @type {Event} */ event, /** @type {boolean} */ isRedo) => {
    event.preventDefault();
    const make = (/** @type {Component} */ [position, deleted, inserted]) => {
      // One for an address of e-mail has no caret to speak of.
      if (field.selectionStart === null) field.value = applyEdit(field.value, [[position, deleted, inserted]]);
      else field.setRangeText(inserted, position, position + deleted, "end");
      // The field takes it for typed text, and so does everybody else.
      field.dispatchEvent(new InputEvent("input", { bubbles: true, inputType: isRedo ? "historyRedo" : "historyUndo" }));
    };
    steps.catchUp();
    if (!field.readOnly) steps.takeBack(isRedo, make);
  };
  steps.catchUp();
  return together([
    text.watch(steps.catchUp),
    context.listen("input", field, steps.catchUp),
    context.listen("keydown", field, (event) => {
      // With Cyrillic letters, for instance, the key's place counts. Autofill tells of keys without any.
      const key = (event.key > "z" ? event.code?.slice(3) : event.key)?.toLowerCase();
      const isHistory = (event.ctrlKey || event.metaKey) && !event.altKey && !event.isComposing;
      if (isHistory && (key === "z" || key === "y")) takeBack(event, key === "y" || event.shiftKey);
    }),
    // The menu's undo, where the browser still offers it.
    context.listen("beforeinput", field, (event) => {
      if (event.inputType?.startsWith("history")) takeBack(event, event.inputType === "historyRedo");
    }),
  ]);
};

/**
 * Carries somebody else's edit down through a stack; text that it has deleted needs no undo any more.
 *
 * @param {Edit[][]} stack
 * @param {Edit} edit
 * @param {(undoing: Edit, edit: Edit) => [Edit, Edit]} pass
 */
function carry(stack, edit, pass) {
  for (let index = stack.length; index--; ) {
    const step = stack[index];
    for (let place = step.length; place--; ) [step[place], edit] = pass(step[place], edit);
  }
}

/**
 * The edit that takes another one back.
 *
 * @param {Edit} edit
 * @param {string} before The text before it.
 * @returns {Edit}
 */
function inverse(edit, before) {
  let shift = 0;
  return edit.map(([position, deleted, inserted]) => {
    const place = position + shift;
    shift += inserted.length - deleted;
    return [place, inserted.length, before.slice(position, position + deleted)];
  });
}
