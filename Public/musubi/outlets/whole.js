// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { keep, readControl, textOf, whenReset, writeControl } from "../controls.js";
import { applyEdit, difference, transform, typed } from "../text-merge.js";

/** Controls that a person sets step by step, in a list or a handle of their own, before the value counts. */
const slow = /^(select-one|select-multiple|range|date|time|month|week|datetime-local|number|color)$/;

/** Controls that are typed part by part; each part that makes a whole value is a change. */
const inParts = /^(date|time|month|week)/;

/**
 * `data-bind-value` of a name that is no two-way text: whole values, in both directions.
 *
 * A server's value waits while a composition goes on, and while a person has a list open, drags a handle or has typed
 * half a date; it is shown when they are done, unless they have chosen another one.
 *
 * Only an event makes an input. What else changes the control is taken back before the person changes it.
 *
 * @param {any} element
 * @param {import("../page.js").Context} context
 * @param {import("../page.js").Binding} binding `initial` tells what the control showed before a person changed it.
 * @returns {() => void}
 */
export function attach(element, context, { name, initial }) {
  const type = /^(radio|select-one|select-multiple)$/.test(element.type) ? "change" : "input";
  const isFinal = element.dataset.compose === "final";
  /** @type {Event | undefined} */
  let composition;
  let isBusy = false;
  let isTyping = false;
  /** @type {(() => void) | undefined} */
  let held;
  /** @type {(() => void) | undefined} */
  let undoReset;
  // A list or a date whose name is a two-way text: it takes the place of the whole text.
  const text = context.text(name);
  const before = initial?.();
  /** What the control shows, as far as is known here. */
  let view = element.value;
  /** @type {string | undefined} What something else has made of it without an event. */
  let foreign;
  const mend = () => {
    if (!composition && element.value !== view) element.value = view;
  };
  const send = () => {
    if (foreign !== undefined) {
      const [own] = transform(typed(difference(foreign, element.value)), difference(foreign, view));
      element.value = applyEdit(view, own);
    }
    const value = readControl(element);
    view = element.value;
    held = foreign = undefined;
    if (value === undefined) return;
    if (!text) context.input(element, "typed", name, value);
    else if (text.text() !== textOf(value)) context.edit(element, name, [[0, text.text().length, textOf(value)]], element);
  };
  const show = (/** @type {unknown} */ value) => {
    undoReset = undefined;
    held = () => {
      writeControl(element, value);
      view = element.value;
      foreign = undefined;
    };
    if (!isBusy && !composition) done();
  };
  const begin = (/** @type {any} */ event) => {
    // Enter ends a change, also where nothing has changed.
    if (event.key === "Enter") return context.later(done);
    isBusy = slow.test(element.type);
    isTyping = event.type === "keydown" && inParts.test(element.type);
  };
  const done = () => {
    isBusy = isTyping = false;
    // A person's value stays until it is short enough to be sent.
    if (context.tooLong(name) !== undefined) return;
    held?.();
    held = undefined;
  };
  const cleanups = [
    context.listen(type, element, () => {
      if (!(composition && isFinal)) send();
    }),
    // WebKit drops the edit if the control is written to now.
    context.listen("beforeinput", element, () => {
      if (!composition && element.value !== view) foreign = element.value;
    }),
    context.listen("focus", element, mend),
    whenReset(element, context, () => {
      undoReset = keep(element);
      return () => (undoReset?.(), mend());
    }),
    context.listen("pointerdown", element, begin),
    context.listen("keydown", element, begin),
    context.listen("change", element, () => isTyping || done()),
    context.listen("blur", element, done),
    context.listen("compositionstart", element, (event) => void (composition = event)),
    context.listen("compositionend", element, () => {
      const ended = composition;
      context.later(() => {
        if (composition !== ended) return;
        composition = undefined;
        isFinal ? send() : done();
      });
    }),
  ];
  // A value from before the first state is not lost, nor one that was too long when the page was reloaded.
  const unsent = context.tooLong(name);
  if (unsent !== undefined) writeControl(element, unsent);
  if (unsent !== undefined || element.value !== before) send();
  if (text) {
    cleanups.push(text.watch((_change, _before, source) => source !== element && show(text.text())));
    show(text.text());
  } else cleanups.push(context.watch(name, show));
  return () => cleanups.forEach((stop) => stop());
}
