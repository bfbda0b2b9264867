// @ts-check
// SPDX-License-Identifier: Apache-2.0

/** @type {(name: string) => string} Where the place of a list is kept over a reload and Back. */
const keyOf = (name) => `musubi:window:${location.pathname}${location.search}:${name}`;

/** @type {(name: string, place: {id: unknown, top: number}) => void} */
export function remember(name, place) {
  try {
    sessionStorage[keyOf(name)] = JSON.stringify(place);
  } catch {
    // Without storage a reload begins at the top.
  }
}

/** Forgets the places of all lists, and the words that were looked for there. */
export function forget() {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith("musubi:window:")) delete sessionStorage[key];
}

/** @type {(name: string) => {id: unknown, top: number} | undefined} */
export function recall(name) {
  try {
    return JSON.parse(sessionStorage[keyOf(name)]);
  } catch {
    // None is kept.
  }
}
