// @ts-check
// SPDX-License-Identifier: Apache-2.0

/** Shows the four files of a screen (`?screen=note`) in tabs, by pointer and by the arrow keys. */

/** @type {HTMLElement[]} */
const tabs = [...document.querySelectorAll("[role=tab]")].map((tab) => /** @type {any} */ (tab));
const find = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
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
    history.replaceState(null, "", `#${chosen.id}`);
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

const answer = await fetch(`/sources?screen=${encodeURIComponent(screenName)}`);
// A server away from its checkout has no files.
const files = answer.ok ? await answer.json() : [];
if (files.length) show(files);
else find(answer.ok ? "missing" : "unknown").hidden = false;

export {};
