// @ts-check
// SPDX-License-Identifier: Apache-2.0

/**
 * `data-bind-prop-<name>`: a property of a custom element, such as the rows of a chart. HTML knows no upper-case
 * attribute names, so `data-bind-prop-bar-colours` is `barColours`.
 *
 * @type {import("../page.js").Attach}
 */
export const attach = (element, context, { argument, name }) => {
  const [tag, property] = [element.localName, argument.replace(/-(\w)/g, (_, letter) => letter.toUpperCase())];
  if (!tag.includes("-") || /^(on|inner|outer|srcdoc|style|__|constructor|prototype)/i.test(property)) return;
  // It gets a copy, as the page's own value changes in place. Set earlier, it would hide the setter of a class that comes later.
  const set = (/** @type {any} */ value) => void (element[property] = structuredClone(value));
  return context.watch(name, (value) => void customElements.whenDefined(tag).then(() => set(value)));
};
