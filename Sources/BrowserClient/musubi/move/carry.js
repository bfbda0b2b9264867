// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { gripOf, idOf, lists, pathOf, placeOf, rowsOf } from "./lists.js";
import { standing, tell } from "./tell.js";

/** @typedef {import("./lists.js").List} List */
/** @typedef {import("./lists.js").Place} Place */

/**
 * A row that stands elsewhere than the server has it: somebody carries it, or has dropped it there.
 *
 * @typedef {object} Move
 * @property {List} list The list that it is from.
 * @property {HTMLElement} row
 * @property {Place} from
 * @property {Place} to
 * @property {{parent: any, next: Node | null}} [home] Where it stood, while it stands elsewhere.
 * @property {number} [input] The number of the input that tells the server, once it is dropped.
 * @property {boolean} [isDone] Whether that is acknowledged; the turn that answers it may be a moment behind.
 * @property {boolean} [hadFocus] Whether it had the focus when it was dropped.
 * @property {number} [number] The place that it was taken from, counted from 1.
 * @property {boolean} [isKept] Whether the page's part of a long list has no place for it: it was carried far from there.
 * @property {boolean} [isAbove] Whether that place is above the page's part.
 */

/** How often a page looks whether the server has answered; milliseconds. */
const lookEvery = 100;

/** @type {Move[]} The rows that were dropped, and that no answer has come for yet. */
let dropped = [];
/** @type {Move | undefined} The row that somebody carries. */
let carried;
/** @type {Move[]} Rows that were kept and let go of since; they are no longer shown. */
let strays = [];
/** @type {any} */
let looking;

export const current = () => carried;

/** @type {(parent: any, row: HTMLElement, next: Node | null) => void} Puts a row somewhere; it keeps the focus. */
function put(parent, row, next) {
  const focus = /** @type {HTMLElement | null} */ (document.activeElement);
  if (row.parentNode === parent && row.nextSibling === next) return;
  if (parent.moveBefore && row.isConnected && parent.isConnected) parent.moveBefore(row, next);
  else parent.insertBefore(row, next);
  if (!focus || !row.contains(focus)) return;
  if (focus !== document.activeElement) focus.focus({ preventScroll: true });
  // Firefox (153) loses keys until it has laid out a focused element that was moved.
  focus.getClientRects();
}

/** @type {(place: Place, row?: Element) => HTMLElement | undefined} The row that the place is in front of. */
const nextAt = ({ list, before }, row) => rowsOf(list).find((one) => one !== row && idOf(one) === before);

/** @type {(move: Move) => void} Shows a row where it was moved to, unless that place has gone. */
function displace(move) {
  const { row, from, to } = move;
  // Who has only taken it goes where the others take it.
  if (to === from) return;
  const next = to.before === null ? to.list.template : nextAt(to, row);
  // The server has it there already, in an element of its own.
  const other = to.list !== move.list && rowsOf(to.list).find((one) => one !== row && idOf(one) === idOf(row));
  const focus = document.activeElement;
  if (other && move.hadFocus && (focus === document.body || row.contains(focus))) gripOf(other).focus({ preventScroll: true });
  if (!row.isConnected || !next?.isConnected || other) return;
  move.home = { parent: row.parentNode, next: row.nextSibling };
  put(next.parentNode, row, next);
}

/** @type {(move: Move) => void} */
function takeHome(move) {
  if (move.home) put(move.home.parent, move.row, move.home.next);
  move.home = undefined;
}

/** @typedef {Map<string, import("../outlets/each.js").Row>} Rows */

/**
 * Keeps a row that its list's part on the page no longer has, because the list was scrolled, in front of that part or behind it.
 * One whose place the part has was deleted, or moved by somebody else.
 *
 * @param {Move} move
 * @param {Rows} rows
 * @param {Map<string, any>} values
 * @param {{first: number, count: number, rows: unknown[]}} list
 */
function keep(move, rows, values, { first, count, rows: { length } }) {
  const [id, before] = [idOf(move.row), move.to.before];
  const row = rows.get(id);
  if (row?.element !== move.row) return;
  move.isKept = move.isAbove = false;
  if (values.has(id) || (move.to.list === move.list && before !== null && !values.has(before))) return;
  const ids = [...rows.keys()];
  const has = (/** @type {string} */ one) => values.has(one);
  move.isAbove = first > 0 && !ids.slice(0, ids.indexOf(id)).some(has);
  if (!move.isAbove && (first + length >= count || ids.slice(ids.indexOf(id)).some(has))) return;
  move.isKept = true;
  const all = [...values];
  values.clear();
  if (!move.isAbove) all.push([id, row.value]);
  else all.unshift([id, row.value]);
  for (const [key, value] of all) values.set(key, value);
}

/** @type {(move: Move) => void} A kept row that nobody carries any longer has no place on the page. The focus stays there. */
function letGo(move) {
  const { row, to, isKept } = move;
  if (!isKept) return;
  const other = nextAt(to, row) ?? rowsOf(to.list).filter((one) => one !== row).pop();
  if (other && row.contains(document.activeElement)) gripOf(other).focus({ preventScroll: true });
  row.remove();
  strays.push(move);
}

/**
 * Puts all rows where the server has them, before lists change or others are moved.
 *
 * @param {Rows} [rows] Those of a list that changes.
 * @param {Map<string, any>} [values]
 * @param {any} [list] What the server has told of the list.
 * @returns {() => void} Puts them where they were moved to.
 */
export function lift(rows, values, list) {
  const moves = () => [...dropped, ...(carried ? [carried] : [])];
  moves().reverse().forEach(takeHome);
  if (rows && values && list?.rows) {
    const all = [...rows.values()];
    // A list finds its rows where it has left them, unless it was closed.
    strays = strays.filter(({ row, list: own }) => {
      const at = all.findIndex(({ element }) => element === row);
      if (at >= 0) (all[at + 1]?.element ?? own.template).before(row);
      return at < 0 && lists.has(own);
    });
    for (const move of moves()) keep(move, rows, values, list);
  }
  return () => {
    if (carried && !carried.row.isConnected) {
      carried = undefined;
      tell("move-gone");
    }
    moves().forEach(displace);
  };
}

/** @type {(list: List, row: HTMLElement) => void} Somebody takes a row. */
export function pickUp(list, row) {
  const from = placeOf(list, row);
  carried = { list, row, from, to: from };
  [carried.number] = standing(carried);
  row.setAttribute("data-moving", "");
}

/** @type {(to: Place) => void} The row is carried to another place. */
export function carryTo(to) {
  if (!carried || (to.list === carried.to.list && to.before === carried.to.before)) return;
  const again = lift();
  carried.to = to;
  again();
}

/** @type {() => Move | undefined} Nobody carries it any longer; it is back where it was. */
export function putBack() {
  const move = carried;
  const again = lift();
  carried = undefined;
  again();
  move?.row.removeAttribute("data-moving");
  if (move) letGo(move);
  return move;
}

/**
 * Tells the server where the row was dropped. It stays there until the answer has come.
 *
 * @returns {boolean} Whether it stands there; a queue that is full takes no more.
 */
export function drop() {
  if (!carried) return false;
  const { list, row, from, to, isKept } = carried;
  const hadFocus = row.contains(document.activeElement);
  // Others may have moved it meanwhile, or its neighbour.
  const again = lift();
  const { before } = placeOf(list, row);
  again();
  if (to === from || (!isKept && to.list === list && to.before === before)) return Boolean(putBack());
  const { queue } = list.context.openScreen();
  const last = queue.last();
  list.context.input(row, "tap", list.name, { before: to.before, list: pathOf(to.list) }, [idOf(row)]);
  if (queue.last() === last) return !putBack();
  dropped.push({ ...carried, hadFocus, input: queue.last() });
  carried = undefined;
  row.removeAttribute("data-moving");
  looking ??= setInterval(look, lookEvery);
  return true;
}

/** Lets go of the rows whose answer has come: they stand where the server has them. */
function look() {
  const waits = (/** @type {Move} */ { list, input }) =>
    list.context.openScreen().queue.entries().some((entry) => entry.input === input);
  // An acknowledgement comes a moment before its turn.
  const answered = dropped.filter((move) => move.isDone && !waits(move));
  for (const move of dropped) move.isDone = !waits(move);
  if (!answered.length) return;
  const again = lift();
  dropped = dropped.filter((move) => !answered.includes(move));
  again();
  answered.forEach(letGo);
  if (dropped.length) return;
  clearInterval(looking);
  looking = undefined;
}
