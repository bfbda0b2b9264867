// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { attach, useHost } from "./carets/attach.js";
import { sentences } from "./carets/layer.js";
import { beginning } from "./further-file.js";
import { learn } from "./further-words.js";
import { share } from "./shared.js";

/** The file for `data-bind-carets`, which a page with such a text loads. */
export const begin = beginning((outlets, host, words, values) => {
  share(values);
  learn(words, sentences, host.status);
  useHost(host);
  outlets.carets = attach;
});
