// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { createAnswer } from "../answers.js";
import { together } from "../controls.js";
import { idOf, rowsOf } from "../move/lists.js";

/** @type {(row: Element) => any} The box that selects a row. */
const boxOf = (row) =>
  [...row.querySelectorAll("[data-select]")].find((box) => box.closest("[data-row]") === row);

/** @type {(template: HTMLTemplateElement) => Element[]} The list's rows, in their order. */
const allRows = (template) => rowsOf(/** @type {any} */ ({ template }));

/**
 * What is selected: the person's own choice until the server has answered it, so that the next one begins from it.
 *
 * @param {import("../page.js").Context} context
 * @param {string} name
 * @param {() => void} show
 */
function createChoice(context, name, show) {
  /** @type {unknown[]} */
  let told = [];
  /** @type {unknown[] | undefined} */
  let own;
  const settle = () => {
    own = undefined;
    show();
  };
  const answer = createAnswer(context, name, settle);
  return {
    stop: answer.stop,
    current: () => own ?? told,
    tell(/** @type {unknown} */ ids) {
      told = Array.isArray(ids) ? ids : [];
      answer.heard();
      if (!answer.isAwaited()) settle();
    },
    /** @type {(ids: unknown[], send: () => void) => void} */
    choose(ids, send) {
      send();
      own = ids;
      answer.sent();
      show();
    },
  };
}

/**
 * `data-bind-selected` on a `<template data-bind-each>`: the ids of the rows whose boxes, those with `data-select`, are
 * ticked, in both directions. With Shift all rows from the box before get the state of this one.
 *
 * @type {import("../page.js").Attach}
 */
export const attach = (template, context, { name }) => {
  if (template.localName !== "template") return;
  const list = template.parentElement;
  const part = template.getAttribute("data-window");
  /** @type {any[]} */
  let values = [];
  let last = "";
  let isRange = false;
  const show = () => {
    const chosen = new Set(choice.current().map(String));
    for (const row of allRows(template)) {
      const box = boxOf(row);
      if (box) box.checked = chosen.has(idOf(row));
    }
  };
  const choice = createChoice(context, name, show);
  const change = (/** @type {any} */ { target }) => {
    const rows = allRows(template);
    const at = rows.findIndex((row) => boxOf(row) === target);
    if (at < 0) return;
    if (template.getAttribute("aria-disabled") === "true") return show();
    const from = isRange ? rows.findIndex((row) => idOf(row) === last) : at;
    const [low, high] = from < 0 ? [at, at] : [Math.min(from, at), Math.max(from, at)];
    const changed = rows.slice(low, high + 1).map(idOf);
    last = idOf(rows[at]);
    const before = choice.current();
    const chosen = new Set(before.map(String));
    for (const id of changed) target.checked ? chosen.add(id) : chosen.delete(id);
    const shown = values.map((row) => row?.id);
    // A long list has rows that this page does not show: they stay chosen, in front of those that it does.
    const known = new Set(shown.map(String));
    const elsewhere = part === null ? [] : before.filter((id) => !known.has(String(id)));
    // In the list's order, and of a list that is here as a whole none that has gone.
    const ids = [...elsewhere, ...shown.filter((id) => chosen.has(String(id)))];
    choice.choose(ids, () => context.input(target, "typed", name, ids));
  };
  const hold = (/** @type {any} */ { shiftKey }) => void (isRange = shiftKey);
  // A click with Shift selects text, too.
  const keep = (/** @type {any} */ event) => event.shiftKey && event.target.closest("label") && event.preventDefault();
  const handlers = { change, pointerdown: hold, keydown: hold, mousedown: keep };
  for (const [type, run] of Object.entries(handlers)) list.addEventListener(type, run);
  // The list may take its rows after this, if its own file has come later.
  const lift = () => show;
  (template.lifts ??= []).push(lift);
  return together([
    context.watch(`${template.getAttribute("data-bind-each")}${part ? `/${part}` : ""}`, (value) => {
      const rows = value?.rows ?? value;
      values = Array.isArray(rows) ? rows : [];
      show();
    }),
    context.watch(name, choice.tell),
    choice.stop,
    () => {
      template.lifts = template.lifts.filter((/** @type {unknown} */ one) => one !== lift);
      for (const [type, run] of Object.entries(handlers)) list.removeEventListener(type, run);
    },
  ]);
};
