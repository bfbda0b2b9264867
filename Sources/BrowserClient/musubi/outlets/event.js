// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { textOf } from "../controls.js";

/** How long a message stays, in milliseconds, unless `data-for` says otherwise. */
const readFor = 6_000;

/**
 * `data-event-text`: shows an event's text for a while. With `role="status"` a screen reader tells it.
 *
 * Every event of the screen also arrives at the document's element, as `musubi:<name>` with the value in `detail`.
 *
 * @type {import("../page.js").Attach}
 */
export const attach = (element, _, { name }) => {
  /** @type {any} */
  let timer;
  const show = (/** @type {any} */ { detail }) => {
    clearTimeout(timer);
    element.textContent = textOf(detail);
    timer = setTimeout(() => (element.textContent = ""), Number(element.dataset.for) || readFor);
  };
  const root = element.ownerDocument.documentElement;
  root.addEventListener(`musubi:${name}`, show);
  return () => root.removeEventListener(`musubi:${name}`, show);
};
