// @ts-check
// SPDX-License-Identifier: Apache-2.0

/** Two-way texts in rows of long lists: while turns do not tell a text, it is what the page's row shows. */

/** @typedef {import("../screen.js").Screen} Screen */
/** @typedef {Screen["texts"] & {held?: Map<string, number>}} Texts With the texts that the page shows, and how often. */

/**
 * The page shows a text.
 *
 * @param {Screen} screen
 * @param {string} key
 * @returns {() => void} To be called when it does no longer.
 */
export function hold(screen, key) {
  const texts = /** @type {Texts} */ (screen.texts);
  const held = (texts.held ??= new Map());
  held.set(key, (held.get(key) ?? 0) + 1);
  return () => {
    const left = (held.get(key) ?? 0) - 1;
    if (left > 0) return void held.set(key, left);
    held.delete(key);
    // Nobody edits it, and nobody has typed here.
    const content = texts.documents.get(key)?.save();
    if (content && content.revision < 0 && !content.pending.length) texts.documents.delete(key);
  };
}

/**
 * The page's row shows a value: its text, unless turns tell that, or somebody has typed here: a row may be ahead of the turns, so
 * that nobody knows whether it has what was typed.
 *
 * @param {Screen} screen
 * @param {typeof import("../text/rows.js").become} become
 * @param {string} key
 * @param {unknown} value
 */
export function follow({ texts }, become, key, value) {
  const text = texts.documents.get(key);
  if (!text || typeof value !== "string") return;
  const { revision, server, pending } = text.save();
  if (revision < 0 && !pending.length && value !== server) become(text, { server: value, revision });
}

/**
 * The texts of a list's rows on the page.
 *
 * @param {import("../page.js").Context} context
 * @param {typeof import("../text/rows.js").become} become
 */
export function holdTexts(context, become) {
  /** @type {{element: Element, check: () => void, release: () => void}[]} */
  let texts = [];
  return {
    /** @type {(key: string, element: Element, read: () => unknown) => void} */
    hold(key, element, read) {
      const screen = context.openScreen();
      const check = () => follow(screen, become, key, read());
      texts.push({ element, check, release: hold(screen, key) });
      check();
    },
    /** Has the texts follow their rows, and lets go of those whose rows have left their list. The list may be out of sight. */
    follow() {
      for (const { element, check, release } of texts) (element.parentNode ? check : release)();
      texts = texts.filter(({ element }) => element.parentNode);
    },
    release: () => texts.forEach(({ release }) => release()),
  };
}
