// @ts-check
// SPDX-License-Identifier: Apache-2.0

/**
 * Keeps the focus in a long list whose row goes because the person scrolls: the box has it then, so that its keys go on, and
 * no other row, which nobody has chosen.
 *
 * @param {HTMLElement} box What scrolls, or the list if that is the page.
 * @param {Element[]} rows Those that are here; none if one is deleted now, which leaves its focus to its neighbour.
 * @returns {() => void} To be called once others are here.
 */
export function keepFocus(box, rows) {
  const focus = box.ownerDocument.activeElement;
  const row = rows.find((one) => one.contains(focus));
  return () => {
    if (!row || row.isConnected) return;
    if (!box.hasAttribute("tabindex")) {
      box.tabIndex = -1;
      // Where a browser has boxes that scroll among what Tab reaches, it stays there.
      box.addEventListener("blur", () => box.removeAttribute("tabindex"), { once: true });
    }
    box.focus({ preventScroll: true });
  };
}
