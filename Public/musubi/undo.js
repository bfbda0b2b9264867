// @ts-check
// SPDX-License-Identifier: Apache-2.0
/** @typedef {import("./text-merge.js").Edit} Edit */

/**
 * What happened to a control, oldest first: the person's edits with the text before them, and others' without. `whole`
 * is the composition that the person's edit is a part of; of others' edits it tells an answer, which the ViewModel has made
 * of the person's edit in the same turn.
 *
 * @typedef {[edit: Edit, before?: string, whole?: unknown][]} Log
 */

/**
 * Undo and redo that take back the person's own edits only. A field needs them once somebody else has changed its text:
 * the browser's own undo knows texts, not authors, and would take that back, too.
 *
 * Each step is a list of edits, the last of which applies to what the control shows, the one before it to what that
 * leaves, and so on through the stack; others' edits are carried down through it.
 *
 * @type {import("./page.js").Attach}
 */
export const attach = (field, context, { name, log = [] }) => {
  const { merge, watch } = /** @type {import("./document.js").TextDocument} */ (context.text(name));
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

  /**
   * Does the same as `transform`. Restored text is typed text: as long as the range that it replaces, it is no
   * rewriting of it, and does not go with it.
   *
   * @type {typeof merge.transform}
   */
  const transform = (undoing, edit) => {
    const [own, rest] = merge.transform(merge.typed(undoing), edit);
    return [merge.joined(own), rest];
  };

  /**
   * What `transform` does, for an answer: what the ViewModel has put in the place of text that an undo takes back, such as
   * capitals, is taken back with it.
   *
   * @type {typeof transform}
   */
  const answered = (undoing, answer) => {
    if (undoing.length !== 1) return transform(undoing, answer);
    const [[start, deleted, inserted]] = undoing;
    let growth = 0;
    /** @type {Edit} */
    const rest = [];
    for (const [position, count, text] of merge.pieces(answer, undoing)) {
      if (count && text && start <= position && position + count <= start + deleted) growth += text.length - count;
      else rest.push([position + growth, count, text]);
    }
    return transform([[start, deleted + growth, inserted]], rest);
  };

  /** @type {(last: Edit, edit: Edit) => boolean} Whether they are one step: typed on or deleted on, inside of one word. */
  const continues = (last, edit) => {
    const [[at, , text], [start, deleted, inserted]] = [last[0], edit[0]];
    if (text) return !deleted && start === at + text.length && !/\s$/.test(text);
    return !inserted && start <= at && at <= start + deleted;
  };

  /** Takes in the edits since the last call. */
  const catchUp = () => {
    for (const [edit, before, whole] of log.splice(0)) {
      if (before === undefined) {
        for (const stack of [done, undone]) carry(stack, edit, whole ? answered : transform);
        if (!whole) last = undefined;
        continue;
      }
      if (!target) {
        undone.length = 0;
        if (whole ? whole !== composition : !last || !continues(last, edit)) done.push([]);
      }
      (target ?? done).at(-1)?.push(inverse(edit, before));
      [last, composition] = [target ? undefined : edit, whole];
    }
  };

  /** @type {(event: Event, isRedo: boolean) => void} */
  const takeBack = (event, isRedo) => {
    const [from, to] = isRedo ? [undone, done] : [done, undone];
    event.preventDefault();
    catchUp();
    for (let isChanged = false; from.length && !isChanged && !field.readOnly; ) {
      to.push([]);
      target = to;
      for (const [position, deleted, inserted] of (from.pop() ?? []).flat().reverse()) {
        isChanged = true;
        field.setRangeText(inserted, position, position + deleted, "end");
        // The field takes it for typed text, and so does everybody else.
        field.dispatchEvent(new InputEvent("input", { bubbles: true, inputType: isRedo ? "historyRedo" : "historyUndo" }));
      }
      target = undefined;
      if (!isChanged) to.pop();
    }
  };

  const cleanups = [
    watch(catchUp),
    context.listen("input", field, catchUp),
    context.listen("keydown", field, (event) => {
      const key = event.key.toLowerCase();
      const isHistory = (event.ctrlKey || event.metaKey) && !event.altKey && !event.isComposing;
      if (isHistory && (key === "z" || key === "y")) takeBack(event, key === "y" || event.shiftKey);
    }),
    // The menu's undo, where the browser still offers it.
    context.listen("beforeinput", field, (event) => {
      if (/^history/.test(event.inputType)) takeBack(event, event.inputType === "historyRedo");
    }),
  ];
  catchUp();
  return () => cleanups.forEach((cleanup) => cleanup?.());
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
