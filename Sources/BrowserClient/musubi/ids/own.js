// @ts-check
// SPDX-License-Identifier: Apache-2.0

/** @typedef {import("../page.js").Attach} Attach */

/** The attributes that hold ids and nothing else; in fragments the server changes the same ones (`PagePrefix.swift`). */
const naming = new RegExp(
  "^(id|list|form|headers|itemref|(popover|interest)target|(command|interest|)for|" +
    "aria-(activedescendant|controls|describedby|details|errormessage|flowto|labelledby|owns))$",
);

/** @type {Set<string>} What the ids of each list of the page begin and end with. */
const taken = new Set();

/** @type {(key: string) => string} A row's key, of letters, digits and `-`; any other unit as a number between two `_`. */
const tokenOf = (key) => key.replace(/[^\w-]|_/g, (unit) => `_${unit.charCodeAt(0).toString(16)}_`);

/** @type {(place: string[]) => string} The rows on the way to a place, of which every other member is a list. */
const keysOf = (place) => place.filter((_, index) => index % 2).map((key) => `_${tokenOf(key)}`).join("");

/**
 * A list whose rows have ids of their own: `name` is `name_7` in its row 7, and `name_7_2` in the row 2 of a list in that row. If
 * another list with an id of its template stands in the same row, or also in none, it adds a number: `name_7__2`. No key ends so.
 *
 * What names an id of the row follows; what names one of the page, or of the row around it, goes on naming that.
 *
 * @type {(each: Attach) => Attach}
 */
export const withOwnIDs = (each) => (template, context, binding) => {
  const { place = [], follow } = context;
  const ids = Array.from(template.content.querySelectorAll("[id]"), ({ id }) => id);
  let [mark, number] = ["", 1];
  const own = () => ids.map((id) => id + keysOf(place) + mark);
  while (own().some(taken.has, taken)) mark = `__${(number += 1)}`;
  own().forEach(taken.add, taken);
  /** @type {import("../page.js").Context["claim"]} */
  const claim = (row, place) => {
    if (!ids.length && !follow) return;
    const keys = keysOf(place) + mark;
    /** @type {(name: string, value: string) => string} */
    const renamed = (name, value) => {
      const address = /href$/.test(name) ? /^(#)(.+)/ : /(url\(\s*["']?#)([^"')\s]+)/g;
      return value.replace(naming.test(name) ? /()(\S+)/g : address, (_, before, id) =>
        before + (ids.includes(id) ? id + keys : (follow?.("id", id) ?? id)));
    };
    for (const element of [row, ...row.querySelectorAll("*")]) {
      for (const { name, value } of [...element.attributes]) {
        const next = renamed(name, value);
        // A write would tell a custom element, and a style sheet's rules, of a change.
        if (next !== value) element.setAttribute(name, next);
      }
    }
    return renamed;
  };
  const stop = each(template, { ...context, claim }, binding);
  return () => {
    stop?.();
    own().forEach(taken.delete, taken);
  };
};
