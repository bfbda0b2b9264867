// @ts-check
// SPDX-License-Identifier: Apache-2.0
// Shows the texts of one language. A page holds each text once for each language, in elements with `lang`; the style
// sheet hides those that are not of the language of <html data-language>. Loaded before the page is painted.

const root = document.documentElement;

/** @param {string} language */
function speak(language) {
  root.dataset.language = root.lang = language;
  // A title and an option have no place for elements.
  for (const element of document.querySelectorAll("[data-en]")) {
    const texts = ["en", "ja"].map((each) => element.getAttribute(`data-${each}`));
    // A title that a screen has given stays.
    if (element.hasAttribute("data-bind-text") && !texts.includes(element.textContent)) continue;
    element.textContent = element.getAttribute(`data-${language}`) ?? element.textContent;
  }
  for (const button of document.querySelectorAll("[data-speak]")) {
    button.setAttribute("aria-pressed", String(button.getAttribute("data-speak") === language));
  }
}

/** @returns {string} The language that was chosen here, or the browser's. */
function preferred() {
  try {
    const chosen = localStorage.getItem("language");
    if (chosen) return chosen;
  } catch {
    // Forbidden: the choice then lasts as long as the page.
  }
  return navigator.language.startsWith("ja") ? "ja" : "en";
}

speak(preferred());
document.addEventListener("DOMContentLoaded", () => speak(root.dataset.language ?? "en"));
document.addEventListener("click", ({ target }) => {
  const button = target instanceof Element ? target.closest("[data-speak]") : null;
  if (!button) return;
  const language = button.getAttribute("data-speak") ?? "en";
  speak(language);
  dispatchEvent(new Event("languagechange"));
  try {
    localStorage.setItem("language", language);
  } catch {
    // See above.
  }
});
// What was chosen in another window, or in the page around this one.
addEventListener("storage", ({ key, newValue }) => {
  if (key !== "language" || !newValue) return;
  speak(newValue);
  dispatchEvent(new Event("languagechange"));
});
// Navigation brings new texts and buttons into the page.
new MutationObserver(() => speak(root.dataset.language ?? "en")).observe(document, { subtree: true, attributeFilter: ["data-screen"] });
