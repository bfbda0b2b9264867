// @ts-check
// SPDX-License-Identifier: Apache-2.0

/** @typedef {Record<string, Record<string, string>>} Words Sentences by name and language. */

/**
 * The client's own sentences; `DataAttributes.md` says when each is told. `{}` stands for a number, and `-one` at the end of
 * a name for the form that some languages have for one.
 *
 * These may have to be told without the second file, whose `more-words.js` has the others, and other languages.
 *
 * @type {Words}
 */
export const words = {
  "connecting": { en: "Connecting to the server." },
  "offline": { en: "No connection to the server. Trying again." },
  "waiting": { en: "{} changes have not reached the server yet." },
  "waiting-one": { en: "{} change has not reached the server yet." },
  "full": { en: "Too many changes are waiting." },
};

/**
 * A sentence in the page's language: the page's own words, if its status line has them, else the client's, and English
 * if there are none in that language.
 *
 * @param {Pick<Element, "getAttribute">} line The status line: `data-say-offline-de` are words for `<html lang="de">`.
 * @param {string} lang The page's language, such as `ja` or `en-GB`.
 * @param {string} name Of a sentence; any other word is a sentence itself, as the server said it.
 * @param {number} [count]
 * @returns {string}
 */
export function sentence(line, lang, name, count = NaN) {
  const language = /^[a-z]{2,3}\b/i.exec(lang)?.[0].toLowerCase() ?? "en";
  const forms = [`${name}-${new Intl.PluralRules(language).select(count)}`, name];
  /** @type {(tag: string) => (string | null)[]} */
  const own = (tag) => forms.map((form) => line.getAttribute(`data-say-${form}-${tag}`));
  const shipped = (/** @type {string} */ tag) => forms.map((form) => words[form]?.[tag]);
  const text = [...own(lang), ...own(language), ...shipped(language), ...shipped("en"), name].find(Boolean);
  return /** @type {string} */ (text).replace("{}", count.toLocaleString(language));
}
