// @ts-check
// SPDX-License-Identifier: Apache-2.0

/** The controls of a row that can have the focus. */
const controls = "a[href], button, input, select, textarea, [tabindex]";

/** @type {(box: Element | Window, to: {top: number, left?: number}) => void} Scrolls at once, also where that is to be smooth. */
export const scroll = (box, to) => box.scrollTo(/** @type {any} */ ({ ...to, behavior: "instant" }));

/**
 * Gives the focus to a heading, from which a screen reader goes on.
 *
 * @param {ParentNode | null | undefined} root A part of the page; without a heading in it, the page's first one.
 */
export function focusHeading(root) {
  const heading = root?.querySelector("h1") ?? document.querySelector("h1") ?? document.body;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}

/**
 * Keeps a person's place while the rows of a list change: a row under the pointer stays where it is, and the focus of a
 * row that goes passes to the same control of the next row, or of the last one. Nobody goes on typing or choosing in another row.
 *
 * @param {Element} list
 * @returns {() => void} To be called once the rows have changed.
 */
export function keepPlace(list) {
  const passFocus = keepFocus(list);
  const pointed = list.querySelector(":scope > :hover");
  const { top = 0 } = pointed?.getBoundingClientRect() ?? {};
  const before = new Set(pointed && list.children);
  return () => {
    passFocus();
    if (!pointed?.isConnected || !matchMedia("(hover: hover)").matches) return;
    // Where the style sheet skips rows that are out of sight, the size of a new one is an estimate only.
    for (const row of /** @type {Iterable<any>} */ (list.children)) if (!before.has(row)) row.style.contentVisibility = "visible";
    hold(list, pointed, top);
  };
}

/** @param {Element} list */
function keepFocus(list) {
  const focus = list.ownerDocument.activeElement;
  const rows = focus && list.contains(focus) ? [...list.children] : [];
  const place = rows.findIndex((row) => row.contains(focus));
  // Of a number or a date no browser tells where the caret is.
  const isSet = focus?.matches(":read-write, select, [type=range]");
  const control = isSet ? -1 : [...(rows[place]?.querySelectorAll(controls) ?? [])].indexOf(/** @type {Element} */ (focus));
  return () => {
    if (place < 0) return;
    // Firefox (153) loses keys until it has laid out a focused element that was moved.
    if (rows[place].isConnected) return void (/** @type {Element} */ (focus).getClientRects());
    // A long list that was scrolled has it in its box already.
    const { activeElement, body } = list.ownerDocument;
    if (activeElement?.isConnected && activeElement !== body) return;
    const candidates = [...rows.slice(place), ...rows.slice(0, place).reverse()];
    // The room of a long list, and the gap for a row that is carried, are no rows.
    const next = candidates.find((row) => row.isConnected && row.hasAttribute("data-row"));
    const target = /** @type {HTMLElement | undefined} */ (next?.querySelectorAll(controls)[control]);
    if (target) target.focus({ preventScroll: true });
    else focusHeading(list.closest("main"));
  };
}

/** @type {Map<any, Element>} Lists with room above their rows, each with the row that it keeps in its place. */
const roomy = new Map();

/** The page moves, and takes with it as much of the room as it can, so that the view moves as the person wants it to. */
const shrink = () => {
  for (const [list, row] of [...roomy]) {
    const kept = row.isConnected ? row : list.lastElementChild;
    hold(list, kept, kept.getBoundingClientRect().top);
  }
};

/** Nobody points at anything that could move away. */
const clear = () => {
  for (const list of roomy.keys()) list.style.paddingTop = "";
  roomy.clear();
};

/**
 * Scrolls until a row is where it was. Where the page is too short for it, it gets room: below, or above the rows until
 * the person scrolls. If that room went when the pointer leaves the rows, a button below would move away under it.
 *
 * @param {any} list
 * @param {Element} row
 * @param {number} top
 */
function hold(list, row, top) {
  const { body, documentElement, scrollingElement: root } = document;
  const shift = () => row.getBoundingClientRect().top - top;
  list.style.paddingTop = "";
  roomy.delete(list);
  for (let box = list; box && Math.abs(shift()) >= 1; box = box.parentElement) scroll(box, { top: box.scrollTop + shift() });
  if (shift() >= 1 && root) {
    body.style.paddingBottom = `${root.clientHeight}px`;
    scroll(root, { top: root.scrollTop + shift() });
    const spare = root.scrollHeight - root.scrollTop - root.clientHeight;
    body.style.paddingBottom = `${Math.max(0, root.clientHeight - spare)}px`;
  } else if (shift() <= -1) {
    list.style.paddingTop = `${parseFloat(getComputedStyle(list).paddingTop) - shift()}px`;
    roomy.set(list, row);
    document.addEventListener("scroll", shrink, { capture: true, passive: true });
    documentElement.addEventListener("pointerleave", clear);
  }
}
