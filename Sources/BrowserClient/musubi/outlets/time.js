// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { together } from "../controls.js";

/** @type {Map<string, Intl.DateTimeFormat>} By language and kind: making one takes as long as making a row of a list. */
const formats = new Map();

/** @type {(lang: string, isDay: boolean) => Intl.DateTimeFormat} */
function formatFor(lang, isDay) {
  const key = `${lang} ${isDay}`;
  const format = formats.get(key) ?? new Intl.DateTimeFormat(
    lang || undefined,
    isDay ? { dateStyle: "long", timeZone: "UTC" } : { dateStyle: "medium", timeStyle: "short" },
  );
  formats.set(key, format);
  return format;
}

/**
 * `data-bind-time` on a `<time>`: a moment as people write it, in the page's language and the browser's time zone;
 * `data-format="date"` makes it a day, which has no time zone. Written again when the page's language changes.
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
    element.textContent = isMoment ? formatFor(lang, isDay).format(moment) : "";
  };
  return together([
    context.watch(name, (next) => {
      value = next;
      show();
    }),
    context.listen("languagechange", /** @type {any} */ (globalThis), show),
  ]);
};
