// @ts-check
// SPDX-License-Identifier: Apache-2.0

/** @typedef {import("./page.js").Attach} Attach */

/** @type {(file: string) => Promise<unknown>} The first file's way to load another one. */
let fetchFile;
/** @type {Record<string, Attach>} The page's outlets; a file adds its own. */
let outlets;
/** @type {Record<string, Promise<unknown>>} */
const files = {};

/** @type {(fetch: typeof fetchFile, all: typeof outlets) => void} Takes what a page loads and adds files with. */
export const useFiles = (fetch, all) => void ([fetchFile, outlets] = [fetch, all]);

/**
 * An outlet in a file of its own, which a page loads once it uses the outlet. The file exports `begin`, as the second one
 * does, and adds the outlet of that kind.
 *
 * @param {string} file
 * @param {string} kind
 * @returns {Attach}
 */
export const further = (file, kind) => (element, context, binding) => {
  /** @type {(() => void) | void} */
  let stop;
  let isGone = false;
  (files[file] ??= fetchFile(file)).then(() => {
    if (!isGone) stop = outlets[kind](element, context, binding);
  });
  return () => {
    isGone = true;
    stop?.();
  };
};
