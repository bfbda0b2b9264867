// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { createCopy } from "./copy.js";
import { createFrames, inBoth } from "./frames.js";

/** The front page's two panes: a note of their own, the line to it, and whether both show the same. */

const find = (/** @type {string} */ selector) => /** @type {any} */ (document.querySelector(selector));
/** @type {HTMLIFrameElement[]} */
const panes = [...document.querySelectorAll("iframe")];
const [slider, cut, kill, same] = ["#delay", "#cut", "#kill", "#same"].map(find);

/** The note's room: the one of the address, or one that nobody else has, for as long as the tab lives. */
function roomOfThisTab() {
  const asked = new URLSearchParams(location.search).get("room");
  if (asked && /^[\w-]{1,64}$/.test(asked)) return asked;
  const made = `try-${[...crypto.getRandomValues(new Uint8Array(9))].map((byte) => byte.toString(36)).join("")}`;
  try {
    const known = sessionStorage.getItem("front room") ?? made;
    sessionStorage.setItem("front room", known);
    return known;
  } catch {
    // Forbidden: the room then lasts as long as the page.
    return made;
  }
}

/** Tells a pane how its line is: both are slow, and only the second one is cut. */
function tell(/** @type {HTMLIFrameElement} */ pane) {
  const isCut = pane === panes[1] && cut.ariaPressed === "true";
  pane.contentWindow?.postMessage({ delay: slider.valueAsNumber, isCut }, location.origin);
}

/** @type {(pane: HTMLIFrameElement) => string | undefined} Its text, once it has one. */
const textOf = ({ contentDocument }) =>
  contentDocument?.querySelector("[data-cloak]") ? undefined : contentDocument?.querySelector("textarea")?.value;

/** What stands between the windows. */
const said = {
  unknown: ["Waiting for both windows", "二つの窓を待っています"],
  yes: ["Both show the same", "どちらも同じ内容です"],
  no: ["On its way …", "送っています…"],
  cut: ["Apart, until you join the line", "回線をつなぐまでは別々です"],
  young: ["It has only just started: wait a moment", "起動したばかりです。少し待ってください"],
  killed: ["Killed. It starts again …", "強制終了しました。再起動しています…"],
};

/** When the server was killed; 0 once the windows are connected again. */
let killed = 0;
/** Until when a server that has only just started is not killed. */
let young = 0;

/** @type {(pane: HTMLIFrameElement) => boolean} Whether it is connected, as far as its line is not cut. */
const isBack = (pane) =>
  pane.contentDocument?.documentElement.dataset.link === "live" || (pane === panes[1] && cut.ariaPressed === "true");

/** Says whether both windows show the same, when that has changed. */
function compare() {
  const [first, second] = panes.map(textOf);
  const isCut = cut.ariaPressed === "true";
  // A pane learns a moment later that its connection has gone.
  if (killed && performance.now() - killed > 1_000 && panes.every(isBack)) killed = 0;
  const isYoung = performance.now() < young;
  kill.disabled = killed > 0 || isYoung;
  const shown = first === undefined || second === undefined ? "unknown" : first === second ? "yes" : isCut ? "cut" : "no";
  const state = killed ? "killed" : isYoung ? "young" : shown;
  if (same.classList.contains(`is-${state}`)) return;
  same.className = `same is-${state}`;
  same.replaceChildren(...inBoth(said[state]));
}

// The brand leads to this page.
find(".brand").ariaCurrent = "page";
const room = roomOfThisTab();
const note = `/note?room=${room}`;
find("#second").href = note;
find("#room").textContent = room;
find("#code").src = `/source/code.svg?screen=note&room=${room}`;
const show = createFrames(find("#frames"));
addEventListener("message", ({ data, source, origin }) => {
  const index = panes.findIndex((one) => one.contentWindow === source);
  if (origin !== location.origin || index < 0) return;
  if (data.frame) show(index + 1, data.isSent, data.frame);
  else tell(panes[index]);
});
// The addresses differ, so that each pane has a session of its own.
for (const [index, pane] of panes.entries()) pane.src = `/pane?room=${room}&pane=${index + 1}`;
slider.addEventListener("input", () => {
  find("#delay-shown").textContent = slider.ariaValueText = `${slider.value} ms`;
  panes.forEach(tell);
});
cut.addEventListener("click", () => {
  cut.ariaPressed = String(cut.ariaPressed !== "true");
  tell(panes[1]);
});
// Only a server that something starts again may be killed: `deploy/run --demo`.
fetch("/demo")
  .then((answer) => answer.json())
  .then(({ canKill }) => (kill.hidden = !canKill));
kill.addEventListener("click", async () => {
  kill.disabled = true;
  // Whoever dies does not answer. One that answers has only just started.
  const isAlive = await fetch("/demo/kill", { method: "POST" }).then(
    () => true,
    () => false,
  );
  killed = isAlive ? 0 : performance.now();
  young = isAlive ? performance.now() + 3_000 : 0;
});
createCopy(() => new URL(note, location.href).href);
setInterval(compare, 200);
