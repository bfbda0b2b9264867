// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { attach, sentences } from "./append/attach.js";
import { beginning } from "./further-file.js";
import { learn } from "./further-words.js";

/** The file for `data-append-only`, which a page with such a list loads. */
export const begin = beginning((outlets, host, words) => {
  learn(words, sentences, host.status);
  outlets.append = attach;
});
