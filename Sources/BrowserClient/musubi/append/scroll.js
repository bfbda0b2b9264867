// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { scrollerOf } from "../styled.js";

/** So far from the end, in pixels, somebody still looks at the end. */
const nearEnd = 8;

/** @type {(template: HTMLTemplateElement) => void} Shows the newest rows to whoever has just come. */
export function showEnd({ parentElement }) {
  const box = scrollerOf(parentElement);
  if (box?.scrollTop === 0) box.scrollTop = box.scrollHeight;
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
