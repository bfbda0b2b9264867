// @ts-check
// SPDX-License-Identifier: Apache-2.0

/** @typedef {Record<string, import("./page.js").Attach>} Outlets */
/** @typedef {import("./words.js").Words} Words */
/** @typedef {typeof import("./shared.js").shared} Values */

/**
 * What a further file exports as `begin`: it is begun as the second file is, with what that gets. `start` adds the file's outlet.
 *
 * @type {(start: (outlets: Outlets, host: any, words: Words, values: Values) => void) => (build: string, values: Values,
 *   words: Words, outlets: Outlets, host: any, fetchFile: (file: string) => unknown) => void}
 */
export const beginning = (start) => (build, values, words, outlets, host, fetchFile) => {
  const own = /** @type {any} */ (import.meta).build;
  // The second file of this build reloads the page, which has older ones.
  if (build !== own) return void fetchFile(`./musubi-more.js#${own}`);
  start(outlets, host, words, values);
};
