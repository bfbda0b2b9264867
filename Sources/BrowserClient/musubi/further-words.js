// @ts-check
// SPDX-License-Identifier: Apache-2.0

/** @type {(name: string, count?: number) => string} A sentence in the page's language. */
export let text = (name) => name;

/** @type {(words: import("./words.js").Words, own: typeof words, status: {text: typeof text}) => void} Adds a file's own ones. */
export function learn(words, own, status) {
  Object.assign(words, own);
  ({ text } = status);
}
