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
 * @param {import("./carets/attach.js").Host & import("./further.js").Host} host
 */
export function begin(build, values, _words, outlets, host) {
  host.requireBuild ?? location.reload();
  host.requireBuild(build, /** @type {any} */ (import.meta).build);
  share(values);
  useHost(host);
  outlets.carets = attach;
}
