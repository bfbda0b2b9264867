// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { scrollerOf } from "../styled.js";

/** What has these keys for itself. */
const typed = "input, select, textarea, [contenteditable]";

/**
 * Home and End of a list: a browser would scroll to where the edge was, and rows come meanwhile.
 *
 * @param {EventTarget} target What hears the keys of the box that scrolls.
 * @param {Element} box
 * @param {() => boolean} isLaidOut Whether the list is: the keys of a page are those of the screen on top.
 * @param {() => void} begin A person wants to an edge.
 * @param {AbortController} control Ends it.
 */
export function createEdges(target, box, isLaidOut, begin, control) {
  const page = document.scrollingElement ?? document.documentElement;
  /** @type {number | undefined} Where the box scrolls to, until the row there has come. */
  let edge;
  const hear = (/** @type {any} */ event) => {
    const isOther = event.defaultPrevented || event.altKey || event.metaKey || event.shiftKey || event.target.closest?.(typed);
    if (isOther || !["Home", "End"].includes(event.key) || (scrollerOf(event.target) ?? page) !== box || !isLaidOut()) return;
    event.preventDefault();
    edge = event.key === "End" ? 1e9 : 0;
    begin();
  };
  target.addEventListener("keydown", hear, control);
  return {
    forget: () => (edge = undefined),
    /** @type {(told: import("./attach.js").Rows, count: number) => number | undefined} The first row to ask for. */
    first: (told, count) => edge && Math.max(0, told.count - count),
    /** Whether the box stands where it is to go: what it tells of is this way, or one from before. */
    isThere: () => edge !== undefined && (edge ? box.scrollTop + box.clientHeight > box.scrollHeight - 2 : box.scrollTop <= 0),
    /** @type {(told: import("./attach.js").Rows) => boolean} Scrolls to the edge, if one is sought. */
    settle({ count, first, rows }) {
      if (edge === undefined) return false;
      box.scrollTop = edge;
      if (edge ? first + rows.length >= count : !first) edge = undefined;
      return true;
    },
  };
}
