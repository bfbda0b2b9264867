// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { text } from "../further-words.js";
import { boxOf, idOf, rowsOf } from "./lists.js";

/** @type {import("../words.js").Words} The first `{}` is the row's place, the second one how many there are. */
export const sentences = {
  "move-help": { en: "Press Space to move it.", ja: "スペースキーで移動できます。" },
  "move-taken": {
    en: "Taken, place {} of {}. Arrow keys move it, Space drops it, Escape puts it back.",
    ja: "つかみました。{}番目、全{}件。矢印キーで移動、スペースキーで確定、Escキーで取り消します。",
  },
  "move-at": { en: "Place {} of {}.", ja: "{}番目、全{}件。" },
  "move-dropped": { en: "Dropped, place {} of {}.", ja: "{}番目に置きました。全{}件。" },
  "move-back": { en: "Put back, place {} of {}.", ja: "{}番目に戻しました。全{}件。" },
  "move-gone": { en: "It has gone.", ja: "移動中の項目はなくなりました。" },
};

/** The id of what a screen reader reads at a grip. */
export const help = "musubi-move-help";

/** @type {(id: string) => HTMLElement} An element of the client's own for screen readers. */
function element(id) {
  const found = document.getElementById(id);
  if (found) return found;
  const made = document.createElement("p");
  made.id = id;
  made.ariaLive = id === help ? null : "assertive";
  const unseen = { position: "fixed", width: "1px", height: "1px", overflow: "hidden", clipPath: "inset(50%)" };
  Object.assign(made.style, unseen);
  return document.body.appendChild(made);
}

/** Writes what a grip is for, in the page's language. */
export function explain() {
  const made = element(help);
  made.hidden = true;
  made.textContent = text("move-help");
  element("musubi-moves");
}

/** @type {(list: import("./lists.js").List) => string} What people call a list, to tell it from others. */
function nameOf(list) {
  const box = boxOf(list);
  const heading = document.getElementById(box.getAttribute("aria-labelledby") ?? "")?.textContent;
  return box.getAttribute("aria-label") ?? heading?.trim() ?? "";
}

/**
 * Where a row stands in its list, of which the page may have a part.
 *
 * @param {import("./carry.js").Move} move
 * @returns {[number: number | undefined, count: number]} The number of its place; that of the first one is 1.
 */
export function standing({ list, row, to, number, isAbove }) {
  const rows = rowsOf(to.list);
  const at = rows.findIndex((one) => one === row || idOf(one) === idOf(row)) + 1;
  const { told } = to.list.template;
  if (!told) return [at, rows.length];
  if (to.list !== list && rows.includes(row)) return [told.first + at, told.count + 1];
  // A row from above the part leaves its place there.
  return [at ? told.first + at - (isAbove ? 1 : 0) : number, told.count];
}

/**
 * Says where a row stands.
 *
 * @param {string} name The sentence's.
 * @param {import("./carry.js").Move} [move]
 */
export function tell(name, move) {
  const [place, count] = move ? standing(move) : [0, 0];
  const said = text(name, place).replace("{}", count.toLocaleString(document.documentElement.lang || "en"));
  const label = move && nameOf(move.to.list);
  element("musubi-moves").textContent = label ? `${label}: ${said}` : said;
}
