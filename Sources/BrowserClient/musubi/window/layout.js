// @ts-check
// SPDX-License-Identifier: Apache-2.0

/**
 * Whether a list has its place in the layout: it has none while another screen lies on top of its own, or its section is hidden.
 * Everything measures nothing there, and a box forgets how far it was scrolled.
 *
 * @param {Element} room Its size changes with that, and with nothing else.
 * @param {() => void} entered The list is laid out, for the first time or again.
 * @param {AbortController} control Ends it.
 * @returns {() => boolean}
 */
export function createLayout(room, entered, { signal }) {
  let isKnown = false;
  const isThere = () => room.getClientRects().length > 0;
  const look = () => {
    const wasKnown = isKnown;
    isKnown = isThere();
    if (isKnown && !wasKnown) entered();
  };
  const observer = new ResizeObserver(look);
  observer.observe(room);
  signal.addEventListener("abort", () => observer.disconnect());
  // A page that nobody sees yet asks for its rows, too.
  queueMicrotask(look);
  // One that comes back stands anywhere before `entered` is called.
  return () => isKnown && isThere();
}

/** @type {(run: () => void, control: AbortController) => void} Runs something when the connection is lost, or there again. */
export function whenLinked(run, { signal }) {
  const observer = new MutationObserver(run);
  observer.observe(document.documentElement, { attributeFilter: ["data-link"] });
  signal.addEventListener("abort", () => observer.disconnect());
}

/** @type {(box: Element, run: () => void, control: AbortController) => void} Runs something when a box has another size. */
export function whenResized(box, run, { signal }) {
  const observer = new ResizeObserver(run);
  observer.observe(box);
  signal.addEventListener("abort", () => observer.disconnect());
}
