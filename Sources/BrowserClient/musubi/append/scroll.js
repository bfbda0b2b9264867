// @ts-check
// SPDX-License-Identifier: Apache-2.0

/** So far from the end, in pixels, somebody still looks at the end. */
const nearEnd = 8;

/** @type {(element: Element | null) => HTMLElement | undefined} The box inside of the page that scrolls the element. */
function scrollerOf(element) {
  for (let box = /** @type {HTMLElement | null} */ (element); box && box !== document.body; box = box.parentElement) {
    if (/auto|scroll/.test(getComputedStyle(box).overflowY)) return box;
  }
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
  const isAtEnd = box.scrollHeight - box.scrollTop - box.clientHeight < nearEnd;
  const edge = box.getBoundingClientRect().top;
  const seen = [...list.children].filter((row) => row.getBoundingClientRect().bottom > edge && row !== template);
  const places = seen.map((row) => row.getBoundingClientRect().top);
  return () => {
    const index = seen.findIndex((row) => row.isConnected);
    const settle = () => {
      if (isAtEnd) box.scrollTop = box.scrollHeight;
      else if (index >= 0) box.scrollTop += seen[index].getBoundingClientRect().top - places[index];
    };
    // Behind what the list itself does for the row under the pointer.
    queueMicrotask(settle);
  };
}
