// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { beginning } from "./further-file.js";
import { useVisitor } from "./upload/memory.js";
import { control } from "./upload/upload.js";
import { sentences } from "./upload/words.js";

/** The file for `data-bind-file`, which a page with such a control loads. */
export const begin = beginning((outlets, { session }, words) => {
  useVisitor(() => session.save()?.visitor);
  Object.assign(words, sentences);
  outlets.upload = (element, _, binding) => control(element, /** @type {any} */ (binding).files);
});
