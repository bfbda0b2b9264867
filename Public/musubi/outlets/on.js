// @ts-check
// SPDX-License-Identifier: Apache-2.0

/**
 * `data-on-<event>`: an input of the screen. `input` and `change` carry the control's value; `keydown.enter` is the
 * Enter key, unless it confirms a composition.
 *
 * @type {import("../page.js").Attach}
 */
export const attach = (element, context, { argument, name }) => {
  const [type, key] = argument.split(".");
  if (type === "input" || type === "change") return context.more(element, context, { kind: "typed", argument, name });
  return context.listen(type, element, (event) => {
    // Safari ends the composition before it reports the key; 229 is then its only trace.
    if (key && (event.key?.toLowerCase() !== key || event.isComposing || event.keyCode === 229)) return;
    if (type === "submit") event.preventDefault();
    if (element.getAttribute("aria-disabled") !== "true") context.input(element, "tap", name);
  });
};
