// @ts-check
// SPDX-License-Identifier: Apache-2.0

/** So many frames are shown, and so many characters of each. */
const [maxFrames, maxCharacters] = [100, 400];

/**
 * Shows what goes over the wires of windows, the newest frame at the end.
 *
 * @param {HTMLElement} list
 * @returns {(window: number, isSent: boolean, frame: string) => void} Shows a frame of the first or the second window; 0 is the
 *   only one.
 */
export function createFrames(list) {
  return (window, isSent, frame) => {
    const isAtEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 8;
    // A token is the right to go on with the session: it does not belong into a picture of the page.
    const text = frame.replace(/"token":"[^"]*"/g, '"token":"…"');
    const way = document.createElement("span");
    way.className = `way way-${window}`;
    const which = window ? [`${window} `, `${window}が`] : ["", ""];
    way.append(...inBoth((isSent ? ["sends", "送信"] : ["receives", "受信"]).map((verb, index) => which[index] + verb)));
    const code = Object.assign(document.createElement("code"), {
      textContent: text.length > maxCharacters ? `${text.slice(0, maxCharacters)} …` : text,
    });
    const item = document.createElement("li");
    item.append(way, " ", code);
    list.append(item);
    while (list.children.length > maxFrames) list.firstElementChild?.remove();
    if (isAtEnd) list.scrollTop = list.scrollHeight;
  };
}

/**
 * A text in both languages.
 *
 * @param {string[]} texts
 * @returns {HTMLElement[]}
 */
export const inBoth = (texts) =>
  ["en", "ja"].map((lang, index) => Object.assign(document.createElement("span"), { lang, textContent: texts[index] }));
