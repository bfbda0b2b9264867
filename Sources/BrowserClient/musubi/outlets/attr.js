// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { textOf } from "../controls.js";

/** What a server may set beside `aria-`: nothing that runs a script, loads a document or escapes the style sheet. */
const allowed = [
  "alt", "data-tone", "datetime", "height", "href", "lang", "max", "maxlength",
  "min", "placeholder", "points", "role", "src", "step", "title", "transform", "value", "width",
];

/** Elements that take their address for code or for the base of the page. */
const refused = ["base", "embed", "iframe", "link", "object", "script"];

/**
 * Whether an address may be put into a page: `javascript:` and `data:` may not.
 *
 * @param {string} address
 * @param {string} base
 * @returns {boolean}
 */
export function isSafeAddress(address, base) {
  try {
    return ["http:", "https:", "mailto:", "tel:"].includes(new URL(address, base).protocol);
  } catch {
    return false;
  }
}

/**
 * `data-bind-attr-<name>`: an attribute from the list above; false and null take it away.
 *
 * @type {import("../page.js").Attach}
 */
export const attach = (element, context, { argument, name }) => {
  const isAddress = argument === "href" || argument === "src";
  const isAria = argument.startsWith("aria-");
  if (!(isAria || allowed.includes(argument)) || (isAddress && refused.includes(element.localName.toLowerCase()))) return;
  return context.watch(name, (value) => {
    // "false" means something to assistive technology; elsewhere it means that there is no such attribute.
    const isAway = value == null || (value === false && !isAria);
    const text = textOf(value);
    if (isAway || (isAddress && !isSafeAddress(text, element.baseURI))) element.removeAttribute(argument);
    else element.setAttribute(argument, context.follow?.(argument, text) ?? text);
  });
};
