// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { onceStyled } from "./styled.js";
import { attach } from "./window/attach.js";

/**
 * The file for `data-window`, which a page with such a list loads; begun as the second file is.
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
  outlets.window = (...parameters) => {
    /** @type {(() => void) | void} */
    let stop;
    const giveUp = onceStyled(() => void (stop = attach(...parameters)));
    return () => {
      giveUp();
      stop?.();
    };
  };
}
