// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { attach, useHost } from "./carets/attach.js";
import { share } from "./shared.js";

/**
 * The file for `data-bind-carets`, which a page with such a field loads; begun as the second file is.
 *
 * @param {string} build The first file's.
 * @param {typeof import("./shared.js").shared} values
 * @param {unknown} _words
 * @param {Record<string, import("./page.js").Attach>} outlets
 * @param {import("./carets/attach.js").Host} host
 * @param {(file: string) => unknown} fetchFile
 */
export function begin(build, values, _words, outlets, host, fetchFile) {
  if (build !== /** @type {any} */ (import.meta).build) {
    // The second file of this build reloads the page, which has older ones.
    return void fetchFile(`./musubi-more.js#${/** @type {any} */ (import.meta).build}`);
  }
  share(values);
  useHost(host);
  outlets.carets = attach;
}
