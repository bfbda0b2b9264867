// @ts-check
// SPDX-License-Identifier: Apache-2.0

/**
 * Room for rows that are not here; it is none for a screen reader. It is padding around a size that no content and no scroll bar
 * changes: `layout.js` observes that.
 *
 * @type {(template: HTMLTemplateElement) => HTMLElement}
 */
export function spacer(template) {
  const row = document.createElement(template.content.firstElementChild?.localName ?? "div");
  row.className = "musubi-room";
  row.setAttribute("aria-hidden", "true");
  row.setAttribute("role", "presentation");
  row.style.cssText = "display:block;visibility:hidden;margin:0;padding:0;border:0;height:0;min-height:0;width:1px";
  return row;
}

/** @typedef {import("./attach.js").Rows} Rows */

/** So high is all room at most: browsers end at 17 million pixels, or sooner, where one of these is several of the screen's. */
const most = 8_000_000;

/** @type {(told: Rows, height: number) => number} The room of a row that is not here: less than its height, if they are many. */
const roomOf = ({ count }, height) => Math.min(height, most / count);

/** @type {(row: HTMLElement, height: number) => void} */
const resize = (row, height) => void (row.style.paddingTop = `${Math.round(height)}px`);

/** @type {(above: HTMLElement, below: HTMLElement, told: Rows, height: number) => void} Makes the room; `height` is a row's. */
export function makeRoom(above, below, told, height) {
  const room = roomOf(told, height);
  resize(above, told.first * room);
  resize(below, Math.max(0, told.count - told.first - told.rows.length) * room);
}

/**
 * The place of the row that belongs where the view begins, and is not here.
 *
 * @param {number} edge Where the view begins.
 * @param {HTMLElement} above
 * @param {HTMLElement} below
 * @param {Rows} told
 * @param {number} height A row's.
 */
export function placeAt(edge, above, below, told, height) {
  const { top, bottom } = above.getBoundingClientRect();
  const [start, first] = edge < bottom ? [top, 0] : [below.getBoundingClientRect().top, told.first + told.rows.length];
  return Math.max(0, Math.min(told.count - 1, first + Math.floor((edge - start) / roomOf(told, height))));
}

/**
 * Says how many rows there are, and which these are.
 *
 * @param {HTMLElement} list
 * @param {HTMLElement[]} shown
 * @param {Rows} told
 */
export function count(list, shown, { count, first }) {
  const table = list.localName === "tbody" ? list.closest("table") : null;
  // The rows of a table's head count, too.
  const heads = [...(table?.tHead?.rows ?? [])];
  table?.setAttribute("aria-rowcount", String(heads.length + count));
  [...heads, ...shown].forEach((row, index) => {
    const place = index + 1 + (index < heads.length ? 0 : first);
    if (table) row.setAttribute("aria-rowindex", String(place));
    else {
      row.setAttribute("aria-posinset", String(place));
      row.setAttribute("aria-setsize", String(count));
    }
  });
}
