// @ts-check
// SPDX-License-Identifier: Apache-2.0

/**
 * What a tab remembers of a file that has not all arrived; a reload takes the file itself from the page.
 *
 * @typedef {{key: string, path: string, name: string, size: number, date: number, place: string, isLeft?: boolean}} Memory
 */

/** Of this kind is what leaves the tab with its visitor: `store.js` looks whose it is. No path of a page has a space. */
const item = "musubi / files";

/** @type {() => string | undefined} */
let visitor = () => undefined;

/** @type {(now: typeof visitor) => void} Takes who tells whose page it is. */
export const useVisitor = (now) => void (visitor = now);

/** @type {(storage?: Pick<Storage, "getItem">) => Memory[]} */
function all(storage = sessionStorage) {
  try {
    return JSON.parse(storage.getItem(item) ?? "{}").files ?? [];
  } catch {
    // The browser keeps nothing for this page.
    return [];
  }
}

/** @type {(memories: Memory[]) => void} */
function keep(memories) {
  try {
    sessionStorage.setItem(item, JSON.stringify({ visitor: visitor(), files: memories }));
  } catch {
    // Then a reload begins again.
  }
}

/** @type {(key: string, path: string) => Memory[]} What is remembered of a control of a page. */
export const remembered = (key, path) => all().filter((one) => one.key === key && one.path === path);

/** @type {(memory: Memory) => void} */
export function remember(memory) {
  keep([...all().filter(({ place }) => place !== memory.place), memory]);
}

/** The page goes: what comes behind it in the tab has its files now. A copy of the tab, which begins before that, has none. */
export const leave = () => keep(all().map((one) => ({ ...one, isLeft: true })));

/** @type {(place: string | undefined) => void} */
export function forget(place) {
  keep(all().filter((one) => one.place !== place));
}
