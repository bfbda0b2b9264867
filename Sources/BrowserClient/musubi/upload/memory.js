// @ts-check
// SPDX-License-Identifier: Apache-2.0

/**
 * What a tab remembers of a file that has not all arrived; a reload takes the file itself from the page.
 *
 * @typedef {{key: string, path: string, name: string, size: number, date: number, place: string}} Memory
 */

const item = "musubi files";

/** @type {(storage?: Pick<Storage, "getItem">) => Memory[]} */
function all(storage = sessionStorage) {
  try {
    return JSON.parse(storage.getItem(item) ?? "[]");
  } catch {
    // The browser keeps nothing for this page.
    return [];
  }
}

/** @type {(memories: Memory[]) => void} */
function keep(memories) {
  try {
    sessionStorage.setItem(item, JSON.stringify(memories));
  } catch {
    // Then a reload begins again.
  }
}

/** @type {(key: string) => Memory[]} What is remembered of a control of this page. */
export const remembered = (key) => all().filter((one) => one.key === key && one.path === location.pathname);

/** @type {(memory: Omit<Memory, "path">) => void} */
export function remember(memory) {
  keep([...all().filter(({ place }) => place !== memory.place), { ...memory, path: location.pathname }]);
}

/** @type {(place: string | undefined) => void} */
export function forget(place) {
  keep(all().filter((one) => one.place !== place));
}
