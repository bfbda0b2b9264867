// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { readControl } from "../controls.js";

/**
 * `data-on-input` and `data-on-change`: an input of the screen that carries the control's value.
 *
 * @type {import("../page.js").Attach}
 */
export const attach = (element, context, { argument: type, name }) =>
  context.listen(type, element, () => {
    const value = readControl(element);
    if (value !== undefined && element.getAttribute("aria-disabled") !== "true") context.input(element, "typed", name, value);
  });
