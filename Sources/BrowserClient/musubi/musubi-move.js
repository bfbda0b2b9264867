// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { beginning } from "./further-file.js";
import { learn } from "./further-words.js";
import { attach } from "./move/attach.js";
import { sentences } from "./move/tell.js";

/** The file for `data-on-move`, which a page with such a list loads. */
export const begin = beginning((outlets, host, words) => {
  learn(words, sentences, host.status);
  outlets.move = attach;
});
