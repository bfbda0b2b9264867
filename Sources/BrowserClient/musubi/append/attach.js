// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { text } from "../further-words.js";
import { onceStyled } from "../styled.js";
import { followEnd, keepEnd } from "./scroll.js";

/** @typedef {Map<string, import("../outlets/each.js").Row>} Rows */

/** So many rows a page keeps, unless the attribute says otherwise. */
const defaultRows = 1_000;

/** @type {import("../words.js").Words} */
export const sentences = { "append-gap": { en: "Some lines are missing here.", ja: "ここには表示できない行があります。" } };

/**
 * `data-append-only` on a `<template data-bind-each>`: the page keeps the rows that the server's list lets go of at its
 * beginning. Ids count up. Where rows have come and gone while the page was away, a mark stands between those that are
 * there.
 *
 * @type {import("../page.js").Attach}
 */
export const attach = (template, _context, { name }) => {
  const most = Number(name) || defaultRows;
  /** @type {HTMLElement[]} */
  let marks = [];
  const sweep = () => {
    marks = marks.filter((mark) => {
      const [before, after] = [mark.previousElementSibling, mark.nextElementSibling];
      const isUsed = [before, after].every((row) => row?.hasAttribute("data-row"));
      if (!isUsed) mark.remove();
      return isUsed;
    });
  };
  /** @type {(rows: Rows, values: Map<string, unknown>) => () => void} */
  const lift = (rows, values) => {
    const settle = followEnd(template);
    const [first = ""] = values.keys();
    const kept = [...rows].filter(([key]) => Number(key) < Number(first));
    // By the rows that are here: some were there before this file, and a server may have begun to count again.
    const isGap = kept.length > 0 && Number(first) > Number([...rows.keys()].at(-1)) + 1;
    const all = [...values];
    values.clear();
    // Not `slice` from the end: -0 would keep all.
    for (const [key, { value }] of kept.slice(Math.max(0, kept.length + all.length - most))) values.set(key, value);
    for (const [key, value] of all) values.set(key, value);
    return () => {
      if (isGap) marks.push(mark(template, first));
      sweep();
      settle();
    };
  };
  (template.lifts ??= []).push(lift);
  // The first rows may have come before this file, or before the style sheet that makes the box scroll.
  let end = () => {};
  const control = new AbortController();
  addEventListener("languagechange", () => marks.forEach(translate), control);
  const giveUp = onceStyled(() => void (end = keepEnd(template)));
  return () => {
    giveUp();
    end();
    control.abort();
    template.lifts = template.lifts.filter((/** @type {unknown} */ one) => one !== lift);
    for (const each of marks) each.remove();
  };
};

/** @type {(mark: Element) => void} */
const translate = (mark) => void ((mark.firstElementChild ?? mark).textContent = text("append-gap"));

/** @type {(template: any, id: string) => HTMLElement} Says in front of a row that others were there. */
function mark(template, id) {
  const row = /** @type {Element} */ (
    [...template.parentElement.children].find((one) => one.getAttribute("data-row") === id)
  );
  const made = document.createElement(row.localName);
  made.className = "musubi-gap";
  if (row.localName === "tr") {
    made.append(Object.assign(document.createElement("td"), { colSpan: row.children.length }));
  }
  translate(made);
  row.before(made);
  return made;
}
