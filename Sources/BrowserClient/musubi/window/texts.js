// @ts-check
// SPDX-License-Identifier: Apache-2.0

/** Two-way texts in rows of long lists: while turns do not tell a text, it is what the page's row shows. */

/** @typedef {import("../screen.js").Screen} Screen */

/** @type {WeakMap<import("../text/texts.js").Texts, Map<string, number>>} How often the page shows each text. */
const countsByTexts = new WeakMap();

/** @type {(screen: Screen) => Map<string, number>} */
function countsOf({ texts }) {
  const found = countsByTexts.get(texts) ?? new Map();
  countsByTexts.set(texts, found);
  return found;
}

/** @type {(screen: Screen) => void} Lets go of texts of rows that the page does not show, if nobody types there. */
function sweep(screen) {
  for (const [key, text] of screen.texts.documents) {
    const { revision, pending } = text.save();
    const isNeeded = revision >= 0 || pending.length || countsOf(screen).get(key);
    if (key.includes(".edited/") && !isNeeded) screen.texts.documents.delete(key);
  }
}

/**
 * The page shows a text.
 *
 * @param {Screen} screen
 * @param {string} key
 * @returns {() => void} To be called when it does no longer.
 */
export function hold(screen, key) {
  const counts = countsOf(screen);
  counts.set(key, (counts.get(key) ?? 0) + 1);
  return () => {
    const left = (counts.get(key) ?? 0) - 1;
    if (left > 0) counts.set(key, left);
    else counts.delete(key);
    sweep(screen);
  };
}

/**
 * The page's row shows a value: its text, unless turns tell that.
 *
 * @param {Screen} screen
 * @param {typeof import("../text/rows.js").become} become
 * @param {string} key
 * @param {unknown} value
 */
export function follow({ texts }, become, key, value) {
  const text = texts.documents.get(key);
  const { revision = 0, server } = text?.save() ?? {};
  if (text && revision < 0 && typeof value === "string" && value !== server) become(text, { server: value, revision });
}
