// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { beginning } from "./further-file.js";

/** @typedef {import("./stack.js").Host} Host */
/** @typedef {Pick<Performance, "now">} Clock */

/** How often an open panel measures, and how long it waits for an answer; milliseconds. */
const [measuredEvery, patience] = [2_000, 10_000];
/** The numbers of the first pings are the connection's and the session's own. */
const firstPing = 2;

/** @type {import("./words.js").Words} */
const sentences = {
  "connection": { en: "Connection", ja: "接続" },
  "round-trip": { en: "Round trip", ja: "往復時間" },
  "last-heard": { en: "Last synchronisation", ja: "最後の同期" },
  "to-send": { en: "Waiting to be sent", ja: "送信待ち" },
  "milliseconds": { en: "{} ms", ja: "{}ミリ秒" },
  "changes": { en: "{} changes", ja: "{}件" },
  "changes-one": { en: "{} change" },
  "no-changes": { en: "Nothing", ja: "なし" },
  "no-answer": { en: "No answer", ja: "応答なし" },
  "unheard": { en: "Not yet", ja: "まだありません" },
};

/**
 * Listens to the session, and measures how long the server takes to answer.
 *
 * @param {Pick<Host, "session" | "connection" | "status">} host
 * @param {Clock} clock
 */
export function createMeter({ session, connection, status }, clock = performance) {
  const isLive = () => status.link() === "live";
  /** @type {number | undefined} */
  let heardAt = isLive() ? clock.now() : undefined;
  /** @type {number | undefined} */
  let roundTrip;
  let [ping, askedAt] = [firstPing - 1, -Infinity];
  let isAnswered = true;
  const { receive } = session;
  // The first file calls it by the session, so that it can be listened to here.
  session.receive = (frame) => {
    receive(frame);
    heardAt = clock.now();
    if (frame.pong !== ping || isAnswered) return;
    isAnswered = true;
    roundTrip = heardAt - askedAt;
  };
  return {
    /** Asks the server for an answer, unless one is still on its way. A page that is not live has other things to ask. */
    measure() {
      if (!isLive()) return void (isAnswered = true);
      if (!isAnswered && clock.now() - askedAt < patience) return;
      [askedAt, isAnswered] = [clock.now(), false];
      connection.send({ ping: (ping += 1) });
    },
    /** @returns {{roundTrip?: number, sinceHeard?: number, waiting: number}} Times in milliseconds. */
    read: () => ({
      roundTrip: isLive() && (isAnswered || clock.now() - askedAt < patience) ? roundTrip : undefined,
      sinceHeard: heardAt === undefined ? undefined : clock.now() - heardAt,
      waiting: session.queue.changes(),
    }),
  };
}

/**
 * A time that has passed, in words of the language: "now", "3 seconds ago".
 *
 * @param {number} ms
 * @param {string} language
 * @returns {string}
 */
export function ago(ms, language) {
  const format = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
  const seconds = Math.floor(ms / 1000);
  return seconds < 60 ? format.format(-seconds, "second") : format.format(-Math.floor(seconds / 60), "minute");
}

/**
 * The panel's lines: what it tells, and how it stands.
 *
 * @param {ReturnType<ReturnType<typeof createMeter>["read"]>} reading
 * @param {(name: string, count?: number) => string} text
 * @param {string} language
 * @returns {[string, string][]}
 */
export const linesOf = ({ roundTrip, sinceHeard, waiting }, text, language) => [
  [text("round-trip"), roundTrip === undefined ? text("no-answer") : text("milliseconds", Math.round(roundTrip))],
  [text("last-heard"), sinceHeard === undefined ? text("unheard") : ago(sinceHeard, language)],
  [text("to-send"), waiting ? text("changes", waiting) : text("no-changes")],
];

/**
 * The panel of a button. It takes the focus when it opens, so that a screen reader reads it once; what changes later is
 * read by who looks there again.
 *
 * @param {HTMLElement & {popoverTargetElement?: Element | null, disabled?: boolean}} button
 * @param {Host} host
 * @param {ReturnType<typeof createMeter>} meter
 */
function attachPanel(button, { status }, meter) {
  const root = document.documentElement;
  const list = document.createElement("dl");
  const cells = Array.from({ length: 6 }, (_, index) => list.appendChild(document.createElement(index % 2 ? "dd" : "dt")));
  const panel = Object.assign(document.createElement("div"), { className: "musubi-connection", popover: "auto", role: "dialog" });
  list.id = `musubi-connection-${document.querySelectorAll(".musubi-connection").length}`;
  panel.setAttribute("aria-describedby", list.id);
  panel.append(list);
  panel.tabIndex = -1;
  panel.autofocus = true;
  button.after(panel);
  const draw = () => {
    panel.ariaLabel = status.text("connection");
    linesOf(meter.read(), status.text, root.lang || "en").flat().forEach((words, index) => {
      if (cells[index].textContent !== words) cells[index].textContent = words;
    });
  };
  const look = () => {
    meter.measure();
    draw();
  };
  /** @type {any} */
  let timers = [];
  panel.addEventListener("beforetoggle", (/** @type {any} */ { newState }) => {
    timers.forEach(clearInterval);
    if (newState !== "open") return;
    place(panel, button.getBoundingClientRect());
    look();
    timers = [setInterval(draw, 250), setInterval(look, measuredEvery)];
  });
  // The answer is there when the panel opens.
  for (const type of ["pointerenter", "focus"]) button.addEventListener(type, meter.measure);
  button.popoverTargetElement = panel;
}

/** @type {(panel: HTMLElement, at: DOMRect) => void} Below the button, or above one in the lower half. */
function place(panel, at) {
  const isLow = at.top > innerHeight / 2;
  Object.assign(panel.style, {
    inset: "auto", margin: "0", width: "min(18rem, 100vw - 2rem)",
    left: `max(1rem, min(${at.right}px - 18rem, 100vw - 19rem))`,
    [isLow ? "bottom" : "top"]: `${8 + (isLow ? innerHeight - at.top : at.bottom)}px`,
  });
}

/** @type {WeakSet<Element>} The buttons that have their panels. */
const attached = new WeakSet();
/** @type {ReturnType<typeof createMeter> | undefined} */
let meter;

/** Gives each `data-connection` of the page its panel; a page with that attribute loads it. */
export const begin = beginning((_outlets, /** @type {Host} */ host, words) => {
  Object.assign(words, sentences);
  meter ??= createMeter(host);
  for (const button of /** @type {NodeListOf<any>} */ (document.querySelectorAll("[data-connection]"))) {
    if (attached.has(button)) continue;
    attached.add(button);
    // A browser without popovers: nothing would come of a press.
    if ("popover" in button) attachPanel(button, host, meter);
    else button.disabled = true;
  }
});
