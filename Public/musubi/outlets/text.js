// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { textOf } from "../controls.js";

/**
 * `data-bind-text`: the element's text.
 *
 * @type {import("../page.js").Attach}
 */
export const attach = (element, context, { name }) =>
  context.watch(name, (value) => {
    element.textContent = textOf(value);
  });
