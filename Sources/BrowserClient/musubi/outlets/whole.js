// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { createAnswer } from "../answers.js";
import { keep, readControl, writeControl } from "../control-values.js";
import { followCompositions, textOf, together, whenReset } from "../controls.js";
import { applyEdit, difference, typed } from "../text/edit.js";
import { transform } from "../text/transform.js";

/** Controls that are typed part by part; each part that makes a whole value is a change. */
const inParts = ["date", "time", "month", "week", "datetime-local"];

/** Controls that a person sets in a list before the value counts. */
const lists = ["select-one", "select-multiple"];

/** Controls that a person sets step by step, in a list or a handle of their own, before the value counts. */
const slow = [...lists, ...inParts, "range", "number", "color"];

/**
 * `data-bind-value` of a name that is no two-way text: whole values, in both directions.
 *
 * A server's value waits while a composition goes on, and while a person has a list open, drags a handle or has typed
 * half a date; it is shown when they are done, unless they have chosen another one. What they have chosen stays until the
 * server has answered it, and then gives way to what the server has, also if that is what it had before.
 *
 * Only an event makes an input. What else changes the control is taken back before the person changes it.
 *
 * @param {any} element
 * @param {import("../page.js").Context} context
 * @param {import("../page.js").Binding} binding `initial` tells what the control showed before a person changed it.
 * @returns {() => void}
 */
export function attach(element, context, { name, initial }) {
  const type = ["radio", ...lists].includes(element.type) ? "change" : "input";
  // A list or a date whose name is a two-way text: two choices are no edits of one text, the last one counts.
  const text = context.text(name);
  // A radio button may have lost its mark already to the one that the server has.
  const isChanged = initial?.() !== undefined && (element.type !== "radio" || element.checked);
  const shown = createShown(element);
  let isBusy = false;
  let isTyping = false;
  const isWriting = () => type === "input" && !slow.includes(element.type) && element.ownerDocument.activeElement === element;
  const told = createTold(context, name, shown, () => isBusy || composition(), isWriting);
  const send = () => {
    shown.read();
    told.forget();
    const value = readControl(element);
    if (value === undefined) return;
    context.input(element, "typed", name, text ? textOf(value) : value);
    told.sent();
  };
  const done = () => {
    isBusy = isTyping = false;
    told.settle();
  };
  const begin = (/** @type {any} */ event) => {
    // Enter ends a change, also where nothing has changed.
    if (event.key === "Enter") return context.later(done);
    isBusy = slow.includes(element.type);
    isTyping = event.type === "keydown" && inParts.includes(element.type);
  };
  // What was composed may have been sent already.
  const composed = () => (shown.isOther() ? send() : done());
  const [composition, stopFollowing, isHeld] = followCompositions(element, context, () => {}, composed);
  const cleanups = [
    stopFollowing,
    told.stop,
    whenOptions(element, told.again),
    context.listen(type, element, () => void (isHeld() || send())),
    context.listen("beforeinput", element, () => composition() || shown.look()),
    context.listen("focus", element, () => composition() || shown.mend()),
    whenReset(element, context, () => shown.keep(() => !composition())),
    context.listen("pointerdown", element, begin),
    context.listen("keydown", element, begin),
    context.listen("change", element, () => isTyping || done()),
    context.listen("blur", element, done),
  ];
  // The button that loses its mark to another one of its group gets no event, and waits for the same answer.
  if (element.type === "radio") cleanups.push(context.listen("change", element.ownerDocument.documentElement, told.sent));
  // A value from before the first state is not lost, nor one that was too long when the page was reloaded, or waited.
  const unsent = context.tooLong(name);
  if (unsent !== undefined) writeControl(element, unsent);
  if (unsent !== undefined || isChanged) send();
  else told.resume();
  if (text) cleanups.push(text.watch(() => told.show(text.text())));
  if (text) told.show(text.text());
  else cleanups.push(context.watch(name, told.show));
  return together(cleanups);
}

/**
 * The server's values, which a control shows once the person is done with it and has been answered.
 *
 * @param {import("../page.js").Context} context
 * @param {string} name
 * @param {ReturnType<typeof createShown>} shown
 * @param {() => unknown} isBusy Whether the person is in the middle of setting the control.
 * @param {() => boolean} isWriting Whether the person is in the control, and may go on writing.
 */
function createTold(context, name, shown, isBusy, isWriting) {
  /** @type {{value: unknown} | undefined} What the control does not show yet. */
  let held;
  /** @type {typeof held} */
  let latest;
  /** Whether the control shows what the person has set. */
  let isOwn = false;
  const settle = () => {
    // A person's value stays until it is short enough to be sent.
    if (!held || isBusy() || answer.isAwaited() || context.tooLong(name) !== undefined) return;
    shown.write(held.value);
    held = undefined;
    isOwn = false;
  };
  const answer = createAnswer(context, name, () => {
    held ??= latest;
    // Whoever is writing sees a value that has not changed when they leave the field.
    if (!isWriting()) settle();
  });
  return {
    settle, sent: answer.sent, stop: answer.stop,
    /** The page is back with a value of the person's that still waits. */
    resume() {
      const waiting = answer.sent();
      if (waiting?.value === undefined) return;
      shown.write(waiting.value);
      isOwn = true;
    },
    /** The person has set another value. */
    forget() {
      held = undefined;
      isOwn = true;
    },
    /** Something else may have changed the control. */
    again() {
      if (!isOwn) held ??= latest;
      else if (!isBusy()) shown.mend();
      settle();
    },
    show(/** @type {unknown} */ value) {
      shown.forgetReset();
      held = latest = { value };
      answer.heard();
      settle();
    },
  };
}

/**
 * Runs something when options that are rows of a list are others: the browser has chosen one of them by itself.
 *
 * @param {any} element
 * @param {() => void} run
 * @returns {() => void} The cleanup.
 */
function whenOptions(element, run) {
  const lift = () => run;
  const templates = [...element.querySelectorAll("template")];
  for (const template of templates) (template.lifts ??= []).push(lift);
  return () => {
    for (const template of templates) template.lifts = template.lifts.filter((/** @type {unknown} */ one) => one !== lift);
  };
}

/**
 * What a control shows, as far as is known here: what else changes it without an event is found and taken back.
 *
 * @param {any} element
 */
function createShown(element) {
  let view = element.value;
  /** @type {string | undefined} What something else has made of it without an event. */
  let foreign;
  /** @type {(() => void) | undefined} */
  let undoReset;
  const mend = () => {
    // Of several options none is chosen by itself, and the value is the first one alone.
    if (!(element.type === lists[1] || element.value === view)) element.value = view;
  };
  return {
    mend,
    /** The control has a value that is not known here. */
    isOther: () => element.value !== view,
    /** An edit is about to come. WebKit drops it if the control is written to now. */
    look() {
      if (element.value !== view) foreign = element.value;
    },
    /** The person has changed the control: leaves in it what the person has done, without what something else has. */
    read() {
      if (foreign !== undefined) {
        const [own] = transform(typed(difference(foreign, element.value)), difference(foreign, view));
        element.value = applyEdit(view, own);
      }
      view = element.value;
      foreign = undefined;
    },
    write(/** @type {unknown} */ value) {
      writeControl(element, value);
      view = element.value;
      foreign = undefined;
    },
    /** @type {(mayMend: () => boolean) => () => void} Before a reset: returns what takes it back. */
    keep(mayMend) {
      undoReset = keep(element);
      return () => {
        undoReset?.();
        if (mayMend()) mend();
      };
    },
    /** The server has a newer value. */
    forgetReset() {
      undoReset = undefined;
    },
  };
}
