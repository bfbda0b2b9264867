// @ts-check
// SPDX-License-Identifier: Apache-2.0

/**
 * The ids of a row, or of a page around its rows, which has none to change.
 *
 * @typedef {object} OwnIDs
 * @property {(element: Element) => void} follow An attribute of an element in the row has changed: its ids are the row's.
 * @property {(row: Element, template: HTMLTemplateElement, place: string[]) => OwnIDs} claim Gives a new row of a template
 *   ids of its own, by the lists and rows on the way to it.
 */

/** @typedef {(id: string) => string} Rename What an id of a template is in a row; any other stays as it is. */

/** The attributes that hold ids and nothing else; in fragments the server changes the same ones (`PagePrefix.swift`). */
const naming = new RegExp(
  "^(id|for|list|form|headers|itemref|(popover|interest)target|(command|interest)for|" +
    "aria-(activedescendant|controls|describedby|details|errormessage|flowto|labelledby|owns))$",
);

/** @type {WeakMap<HTMLTemplateElement, Set<string>>} The ids in a template. */
const known = new WeakMap();

/** @type {(template: HTMLTemplateElement) => Set<string>} */
function idsOf(template) {
  const ids = known.get(template) ?? new Set(Array.from(template.content.querySelectorAll("[id]"), ({ id }) => id));
  known.set(template, ids);
  return ids;
}

/** @type {(key: string) => string} A row's key, of letters, digits and `-`; any other unit as a number between two `_`. */
const tokenOf = (key) => key.replace(/[^\w-]|_/g, (unit) => `_${unit.charCodeAt(0).toString(16)}_`);

/**
 * @param {Element[]} elements
 * @param {Rename} rename
 */
function renameAll(elements, rename) {
  for (const element of elements) {
    for (const { name, value } of [...element.attributes]) {
      const address = /href$/.test(name) ? /^(#)(.+)/ : /(url\(\s*["']?#)([^"')\s]+)/g;
      const own = value.replace(naming.test(name) ? /()(\S+)/g : address, (_, before, id) => before + rename(id));
      // A write would tell a custom element, and a style sheet's rules, of a change.
      if (own !== value) element.setAttribute(name, own);
    }
  }
}

/**
 * `name` is `name_7` in the row 7, and `name_7_2` in the row 2 of a list in it. What names an id of the row follows; what
 * names one of the page, or of the row around it, goes on naming that.
 *
 * @param {Rename} [rename] Of the row; none for the page.
 * @returns {OwnIDs}
 */
export const createOwnIDs = (rename) => ({
  follow: (element) => void (rename && renameAll([element], rename)),
  claim(row, template, place) {
    const ids = idsOf(template);
    const keys = place.filter((_, index) => index % 2).map((key) => `_${tokenOf(key)}`).join("");
    /** @type {Rename | undefined} */
    const own = ids.size ? (id) => (ids.has(id) ? id + keys : (rename?.(id) ?? id)) : rename;
    if (own) renameAll([row, ...row.querySelectorAll("*")], own);
    return createOwnIDs(own);
  },
});
