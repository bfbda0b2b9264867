// @ts-check
// SPDX-License-Identifier: Apache-2.0

/**
 * Whether all style sheets apply. WebKit applies none before it has all, with those that they import; a link has its own one
 * sooner. Of one that does not load there is none in the end: the page does not wait for it.
 */
const isStyled = () => {
  const links = /** @type {NodeListOf<HTMLLinkElement>} */ (document.querySelectorAll("link[rel~=stylesheet]"));
  const sheets = [...document.styleSheets];
  return document.readyState === "complete" || [...links].every(({ sheet }) => sheet && sheets.includes(sheet));
};

/**
 * Attaches an outlet once the page has its style sheets: only then it is known which box scrolls, and how high a row is. WebKit
 * runs a page's modules before.
 *
 * @type {(attach: import("../page.js").Attach) => import("../page.js").Attach}
 */
export const whenStyled = (attach) => (element, context, binding) => {
  /** @type {(() => void) | void} */
  let stop;
  const control = new AbortController();
  const look = () => {
    if (!isStyled()) return;
    control.abort();
    stop = attach(element, context, binding);
  };
  // A sheet's own event does not bubble, and does not come to the window.
  for (const target of [document, window]) target.addEventListener("load", look, { capture: true, signal: control.signal });
  look();
  return () => {
    control.abort();
    stop?.();
  };
};
