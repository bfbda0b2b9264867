// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { carryTo, current, drop, pickUp, putBack } from "./carry.js";
import { cancel } from "./keys.js";
import { boxOf, findTaken, listsFor, placeAt } from "./lists.js";

/** How far a pointer goes before it takes a row, in CSS pixels, and how long a finger rests for it, in milliseconds. */
const [distance, rest] = [6, 400];
/** How near to an edge a list scrolls, and how far in each frame; CSS pixels. */
const [edge, scrolled] = [40, 10];

/**
 * A pointer that is down at a grip.
 *
 * @typedef {object} Press
 * @property {import("./lists.js").List} list
 * @property {HTMLElement} row
 * @property {number} pointer
 * @property {number} x Where it is.
 * @property {number} y
 * @property {number} dx Where the row is taken, from its corner.
 * @property {number} dy
 * @property {boolean} isReady Whether a movement takes the row: not that of a finger on a row without a handle, which scrolls.
 * @property {any} [timer]
 * @property {boolean} [isCarrying]
 */

/** @type {Press | undefined} */
let pressed;

/** @type {() => void} */
function end() {
  clearTimeout(pressed?.timer);
  if (pressed) pressed.row.style.translate = "";
  pressed = undefined;
}

/** Takes the row. */
function begin() {
  if (!pressed) return;
  pickUp(pressed.list, pressed.row);
  pressed.isCarrying = true;
  getSelection()?.removeAllRanges();
  // The row itself leaves the document for a moment when it changes places, and would lose the pointer.
  document.documentElement.setPointerCapture(pressed.pointer);
  requestAnimationFrame(roll);
  follow();
}

/** Carries the row to where the pointer is, and shows it there. */
function follow() {
  const move = current();
  if (!pressed || !move) return;
  const { row, x, y, dx, dy } = pressed;
  row.style.translate = "";
  carryTo(placeAt(move.to.list, listsFor(move.list, row), row, x, y));
  const { left, top } = row.getBoundingClientRect();
  row.style.translate = `${x - dx - left}px ${y - dy - top}px`;
}

/** Scrolls what the pointer is at the edge of, as long as it carries a row. */
function roll() {
  const move = current();
  if (!pressed?.isCarrying) return;
  if (!move) return end();
  const { x, y } = pressed;
  const way = (/** @type {number} */ at, /** @type {number} */ from, /** @type {number} */ to) =>
    at < from + edge ? -scrolled : at > to - edge ? scrolled : 0;
  const root = document.scrollingElement;
  for (let box = /** @type {Element | null} */ (boxOf(move.to.list)); box; box = box.parentElement) {
    const isRoot = box === root;
    if (!isRoot && !/auto|scroll/.test(getComputedStyle(box).overflow)) continue;
    const { left, top, right, bottom } = isRoot ? new DOMRect(0, 0, innerWidth, innerHeight) : box.getBoundingClientRect();
    /** @type {any} */ (box).scrollBy({ left: way(x, left, right), top: way(y, top, bottom), behavior: "instant" });
  }
  follow();
  requestAnimationFrame(roll);
}

/** @type {(event: PointerEvent) => void} */
function down({ target, button, isPrimary, pointerId, pointerType, clientX: x, clientY: y }) {
  // A press elsewhere ends what the keyboard has begun.
  if (current()) return cancel();
  const found = button || !isPrimary ? undefined : findTaken(target);
  if (!found) return;
  const { left, top } = found.row.getBoundingClientRect();
  const isReady = pointerType !== "touch" || found.grip !== found.row;
  pressed = { ...found, pointer: pointerId, x, y, dx: x - left, dy: y - top, isReady };
  if (!isReady) pressed.timer = setTimeout(begin, rest);
}

/** @type {(event: PointerEvent) => void} */
function move({ pointerId, clientX: x, clientY: y }) {
  if (pressed?.pointer !== pointerId) return;
  const isFar = Math.hypot(x - pressed.x, y - pressed.y) >= distance;
  if (!pressed.isCarrying && !isFar) return;
  if (!pressed.isCarrying && !pressed.isReady) return end();
  [pressed.x, pressed.y] = [x, y];
  if (pressed.isCarrying) follow();
  else begin();
}

/** @type {(event: PointerEvent) => void} */
function up({ pointerId, type }) {
  if (pressed?.pointer !== pointerId) return;
  const { isCarrying } = pressed;
  end();
  if (!isCarrying) return;
  if (type === "pointerup") drop();
  else putBack();
  // What the pointer was let go over was not clicked.
  addEventListener("click", stop, true);
  setTimeout(() => removeEventListener("click", stop, true));
}

/** @type {(event: Event) => void} */
function stop(event) {
  event.preventDefault();
  event.stopPropagation();
}

/** @type {(event: Event) => void} A finger that takes a row does not scroll. */
export const hold = (event) => {
  if ((pressed?.isReady || pressed?.isCarrying) && event.cancelable) event.preventDefault();
};

/** Follows the pointers of the page. */
export function followPointers() {
  document.addEventListener("pointerdown", down);
  addEventListener("pointermove", move);
  addEventListener("pointerup", up);
  addEventListener("pointercancel", up);
  // A text is not selected, a picture not dragged, and a menu not opened by what takes a row.
  for (const type of ["selectstart", "dragstart", "contextmenu"]) {
    document.addEventListener(type, (event) => {
      if (pressed && (type !== "contextmenu" || pressed.isCarrying)) event.preventDefault();
    });
  }
  addEventListener("keydown", (event) => event.key === "Escape" && end(), true);
}
