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

/** @type {(row: HTMLElement, height: number) => void} Browsers end at some 17 million pixels. */
export const resize = (row, height) => void (row.style.paddingTop = `${Math.min(8_000_000, Math.round(height))}px`);

/**
 * Says how many rows there are, and which these are.
 *
 * @param {HTMLElement} list
 * @param {HTMLElement[]} shown
 * @param {import("./attach.js").Rows} told
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
