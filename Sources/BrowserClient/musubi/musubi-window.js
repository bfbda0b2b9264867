// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { reloadOnce } from "./notices.js";
import { attach } from "./window/attach.js";

/**
 * The file for `data-window`, which a page with such a list loads; begun as the second file is.
 *
 * @param {string} build The first file's.
 * @param {unknown} _values
 * @param {unknown} _words
 * @param {Record<string, import("./page.js").Attach>} outlets
 */
export function begin(build, _values, _words, outlets) {
  const own = /** @type {any} */ (import.meta).build;
  if (build !== own) {
    reloadOnce(own);
    throw new Error(build);
  }
  outlets.window = attach;
}
