// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { scrollerOf } from "../styled.js";

/** So far from the end, in pixels, somebody still looks at the end. */
const nearEnd = 8;

/** @type {(box: HTMLElement) => boolean} */
const isAtEnd = (box) => box.scrollHeight - box.scrollTop - box.clientHeight < nearEnd;

/** @type {WeakMap<HTMLElement, number>} Where boxes were scrolled to their ends. */
const ends = new WeakMap();

/** @type {(box: HTMLElement) => void} */
function toEnd(box) {
  box.scrollTop = box.scrollHeight;
  ends.set(box, box.scrollTop);
}

/**
 * Shows the newest rows to whoever has just come, and goes on to show them to whoever looks at them while the box or its
 * list gets another size: it is hidden no more, a phone's keyboard needs its place, or a picture in a row has loaded.
 *
 * @param {HTMLTemplateElement} template The list's.
 * @returns {() => void} Ends it.
 */
export function keepEnd(template) {
  const list = /** @type {HTMLElement} */ (template.parentElement);
  const box = scrollerOf(list);
  if (!box) return () => {};
  // On a smooth way to the end nobody is at the end, and the next row would not be followed.
  box.style.scrollBehavior = "auto";
  // Where a browser has put somebody back to, they stay.
  let isWatched = box.scrollTop === 0;
  let isHidden = false;
  const show = () => {
    isHidden = !box.clientHeight;
    if (isWatched) toEnd(box);
  };
  const look = () => {
    // A hidden box is at no place, and one that has just been shown again where the browser has put it. One that stands where it
    // was put here has another size now. Of both `show` is about to hear.
    if (box.clientHeight && !isHidden) isWatched = isAtEnd(box) || (isWatched && box.scrollTop === ends.get(box));
  };
  const sizes = new ResizeObserver(show);
  sizes.observe(box);
  sizes.observe(list);
  box.addEventListener("scroll", look);
  show();
  return () => {
    sizes.disconnect();
    box.removeEventListener("scroll", look);
  };
}

/**
 * Who looks at the end of a list sees its new rows; for everybody else nothing moves.
 *
 * @param {HTMLTemplateElement} template The list's.
 * @returns {() => void} To be called once the rows have changed.
 */
export function followEnd(template) {
  const list = /** @type {HTMLElement} */ (template.parentElement);
  const box = scrollerOf(list);
  if (!box) return () => {};
  // Some browsers would hold a row by themselves, and others would not.
  box.style.overflowAnchor = "none";
  const wasAtEnd = isAtEnd(box);
  const edge = box.getBoundingClientRect().top;
  const seen = [...list.children].filter((row) => row.getBoundingClientRect().bottom > edge && row !== template);
  const places = seen.map((row) => row.getBoundingClientRect().top);
  return () => {
    const index = seen.findIndex((row) => row.isConnected);
    const settle = () => {
      if (wasAtEnd) toEnd(box);
      else if (index >= 0) box.scrollTop += seen[index].getBoundingClientRect().top - places[index];
    };
    // Behind what the list itself does for the row under the pointer.
    queueMicrotask(settle);
  };
}
