// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { screen } from "/musubi.js";
import { createCopy } from "./copy.js";
import { createFrames } from "./frames.js";

/** A screen (`?screen=note`) in a frame, and beside it its four files in tabs, by pointer and by the arrow keys. */

/** @type {HTMLElement[]} */
const tabs = [...document.querySelectorAll("[role=tab]")].map((tab) => /** @type {any} */ (tab));
const find = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
const pane = /** @type {HTMLIFrameElement} */ (document.querySelector("iframe"));
const screenName = new URLSearchParams(location.search).get("screen") ?? "";

/** @type {(files: {part: string, path: string, text: string}[]) => void} */
function show(files) {
  const choose = (/** @type {HTMLElement} */ chosen) => {
    for (const tab of tabs) {
      tab.ariaSelected = String(tab === chosen);
      tab.tabIndex = tab === chosen ? 0 : -1;
    }
    const file = files.find(({ part }) => part === chosen.id);
    find("path").textContent = file?.path ?? "";
    find("code").textContent = file?.text ?? "";
    find("source").setAttribute("aria-labelledby", chosen.id);
    // The client has its own state in the entry.
    history.replaceState(history.state, "", `#${chosen.id}`);
  };
  for (const [index, tab] of tabs.entries()) {
    tab.addEventListener("click", () => choose(tab));
    tab.addEventListener("keydown", ({ key }) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
      const next = step ? tabs[(index + step + tabs.length) % tabs.length] : { Home: tabs[0], End: tabs[tabs.length - 1] }[key];
      if (!next) return;
      choose(next);
      next.focus();
    });
  }
  choose(tabs.find(({ id }) => `#${id}` === location.hash) ?? tabs[1]);
  /** @type {HTMLElement} */ (document.querySelector("[role=tablist]")).hidden = find("source").hidden = false;
}

screen.observe("address", (/** @type {string} */ address) => {
  /** @type {HTMLElement} */ (document.querySelector(".beside")).hidden = !address;
  find("unknown").hidden = Boolean(address);
  // The page stays where its visitor has led it.
  if (address && !pane.getAttribute("src")) pane.src = address;
});
const showFrame = createFrames(find("frames"));
addEventListener("message", ({ data, source, origin }) => {
  if (origin === location.origin && source === pane.contentWindow && data.frame) showFrame(0, data.isSent, data.frame);
});
createCopy(() => /** @type {HTMLAnchorElement} */ (find("second")).href);

/** @type {{part: string, path: string, text: string}[]} A server away from its checkout has none. */
let files = [];
let missing = "unread";
try {
  const answer = await fetch(`/sources?screen=${encodeURIComponent(screenName)}`);
  if (answer.ok) {
    files = await answer.json();
    missing = "missing";
  }
} catch {
  // The server is away at the moment.
}
if (files.length) show(files);
else find(missing).hidden = false;
