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

/** @typedef {import("../page.js").Context} Context */
/** @typedef {ReturnType<typeof createChoice>} Choice */

/** @type {WeakMap<Context, Map<string, Choice>>} What is selected in a screen, a dialog or a row, by the input's name. */
const choices = new WeakMap();

/** @type {(context: Context, name: string) => Choice} The parts of a long list have one selection. */
function choiceOf(context, name) {
  const all = choices.get(context) ?? new Map();
  choices.set(context, all);
  const choice = all.get(name) ?? createChoice(context, name, () => all.delete(name));
  all.set(name, choice);
  return choice;
}

/**
 * What is selected: the person's own choice until the server has answered it, so that the next one begins from it.
 *
 * @param {Context} context
 * @param {string} name
 * @param {() => void} ended No list shows it any longer.
 */
function createChoice(context, name, ended) {
  /** @type {unknown[]} */
  let told = [];
  /** @type {unknown[] | undefined} */
  let own;
  /** @type {Set<() => void>} */
  const shows = new Set();
  const show = () => shows.forEach((one) => one());
  const settle = () => {
    own = undefined;
    show();
  };
  const answer = createAnswer(context, name, settle);
  const stop = context.watch(name, (ids) => {
    told = Array.isArray(ids) ? ids : [];
    answer.heard();
    if (!answer.isAwaited()) settle();
  });
  return {
    current: () => own ?? told,
    /** @type {(one: () => void) => () => void} A list shows it, until what this returns is called. */
    join(one) {
      shows.add(one);
      return () => {
        shows.delete(one);
        if (shows.size) return;
        stop();
        answer.stop();
        ended();
      };
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
  const choice = choiceOf(context, name);
  const change = (/** @type {any} */ { target }) => {
    const rows = allRows(template);
    const at = rows.findIndex((row) => boxOf(row) === target);
    if (at < 0) return;
    const isFull = document.documentElement.hasAttribute("data-full");
    if (isFull || template.getAttribute("aria-disabled") === "true") return show();
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
    choice.join(show),
    () => {
      template.lifts = template.lifts.filter((/** @type {unknown} */ one) => one !== lift);
      for (const [type, run] of Object.entries(handlers)) list.removeEventListener(type, run);
    },
  ]);
};
