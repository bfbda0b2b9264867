// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { control } from "./upload/upload.js";

/**
 * The file for `data-bind-file`, which a page with such a control loads; begun as the second file is.
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
  outlets.upload = (element, _, binding) => control(element, /** @type {any} */ (binding).files);
}
