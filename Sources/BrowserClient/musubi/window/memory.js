// @ts-check
// SPDX-License-Identifier: Apache-2.0

/** Of this kind is what leaves the tab with its visitor: `store.js` looks whose it is. No path of a page has a space. */
const kind = "musubi / window ";

/** @type {() => string | undefined} */
let visitor = () => undefined;

/** @type {(now: typeof visitor) => void} Takes who tells whose page it is. */
export const useVisitor = (now) => void (visitor = now);

/** @type {(name: string) => string} Where the place of a list is kept over a reload and Back. */
const keyOf = (name) => `${kind}${location.pathname}${location.search}:${name}`;

/** @type {(name: string, place: {id: unknown, top: number}) => void} */
export function remember(name, { id, top }) {
  try {
    sessionStorage[keyOf(name)] = JSON.stringify({ id, top: Math.round(top), visitor: visitor() });
  } catch {
    // Without storage a reload begins at the top.
  }
}

/**
 * Keeps the place of a list, if it is to be seen. Where another visitor is now, it forgets the places of all lists, and the words
 * that were looked for there.
 *
 * @param {import("../page.js").Context["shown"]} shown
 * @param {string} name
 * @param {{id: unknown, top: number}} [place]
 */
export function keepPlace({ path }, name, place) {
  if (!path) for (const key of Object.keys(sessionStorage)) if (key.startsWith(kind)) delete sessionStorage[key];
  if (path && place) remember(name, place);
}

/** @type {(name: string) => {id: unknown, top: number} | undefined} */
export function recall(name) {
  try {
    return JSON.parse(sessionStorage[keyOf(name)]);
  } catch {
    // None is kept.
  }
}
