// @ts-check
// SPDX-License-Identifier: Apache-2.0

/**
 * `data-bind-time` on a `<time>`: a moment as people write it, in the page's language and the browser's time zone.
 *
 * @type {import("../page.js").Attach}
 */
export const attach = (element, context, { name }) =>
  context.watch(name, (value) => {
    const moment = new Date(value);
    const isMoment = value != null && !Number.isNaN(+moment);
    element.dateTime = isMoment ? moment.toISOString() : "";
    const { lang } = element.ownerDocument.documentElement;
    element.textContent = isMoment ? moment.toLocaleString(lang || undefined, { dateStyle: "medium", timeStyle: "short" }) : "";
  });
