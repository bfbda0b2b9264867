// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { beginning } from "./further-file.js";
import { attach } from "./select/attach.js";
import { share } from "./shared.js";

/** The file for `data-bind-selected`, which a page with such a list loads. */
export const begin = beginning((outlets, _host, _words, values) => {
  share(values);
  outlets.select = attach;
});
