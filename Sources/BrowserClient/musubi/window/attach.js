// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { scrollerOf } from "../styled.js";
import { createEdges } from "./edges.js";
import { createFilter } from "./filter.js";
import { keepFocus } from "./focus.js";
import { createLayout, whenLinked, whenResized } from "./layout.js";
import { keepPlace, recall } from "./memory.js";
import { count, makeRoom, placeAt, spacer } from "./room.js";
import { holdTexts } from "./texts.js";

/** @typedef {{count: number, first: number, rows: {id: unknown}[]}} Rows What the server has told of the list. */

/** So many rows beside each other a page asks for at most, and how often it asks, in milliseconds. */
const [maxRows, pause] = [400, 60];

/** The height of a row before one was measured, in pixels. */
const guess = 40;

/**
 * What scrolls a list: a box, or the page.
 *
 * A box that scrolls sideways alone looks like it, but grows with its rows; so it is tried with more room than any has.
 *
 * @param {Element} list
 * @param {HTMLElement} above The room above the rows.
 */
function boxOf(list, above) {
  let found = scrollerOf(list);
  if (list.getClientRects().length) {
    above.style.paddingTop = "99999px";
    while (found && found.scrollHeight <= found.clientHeight) found = scrollerOf(found.parentElement);
    above.style.paddingTop = "0";
  }
  const box = found ?? /** @type {HTMLElement} */ (document.scrollingElement ?? document.documentElement);
  // Browsers differ in which row they would hold; here it is always the first one in view. And on a smooth way to it the rows
  // would be measured in the wrong place.
  Object.assign(box.style, { overflowAnchor: "none", scrollBehavior: "auto" });
  return box;
}

/**
 * `data-window` on a `<template data-bind-each>`: the page has the rows in view and a margin, and room for all others above
 * and below them. Where it scrolls, it asks the server for the rows there.
 *
 * @type {import("../page.js").Attach}
 */
export const attach = (template, context, { name, become }) => {
  const list = /** @type {HTMLElement} */ (template.parentElement);
  const [above, below] = [spacer(template), spacer(template)];
  list.prepend(above);
  template.after(below);
  const box = boxOf(list, above);
  const isPage = box === document.scrollingElement;
  /** @type {Rows} */
  let told = { count: 0, first: 0, rows: [] };
  /** Their ids, by what the page has of them: somebody may carry a row of another list across this one. */
  let ids = new Map();
  /** Whether the server knows what this page looks at, and has told it. */
  let isTold = false;
  let height = guess;
  /** What was asked for last, and when; nothing is asked twice. */
  let [asked, askedAt, timer] = ["", -Infinity, 0];
  /** @type {ReturnType<here>} The row that stays where it is, also while the list is not laid out. */
  let held;
  /** @type {number | undefined} The place that was jumped to, until its row is there. */
  let jump;
  /** @type {{id: unknown, top: number} | undefined} The row to go to once it is there. */
  let sought = recall(name);
  const control = new AbortController();

  const texts = holdTexts(context, /** @type {any} */ (become));
  template.hold = texts.hold;
  const rows = () => /** @type {HTMLElement[]} */ ([...list.children].filter((row) => ids.has(row.getAttribute("data-row"))));
  const edge = () => (isPage ? 0 : box.getBoundingClientRect().top);
  /** @type {(row: Element) => number} How far below the edge a row begins. */
  const topOf = (row) => row.getBoundingClientRect().top - edge();
  const viewHeight = () => (isPage ? innerHeight : box.clientHeight);

  /** The first row in view, and where it is; nothing if no row is here. */
  const here = () => {
    const row = isLaidOut() ? rows().find((one) => one.getBoundingClientRect().bottom > edge()) : undefined;
    return row && { row, id: ids.get(row.getAttribute("data-row")), top: topOf(row) };
  };

  /** Notes which row is to stay. */
  const hold = () => void (held = isLaidOut() ? here() : held);

  /** Makes the room for the rows that are not here, and has the held one stay. */
  const settle = () => {
    if (!isLaidOut()) return;
    const shown = rows();
    if (shown.length) {
      const [first, last] = [shown[0].getBoundingClientRect(), shown[shown.length - 1].getBoundingClientRect()];
      height = Math.max(1, (last.bottom - first.top) / shown.length);
    }
    makeRoom(above, below, told, height);
    count(list, shown, told);
    if (edges.settle(told)) return;
    const goal = sought && shown.find((row) => row.getAttribute("data-row") === String(sought?.id));
    if (goal && sought) {
      // WebKit leaves out what is less than a pixel: each return would be one further up.
      box.scrollTop += Math.round(topOf(goal) - sought.top);
      sought = undefined;
    } else if (jump !== undefined && shown[jump - told.first]) {
      box.scrollTop += topOf(shown[jump - told.first]);
      jump = undefined;
    } else if (held?.row.parentElement === list) box.scrollTop += topOf(held.row) - held.top;
    hold();
  };

  /** @type {(list: Rows) => void} */
  const take = (list) => {
    [template.told, told, isTold] = [list, list, true];
    ids = new Map(list.rows.map(({ id }) => [String(id), id]));
  };
  const rowsInView = () => Math.min(maxRows, Math.ceil(viewHeight() / height) + 1);

  /** Asks for the rows in view and a margin of as many above and below, unless they are here. */
  const ask = () => {
    timer = 0;
    if (!isLaidOut()) return;
    const inView = rowsInView();
    const count = Math.min(maxRows, 3 * inView);
    const row = here();
    const isFar = !row || row.top > viewHeight();
    const place = isFar ? placeAt(edge(), above, below, told, height) : told.first + rows().indexOf(row.row);
    const margin = Math.floor((count - inView) / 2);
    const [from, to] = [Math.max(0, place - margin / 2), Math.min(told.count, place + inView + margin / 2)];
    const isHere = isTold && told.first <= from && told.first + told.rows.length >= to;
    const first = edges.first(told, count);
    if (first !== undefined) return send({ first, count });
    if (sought) return send({ anchor: sought.id, before: margin, count });
    if (isHere) return;
    if (!isFar) send({ anchor: row.id, before: Math.min(margin, place), count });
    else {
      // Above the list there is something else to see.
      if (told.rows.length && above.getBoundingClientRect().top < edge()) jump = place;
      send({ first: Math.max(0, place - margin), count });
    }
  };

  /** @type {(window: object) => void} */
  const send = (window) => {
    const text = JSON.stringify([window, word(), told.first, told.count]);
    if (text === asked) return;
    [asked, askedAt] = [text, performance.now()];
    context.input(list, "typed", name, { ...window, patches: true, word: word() || undefined });
  };

  /** Asks soon, and not too often. */
  const plan = () => {
    if (!timer) timer = window.setTimeout(ask, Math.max(0, askedAt + pause - performance.now()));
  };

  const keep = () => keepPlace(context.shown, name, here());

  const scrolled = () => {
    if (!isLaidOut() || edges.isThere()) return;
    edges.forget();
    jump = undefined;
    hold();
    // The person has gone on while the rows were asked for.
    if (sought && told.rows.length) sought = held;
    plan();
  };
  /** @type {(rows: unknown, values: unknown, next?: Rows) => (() => void) | void} */
  const lift = (_rows, _values, next) => {
    if (!next) return;
    hold();
    const passFocus = keepFocus(isPage ? list : box, next.count < told.count ? [] : rows());
    return () => {
      take(next);
      texts.follow();
      settle();
      passFocus();
    };
  };
  (template.lifts ??= []).push(lift);
  const isLaidOut = createLayout(above, () => {
    sought ??= held;
    settle();
    plan();
  }, control);
  const target = isPage ? window : box;
  const edges = createEdges(target, box, isLaidOut, () => {
    sought = held = jump = undefined;
    settle();
    ask();
  }, control);
  const word = createFilter(template.getAttribute("data-bind-each"), context, () => {
    sought = held = jump = edges.forget();
    send({ first: 0, count: Math.min(maxRows, 3 * rowsInView()) });
    box.scrollTop = 0;
  }, control);
  // A part of a list is nothing before the page has asked for it.
  const stopBeginning = context.watch(template.getAttribute("data-bind-each"), (value) => value && plan());
  const stopWatching = context.watch(name, (value) => {
    if (!value?.rows) {
      // A new session, or a restarted server: it does not know what this page looks at.
      [told, isTold] = [{ ...told, count: value?.count ?? told.count }, false];
      asked = "";
      hold();
      sought ??= held;
    } else if (told !== value) {
      take(value);
      settle();
    }
    plan();
  });
  // A connection may be lost between what was asked and the answer.
  whenLinked(() => {
    if (isTold) return;
    asked = "";
    plan();
  }, control);
  target.addEventListener("scroll", scrolled, { passive: true, signal: control.signal });
  addEventListener("resize", plan, control);
  if (!isPage) whenResized(box, plan, control);
  addEventListener("pagehide", keep, control);
  return () => {
    keep();
    clearTimeout(timer);
    template.lifts = template.lifts.filter((/** @type {unknown} */ one) => one !== lift);
    template.hold = undefined;
    control.abort();
    texts.release();
    stopWatching();
    stopBeginning();
    above.remove();
    below.remove();
  };
};
