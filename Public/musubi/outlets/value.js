// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { attachField } from "../field.js";

/**
 * `data-bind-value`: a control's value, in both directions. If the name is a two-way text and the control one to write
 * in, its edits travel; any other control sends whole values.
 *
 * @type {import("../page.js").Attach}
 */
export const attach = (element, context, { name }) => {
  const initial = element.value;
  /** @type {(() => void) | undefined} */
  let cleanup;
  // Only the first state tells which names are two-way texts; what is typed before it is not lost.
  context.whenReady(() => {
    // Text, textarea, tel, search, url, password, email.
    cleanup = context.text(name) && /^(te|sea|[up]|em)/.test(element.type)
      ? attachField(element, context, name, initial)
      : context.more(element, context, { kind: "whole", argument: initial, name });
  });
  return () => cleanup?.();
};
