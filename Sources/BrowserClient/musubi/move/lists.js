// @ts-check
// SPDX-License-Identifier: Apache-2.0

/**
 * A list whose rows people move.
 *
 * @typedef {object} List
 * @property {HTMLTemplateElement & {told?: import("../window/attach.js").Rows}} template What the server has told of a long list
 *   stands at its template.
 * @property {import("../page.js").Context} context Where the list is, not its rows.
 * @property {string} name The input's.
 */

/**
 * A place in a list: in front of the row of an id, or at the end.
 *
 * @typedef {{list: List, before: string | null}} Place
 */

/** @type {Set<List>} All lists of the page whose rows people move. */
export const lists = new Set();

/** @type {(list: List) => HTMLElement} The element that holds the rows. */
export const boxOf = ({ template }) => /** @type {HTMLElement} */ (template.parentElement);

/** @type {(row: Element) => string} */
export const idOf = (row) => row.getAttribute("data-row") ?? "";

/** @type {(list: List) => HTMLElement[]} The rows as they stand, with one that stands there for a while. */
export function rowsOf({ template }) {
  const rows = [];
  let row = template.previousElementSibling;
  for (; row?.hasAttribute("data-row"); row = row.previousElementSibling) rows.push(row);
  return /** @type {HTMLElement[]} */ (rows.reverse());
}

/**
 * The row in front of which one stands that comes last: none, or the last one of a long list of which more rows follow.
 *
 * @param {List} list
 * @param {Element} [row] The one that is carried.
 * @returns {string | null}
 */
export function beforeEnd(list, row) {
  const room = /** @type {HTMLElement | null} */ (list.template.nextElementSibling);
  const last = room?.className === "musubi-room" && room.offsetHeight > 0 && rowsOf(list).filter((one) => one !== row).pop();
  return last ? idOf(last) : null;
}

/** @type {(list: List, row: Element) => Place} Where a row of the list stands. */
export function placeOf(list, row) {
  const rows = rowsOf(list);
  const next = rows[rows.indexOf(/** @type {HTMLElement} */ (row)) + 1];
  return { list, before: next ? idOf(next) : null };
}

/** @type {(list: List) => string[]} The list's name, with its part; in a row, behind the lists and ids on the way to it. */
export function pathOf({ template, context }) {
  const [name, part] = ["data-bind-each", "data-window"].map((attribute) => template.getAttribute(attribute));
  return [...(context.place ?? []), part ? `${name}/${part}` : name ?? ""];
}

/**
 * The lists that a row may go to: those that send the same input, are to be seen, and are no part of the row.
 *
 * @param {List} list The one that it is from.
 * @param {Element} row
 * @returns {List[]} In the page's order.
 */
export function listsFor(list, row) {
  const { name, context } = list;
  return [...lists]
    .filter((one) => one.name === name && one.context.screen === context.screen)
    .filter((one) => boxOf(one)?.getClientRects().length && !row.contains(boxOf(one)))
    .sort((one, other) => (one.template.compareDocumentPosition(other.template) & 4 ? -1 : 1));
}

/** @type {(row: Element) => HTMLElement} What a row is taken by: its handle, or the row itself. */
export function gripOf(row) {
  const handles = /** @type {HTMLElement[]} */ ([...row.querySelectorAll("[data-handle]")]);
  return handles.find((handle) => (handle.closest("[data-row]") ?? row) === row) ?? /** @type {HTMLElement} */ (row);
}

/** What has a use of its own in a row that is taken anywhere. */
const controls = "a, button, input, select, textarea, label, summary, audio, video, [contenteditable]";

/**
 * The row that somebody takes.
 *
 * @param {any} target Where pointer or focus are.
 * @returns {{list: List, row: HTMLElement, grip: HTMLElement} | undefined}
 */
export function findTaken(target) {
  for (let row = target.closest?.("[data-row]"); row; row = row.parentElement?.closest("[data-row]")) {
    const list = [...lists].find((one) => boxOf(one) === row.parentElement && rowsOf(one).includes(row));
    if (!list) continue;
    const grip = gripOf(row);
    const control = target.closest(controls);
    const isTaken = grip === row ? !control || control.contains(row) : grip.contains(target);
    return isTaken && list.template.getAttribute("aria-disabled") !== "true" ? { list, row, grip } : undefined;
  }
}

/** @type {(rows: Element[]) => boolean} Whether rows stand side by side. */
function isInline(rows) {
  const [first, second] = rows.map((row) => row.getBoundingClientRect());
  return second !== undefined && second.top < first.bottom - 1 && first.top < second.bottom - 1;
}

/** @type {(list: List) => boolean} */
export const isAcross = (list) => isInline(rowsOf(list).slice(0, 2));

/** @type {(list: Element, x: number, y: number) => boolean} Whether a list is there, and no box around it hides that part. */
function isSeenAt(list, x, y) {
  for (let box = list; box && box !== document.body; box = /** @type {Element} */ (box.parentElement)) {
    const { left, right, top, bottom } = box.getBoundingClientRect();
    const isOutside = x < left || x > right || y < top || y > bottom;
    if (isOutside && (box === list || getComputedStyle(box).overflow !== "visible")) return false;
  }
  return true;
}

/**
 * The place that a point means for a row.
 *
 * @param {List} list The one that the row stands in; it stays there while the point is in no other one.
 * @param {List[]} others All that it may go to.
 * @param {Element} row
 * @param {number} x
 * @param {number} y
 * @returns {Place}
 */
export function placeAt(list, others, row, x, y) {
  // The innermost one comes last.
  const target = others.filter((one) => isSeenAt(boxOf(one), x, y)).pop() ?? list;
  const all = rowsOf(target);
  const across = isInline(all.slice(0, 2));
  const isBackward = getComputedStyle(boxOf(target)).direction === "rtl";
  const rows = all.filter((one) => one !== row);
  const isBehind = (/** @type {Element} */ one) => {
    const { left, right, top, bottom } = one.getBoundingClientRect();
    if (!across) return y < (top + bottom) / 2;
    return y < top || (y <= bottom && x < (left + right) / 2 !== isBackward);
  };
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBehind(rows[middle])) high = middle;
    else low = middle + 1;
  }
  return { list: target, before: rows[low] ? idOf(rows[low]) : beforeEnd(target, row) };
}
