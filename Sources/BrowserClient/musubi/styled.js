// @ts-check
// SPDX-License-Identifier: Apache-2.0

/**
 * Whether all style sheets apply. WebKit applies none before it has all, with those that they import; a link has its own
 * one sooner. Of one that does not load there is none in the end: the page does not wait for it.
 */
const isStyled = () => {
  const links = /** @type {NodeListOf<HTMLLinkElement>} */ (document.querySelectorAll("link[rel~=stylesheet]"));
  const sheets = [...document.styleSheets];
  return document.readyState === "complete" || [...links].every(({ sheet }) => sheet && sheets.includes(sheet));
};

/**
 * Runs something once the page has its style sheets: only then it is known which box scrolls, and how high a row is.
 * WebKit runs a page's modules before.
 *
 * @param {() => void} run
 * @returns {() => void} Gives it up.
 */
export function onceStyled(run) {
  const control = new AbortController();
  const look = () => {
    if (!isStyled()) return;
    control.abort();
    run();
  };
  // A sheet's own event does not bubble, and does not come to the window.
  for (const target of [document, window]) target.addEventListener("load", look, { capture: true, signal: control.signal });
  look();
  return () => control.abort();
}

/** @type {(element: Element | null) => HTMLElement | undefined} The box inside of the page that scrolls the element. */
export function scrollerOf(element) {
  for (let box = /** @type {HTMLElement | null} */ (element); box && box !== document.body; box = box.parentElement) {
    if (/auto|scroll/.test(getComputedStyle(box).overflowY)) return box;
  }
}
