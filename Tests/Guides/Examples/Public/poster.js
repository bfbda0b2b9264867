// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { screen } from "/musubi.js";

// Here alone a text becomes markup: what it says itself is escaped first.
const rules = {
  createHTML: (/** @type {string} */ text) =>
    text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`).replace(/\*([^*]+)\*/g, "<b>$1</b>"),
};
/** @type {typeof rules} A browser without Trusted Types takes the text itself. */
const emphasis = /** @type {any} */ (window).trustedTypes?.createPolicy("emphasis", rules) ?? rules;
const poster = /** @type {HTMLElement} */ (document.getElementById("poster"));

screen.observe("words", (words) => (poster.innerHTML = emphasis.createHTML(words)));
document.addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI }) =>
  screen.send("refused", `${effectiveDirective} ${blockedURI}`));
