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
export function remember(name, place) {
  try {
    sessionStorage[keyOf(name)] = JSON.stringify({ ...place, visitor: visitor() });
  } catch {
    // Without storage a reload begins at the top.
  }
}

/** Forgets the places of all lists, and the words that were looked for there. */
export function forget() {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(kind)) delete sessionStorage[key];
}

/** @type {(name: string) => {id: unknown, top: number} | undefined} */
export function recall(name) {
  try {
    return JSON.parse(sessionStorage[keyOf(name)]);
  } catch {
    // None is kept.
  }
}
