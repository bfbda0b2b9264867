// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { carryTo, current, drop, pickUp, putBack } from "./carry.js";
import { beforeEnd, boxOf, findTaken, idOf, isAcross, listsFor, rowsOf } from "./lists.js";
import { tell } from "./tell.js";

/** @type {(steps: number) => void} Carries the row past others of its list. */
function step(steps) {
  const move = current();
  if (!move) return;
  const { list } = move.to;
  const rows = rowsOf(list).filter((row) => row !== move.row);
  const at = Math.max(0, Math.min(rows.length, rowsOf(list).indexOf(move.row) + steps));
  carryTo({ list, before: rows[at] ? idOf(rows[at]) : beforeEnd(list, move.row) });
}

/** @type {(steps: number) => void} Carries the row to a list beside its own, as far down as it is. */
function change(steps) {
  const move = current();
  if (!move) return;
  const lists = listsFor(move.list, move.row);
  const list = lists[lists.indexOf(move.to.list) + steps];
  const next = list && rowsOf(list)[rowsOf(move.to.list).indexOf(move.row)];
  if (list) carryTo({ list, before: next ? idOf(next) : beforeEnd(list, move.row) });
}

/**
 * An arrow along the list goes past a row; one across it goes to another list, if there is one.
 *
 * @type {(key: string) => void}
 */
function follow(key) {
  const move = current();
  if (!move) return;
  const isSideways = key === "ArrowLeft" || key === "ArrowRight";
  const isBackward = isSideways && getComputedStyle(boxOf(move.to.list)).direction === "rtl";
  const steps = (key === "ArrowLeft" || key === "ArrowUp") !== isBackward ? -1 : 1;
  const hasOthers = listsFor(move.list, move.row).length > 1;
  if (key === "Home") step(-Infinity);
  else if (key === "End") step(Infinity);
  else if (hasOthers && isSideways !== isAcross(move.to.list)) change(steps);
  else step(steps);
  move.row.scrollIntoView({ block: "nearest", inline: "nearest" });
  tell("move-at", move);
}

/** @type {Record<string, () => void>} */
const keys = {
  " ": finish,
  "Enter": finish,
  "Escape": cancel,
  // The focus goes on, from where the row was.
  "Tab": cancel,
};

/** Drops the row. */
export function finish() {
  const move = current();
  if (move) drop() ? tell("move-dropped", move) : tell("move-back", { ...move, to: move.from });
}

/** Puts the row back. */
export function cancel() {
  const move = putBack();
  if (move) tell("move-back", { ...move, to: move.from });
}

/** @type {(event: KeyboardEvent) => void} */
export function press(event) {
  const { key, target } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const move = current();
  if (!move) {
    const found = findTaken(target);
    // Enter may have another use in a row; a handle has none.
    if (found?.grip !== target || !found || (key !== " " && (key !== "Enter" || found.grip === found.row))) return;
    pickUp(found.list, found.row);
    tell("move-taken", current());
  } else if (/^(Arrow|Home$|End$)/.test(key)) follow(key);
  else if (keys[key]) keys[key]();
  else return;
  if (key !== "Tab") event.preventDefault();
  event.stopPropagation();
}
