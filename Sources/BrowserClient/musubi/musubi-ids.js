// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { withOwnIDs } from "./ids/own.js";

/**
 * The file for ids in the rows of lists, which a page with such rows loads; begun as the second file is.
 *
 * @param {string} build The first file's.
 * @param {unknown} _values
 * @param {unknown} _words
 * @param {Record<string, import("./page.js").Attach>} outlets
 * @param {unknown} _host
 * @param {(file: string) => unknown} fetchFile
 */
export function begin(build, _values, _words, outlets, _host, fetchFile) {
  if (build !== /** @type {any} */ (import.meta).build) {
    // The second file of this build reloads the page, which has older ones.
    return void fetchFile(`./musubi-more.js#${/** @type {any} */ (import.meta).build}`);
  }
  // From now on no list waits, one in a row of another least of all: a row is to have its height at once.
  outlets.ids = outlets["bind-each"] = withOwnIDs(outlets["bind-each"]);
}
