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

/** @type {(name: string) => Promise<unknown>} Loads a further file, once. */
export const load = (name) => (files[name] ??= fetchFile(`./musubi-${name}.js`));

/**
 * An outlet in a file of its own, which a page loads once it uses the outlet: `musubi-NAME.js` exports `begin`, as the second
 * file does, and adds the outlet of that name.
 *
 * @param {string} name
 * @returns {Attach}
 */
export const further = (name) => (element, context, binding) => {
  /** @type {(() => void) | void} */
  let stop;
  let isGone = false;
  load(name).then(() => {
    if (!isGone) stop = outlets[name](element, context, binding);
  });
  return () => {
    isGone = true;
    stop?.();
  };
};
