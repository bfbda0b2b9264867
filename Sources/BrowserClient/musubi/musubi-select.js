// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { reloadOnce } from "./notices.js";
import { attach } from "./select/attach.js";
import { share } from "./shared.js";

/**
 * The file for `data-bind-selected`, which a page with such a list loads; begun as the second file is.
 *
 * @param {string} build The first file's.
 * @param {typeof import("./shared.js").shared} values
 * @param {unknown} _words
 * @param {Record<string, import("./page.js").Attach>} outlets
 */
export function begin(build, values, _words, outlets) {
  const own = /** @type {any} */ (import.meta).build;
  if (build !== own) {
    reloadOnce(own);
    throw new Error(build);
  }
  share(values);
  outlets.selected = attach;
}
