// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { attach } from "./window/attach.js";

/**
 * The file for `data-window`, which a page with such a list loads; begun as the second file is.
 *
 * @param {string} build The first file's.
 * @param {unknown} _values
 * @param {unknown} _words
 * @param {Record<string, import("./page.js").Attach>} outlets
 * @param {import("./further.js").Host} host
 */
export function begin(build, _values, _words, outlets, host) {
  host.requireBuild ?? location.reload();
  host.requireBuild(build, /** @type {any} */ (import.meta).build);
  outlets.window = attach;
}
