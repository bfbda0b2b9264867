// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { textOf, together } from "../controls.js";
import { further, load } from "../further.js";
import { createWatchers } from "../page.js";
import { keepPlace } from "../place.js";
import { become, keyOf, openRow } from "../text/rows.js";

/**
 * A row on the page.
 *
 * @typedef {object} Row
 * @property {any} element
 * @property {unknown} value
 * @property {(value: any) => void} show
 * @property {() => void} stop
 */

const appendOnly = further("append");
const windowed = further("window");
const withIDs = further("ids");

/**
 * `data-bind-each` on a `<template>`: one copy of the template's element for each row of a list, in front of it.
 *
 * Names inside are paths inside the row, `.` the row itself; inputs carry the row's `id`. Rows keep their elements for
 * as long as their ids stay in the list, and of those that changed places the fewest possible are moved, so that focus,
 * selection and half-typed text inside of rows survive. Rows without an `id` are told apart by their place.
 *
 * A template with ids waits for the file that gives each row its own.
 *
 * @type {import("../page.js").Attach}
 */
export const attach = (template, outer, binding) => {
  const { name: list } = binding;
  const part = template.getAttribute("data-window");
  const isWindow = part !== null;
  // Both files are to be on their way at once.
  if (isWindow) load("window");
  if (!outer.claim && template.content.querySelector("[id]")) return withIDs(template, outer, binding);
  const name = part ? `${list}/${part}` : list;
  const context = { ...outer, place: [...(outer.place ?? []), isWindow ? `${list}..edited` : list] };
  /** @type {Map<string, Row>} In the order of the page. */
  let rows = new Map();
  const limit = template.getAttribute("data-append-only");
  const stopAdding = limit === null ? undefined : appendOnly(template, context, { argument: "", name: limit });
  const stopLooking = isWindow ? windowed(template, outer, { argument: "", name, become }) : undefined;
  const stopWatching = context.watch(name, (value) => {
    // A new session may begin without the list, and have it a moment later.
    if (isWindow ? !value?.rows : value === undefined && limit !== null) return;
    const all = value?.rows ?? value;
    rows = arrange(template, context, rows, keyed(Array.isArray(all) ? all : []), value);
  });
  return together([stopWatching, stopAdding, stopLooking, () => void arrange(template, context, rows, new Map())]);
};

/**
 * @param {any[]} list
 * @returns {Map<string, any>} The values by their row's key.
 */
function keyed(list) {
  const values = new Map();
  list.forEach((value, index) => {
    const id = textOf(value?.id);
    values.set(id && !values.has(id) ? id : ` ${index}`, value);
  });
  return values;
}

/**
 * Makes the rows on the page those of a list.
 *
 * @param {HTMLTemplateElement} template
 * @param {import("../page.js").Context} context
 * @param {Map<string, Row>} rows
 * @param {Map<string, any>} values
 * @param {unknown} [list] What the server has told of the list.
 * @returns {Map<string, Row>}
 */
function arrange(template, context, rows, values, list) {
  const parent = /** @type {any} */ (template.parentNode);
  const settle = rows.size > 0 ? keepPlace(parent) : () => {};
  // Rows that somebody has moved stand elsewhere until the server has answered; a list to which rows are only added keeps
  // those that the server has let go of.
  const settled = /** @type {any} */ (template).lifts?.map((/** @type {any} */ lift) => lift(rows, values, list));
  for (const [key, { element, stop }] of rows) {
    if (values.has(key)) continue;
    stop();
    element.remove();
  }
  const places = new Map([...rows.keys()].map((key, place) => [key, place]));
  const keys = [...values.keys()];
  const staying = longestIncreasing(pinned(keys.filter((key) => places.has(key)), places, rows, parent), places);
  const result = new Map();
  let next = template;
  // From the end, so that each row's successor is in its place already.
  for (const key of keys.reverse()) {
    const before = rows.get(key);
    const row = before ?? createRow(template, context, key, values.get(key));
    const canMove = before && parent.moveBefore && parent.isConnected;
    if (!staying.has(key)) parent[canMove ? "moveBefore" : "insertBefore"](row.element, next);
    if (row.value !== values.get(key)) row.show(values.get(key));
    result.set(key, row);
    next = row.element;
  }
  settled?.forEach((/** @type {any} */ show) => show?.());
  settle();
  return new Map([...result].reverse());
}

/**
 * Leaves out the rows that cannot stay if the one with the focus does: in browsers without `moveBefore` a row that is
 * moved loses focus, selection and composition, so others move around it.
 *
 * @param {string[]} keys In their new order.
 * @param {Map<string, number>} places Their old places.
 * @param {Map<string, Row>} rows
 * @param {Element} parent
 */
function pinned(keys, places, rows, parent) {
  const focus = parent.ownerDocument?.activeElement;
  if (/** @type {any} */ (parent).moveBefore || !focus || !parent.contains(focus)) return keys;
  const pin = keys.findIndex((key) => rows.get(key)?.element.contains(focus));
  const place = (/** @type {string} */ key) => /** @type {number} */ (places.get(key));
  return keys.filter((key, index) => pin < 0 || index === pin || index < pin === place(key) < place(keys[pin]));
}

/**
 * One of the longest subsequences of keys whose places increase, by the patience method.
 *
 * @param {string[]} keys
 * @param {Map<string, number>} places
 * @returns {Set<string>}
 */
function longestIncreasing(keys, places) {
  const place = (/** @type {number} */ index) => /** @type {number} */ (places.get(keys[index]));
  /** @type {number[]} For each length, the index where the best subsequence of that length ends. */
  const ends = [];
  /** @type {number[]} The index before each one in its subsequence. */
  const before = [];
  keys.forEach((_, index) => {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (place(ends[middle]) < place(index)) low = middle + 1;
      else high = middle;
    }
    before.push(low ? ends[low - 1] : -1);
    ends[low] = index;
  });
  const result = new Set();
  for (let index = ends.at(-1) ?? -1; index >= 0; index = before[index]) result.add(keys[index]);
  return result;
}

/**
 * @param {HTMLTemplateElement} template
 * @param {import("../page.js").Context} context
 * @param {string} key
 * @param {unknown} value
 * @returns {Row}
 */
function createRow(template, context, key, value) {
  const element = template.ownerDocument.importNode(/** @type {Element} */ (template.content.firstElementChild), true);
  const { watch, show } = createWatchers();
  const id = key.trim();
  element.setAttribute("data-row", id);
  const row = {
    element, value,
    show(/** @type {any} */ next) {
      row.value = next;
      show(next);
    },
    stop: () => {},
  };
  show(/** @type {any} */ (value));
  const place = [.../** @type {string[]} */ (context.place), key];
  /** @type {import("../page.js").Context} */
  const inside = {
    ...context, watch, place,
    follow: context.claim?.(element, place),
    text: () => undefined,
    inField(name) {
      const initial = /** @type {any} */ (row.value)?.[name];
      // Rows without an id have nothing by which their texts could be told apart.
      if (typeof initial !== "string" || place.some((token) => token[0] === " ")) return undefined;
      const text = keyOf([...place, name]);
      const document = openRow(context.openScreen(), text, initial);
      if (document) /** @type {any} */ (template).hold?.(text, element, () => /** @type {any} */ (row.value)?.[name]);
      return document && { ...inside, text: () => document, edit: (control, _, ...edit) => context.edit(control, text, ...edit) };
    },
    input: (control, kind, name, typed, path = []) => context.input(control, kind, name, typed, [id, ...path]),
    tooLong: (name, path = []) => context.tooLong(name, [id, ...path]),
  };
  row.stop = context.attach(element, inside);
  return row;
}
