// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { createWatchers } from "./page.js";
import { focusHeading } from "./place.js";

/**
 * Shows the dialog that a screen has open: `<dialog data-dialog="name">`, whose names are paths inside its value.
 *
 * An input inside of it that is no typing and no file answers it, and carries the `id` of the value, if there is one, as its row.
 * An answer, Escape, and a click beside it close it; the browser gives the focus back to where it was,
 * and the screen's heading gets it if that has gone meanwhile.
 *
 * @param {HTMLDialogElement} element
 * @param {import("./page.js").Context} context
 * @param {any} value
 * @param {() => void} dismissed The person has closed it; stops it.
 */
export function openDialog(element, context, value, dismissed) {
  const { watch, show } = createWatchers();
  let shown = value;
  const close = () => {
    if (element.open) element.close();
  };
  const opener = element.ownerDocument.activeElement;
  let isPressedBeside = false;
  /** @param {MouseEvent} event */
  const isBeside = ({ target, clientX: x, clientY: y }) => {
    const { left, right, top, bottom } = element.getBoundingClientRect();
    return target === element && (x < left || x > right || y < top || y > bottom);
  };
  /** @param {MouseEvent} event */
  const onPress = (event) => void (isPressedBeside = isBeside(event));
  /** @param {MouseEvent} event */
  const onClick = (event) => {
    // Who marks text beyond the edge lets go beside the dialog, too.
    if (isPressedBeside && isBeside(event)) close();
  };
  show(value);
  const detach = context.attach(element, {
    ...context, isQuestion: true, watch,
    text: () => undefined,
    tooLong: (name, row = rowOf(shown)) => context.tooLong(name, row),
    input(control, kind, name, typed, row = rowOf(shown)) {
      // A file that has arrived is no answer, and others may be on their way behind it.
      if (kind === "tap" && control.getAttribute("data-bind-file") !== name) {
        // The question stays while the page takes no answers.
        if (document.documentElement.hasAttribute("data-full")) return;
        // An answer may ask again: it comes last.
        dismissed();
      }
      context.input(control, kind, name, typed, row);
    },
  });
  element.addEventListener("close", dismissed);
  element.addEventListener("mousedown", onPress);
  element.addEventListener("click", onClick);
  element.showModal();
  return {
    /** @param {any} next */
    show: (next) => show((shown = next)),
    /** Takes it away without telling anybody; browsers tell of a close later. */
    stop() {
      element.removeEventListener("close", dismissed);
      element.removeEventListener("mousedown", onPress);
      element.removeEventListener("click", onClick);
      close();
      detach();
      if (opener && !opener.isConnected) focusHeading(element.parentElement);
    },
  };
}

/** @type {(value: any) => string[]} What an answer is about. */
const rowOf = (value) => (value?.id === undefined ? [] : [String(value.id)]);
