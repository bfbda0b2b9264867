// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { readControl, textOf, writeControl } from "../controls.js";

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
 * @param {any} element
 * @param {import("../page.js").Context} context
 * @param {import("../page.js").Binding} binding `argument` is what the control showed when the page was loaded.
 * @returns {() => void}
 */
export function attach(element, context, { name, argument: initial }) {
  const type = /^(radio|select-one|select-multiple)$/.test(element.type) ? "change" : "input";
  const isFinal = element.dataset.compose === "final";
  let isComposing = false;
  let isBusy = false;
  let isTyping = false;
  /** @type {(() => void) | undefined} */
  let held;
  // A list or a date whose name is a two-way text: it takes the place of the whole text.
  const text = context.text(name);
  const send = () => {
    const value = readControl(element);
    held = undefined;
    if (value === undefined) return;
    if (!text) context.input(element, "typed", name, value);
    else if (text.text() !== textOf(value)) context.edit(element, name, [[0, text.text().length, textOf(value)]], element);
  };
  const show = (/** @type {unknown} */ value) => {
    held = () => writeControl(element, value);
    if (!isBusy && !isComposing) done();
  };
  const begin = (/** @type {Event} */ event) => {
    isBusy = slow.test(element.type);
    isTyping = event.type === "keydown" && inParts.test(element.type);
  };
  const done = () => {
    isBusy = isComposing = isTyping = false;
    held?.();
    held = undefined;
  };
  const cleanups = [
    context.listen(type, element, () => {
      if (!(isComposing && isFinal)) send();
    }),
    context.listen("pointerdown", element, begin),
    context.listen("keydown", element, begin),
    context.listen("change", element, () => isTyping || done()),
    context.listen("blur", element, done),
    context.listen("compositionstart", element, () => void (isComposing = true)),
    context.listen("compositionend", element, () => {
      isComposing = false;
      context.later(isFinal ? send : done);
    }),
  ];
  // What was set before the first state came is not lost.
  if (element.value !== initial) send();
  if (text) {
    cleanups.push(text.watch((_change, _before, source) => source !== element && show(text.text())));
    show(text.text());
  } else cleanups.push(context.watch(name, show));
  return () => cleanups.forEach((stop) => stop());
}
