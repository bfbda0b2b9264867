// @ts-check
// SPDX-License-Identifier: Apache-2.0

/**
 * `data-on-<event>`: an input of the screen. Anything beyond a tap (values, keys, links) lies in the second file.
 *
 * @type {import("../page.js").Attach}
 */
export const attach = (element, context, { argument, name }) =>
  (argument === "click" || argument === "submit") && element.tagName !== "A"
    ? context.listen(argument, element, (event) => {
        if (argument === "submit") event.preventDefault();
        if (element.getAttribute("aria-disabled") !== "true") context.input(element, "tap", name);
      })
    : context.more(element, context, { kind: "typed", argument, name });
