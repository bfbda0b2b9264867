// @ts-check
// SPDX-License-Identifier: Apache-2.0

/**
 * `data-bind-time` on a `<time>`: a moment as people write it, in the page's language and the browser's time zone;
 * `data-format="date"` makes it a day, which has no time zone. Written anew when the page's language changes.
 *
 * @type {import("../page.js").Attach}
 */
export const attach = (element, context, { name }) => {
  /** @type {unknown} */
  let value;
  const show = () => {
    const moment = new Date(/** @type {string} */ (value));
    const isMoment = value != null && !Number.isNaN(+moment);
    const { lang } = element.ownerDocument.documentElement;
    const isDay = element.dataset.format === "date";
    element.dateTime = isMoment ? moment.toISOString().slice(0, isDay ? 10 : undefined) : "";
    element.textContent = !isMoment ? "" : isDay
      ? moment.toLocaleDateString(lang || undefined, { dateStyle: "long", timeZone: "UTC" })
      : moment.toLocaleString(lang || undefined, { dateStyle: "medium", timeStyle: "short" });
  };
  const stop = context.watch(name, (next) => {
    value = next;
    show();
  });
  addEventListener("languagechange", show);
  return () => (stop(), removeEventListener("languagechange", show));
};
