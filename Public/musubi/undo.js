// @ts-check
// SPDX-License-Identifier: Apache-2.0
/** @typedef {import("./text-merge.js").Edit} Edit */

/**
 * What happened to a control, oldest first: the person's edits with the text before them, and others' without. An answer
 * is what the ViewModel has made of the person's edit in the same turn.
 *
 * @typedef {[edit: Edit, before?: string, isAnswer?: boolean][]} Log
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
  const { join, pieces, transform } = merge;
  /** @type {Edit[][]} */
  const done = [];
  /** @type {Edit[][]} */
  const undone = [];
  /** @type {Edit[][] | undefined} Where the edits of an undo or redo that is under way go. */
  let target;
  /** @type {Edit | undefined} */
  let last;

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
    for (const [position, count, text] of pieces(answer, undoing)) {
      if (count && text && start <= position && position + count <= start + deleted) growth += text.length - count;
      else rest.push([position + growth, count, text]);
    }
    return transform([[start, deleted + growth, inserted]], rest);
  };

  /** @type {(last: Edit, edit: Edit) => boolean} Whether they are one step: typed on or deleted on, inside of one word. */
  const continues = (last, edit) =>
    !last[0][1] === !edit[0][1] && join(last, edit) !== undefined && !/\s$/.test(last[0][2]);

  /** Takes in what has happened. */
  const catchUp = () => {
    for (const [edit, before, isAnswer] of log.splice(0)) {
      if (before === undefined) {
        for (const stack of [done, undone]) carry(stack, edit, isAnswer ? answered : transform);
        if (!isAnswer) last = undefined;
        continue;
      }
      if (!target) {
        undone.length = 0;
        if (!last || !continues(last, edit)) done.push([]);
      }
      const stack = target ?? done;
      stack.at(-1)?.push(inverse(edit, before));
      last = target ? undefined : edit;
    }
  };

  /** @type {(from: Edit[][], to: Edit[][], inputType: string) => void} */
  const takeBack = (from, to, inputType) => {
    catchUp();
    for (let isChanged = false; from.length && !isChanged && !field.readOnly; ) {
      to.push([]);
      target = to;
      for (const edit of (from.pop() ?? []).reverse()) {
        for (const [position, deleted, inserted] of [...edit].reverse()) {
          isChanged = true;
          field.setRangeText(inserted, position, position + deleted, "end");
          // The field takes it for typed text, and so does everybody else.
          field.dispatchEvent(new InputEvent("input", { bubbles: true, inputType }));
          catchUp();
        }
      }
      target = undefined;
      if (!isChanged) to.pop();
    }
  };

  /** @type {(event: Event, isRedo: boolean) => void} */
  const answer = (event, isRedo) => {
    event.preventDefault();
    if (isRedo) takeBack(undone, done, "historyRedo");
    else takeBack(done, undone, "historyUndo");
  };
  const cleanups = [
    watch(catchUp),
    context.listen("input", field, catchUp),
    context.listen("keydown", field, (event) => {
      const key = event.key.toLowerCase();
      const isHistory = (event.ctrlKey || event.metaKey) && !event.altKey && !event.isComposing;
      if (isHistory && (key === "z" || key === "y")) answer(event, key === "y" || event.shiftKey);
    }),
    // The menu's undo, where the browser still offers it.
    context.listen("beforeinput", field, (event) => {
      if (/^history/.test(event.inputType)) answer(event, event.inputType === "historyRedo");
    }),
  ];
  catchUp();
  return () => cleanups.forEach((cleanup) => cleanup?.());
};

/**
 * Carries somebody else's edit down through a stack; what it has deleted needs no undo any more.
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
