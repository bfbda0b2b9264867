// @ts-check
// SPDX-License-Identifier: Apache-2.0
/// <reference path="../../../Sources/BrowserClient/musubi/types.d.ts" />

import { screen } from "/musubi.js";

// A page's own script: the step `types` finds what is right, and each line below that has to be wrong.
const root = document.documentElement;

root.addEventListener("musubi:saved", ({ detail }) => {
  if (typeof detail === "string") detail.trim();
  // @ts-expect-error a value need not be a text
  detail.trim();
});
root.addEventListener("musubi:moved", (event) => {
  // @ts-expect-error it is no mouse
  event.clientX;
});
root.addEventListener("click", (event) => event.clientX);

/** @type {MusubiLink | undefined} */
const link = root.dataset.link;
if (link === "live") root.title = "Live";
// @ts-expect-error no such state
if (link === "alive") root.title = "?";

class BarChart extends HTMLElement {
  /** @param {MusubiValue} values What `data-bind-prop-values` binds. */
  set values(values) {
    if (Array.isArray(values)) this.textContent = values.map(String).join(", ");
    // @ts-expect-error a value has no functions
    values.draw();
  }
}
customElements.define("bar-chart", BarChart);

const stop = screen.observe("label", (label) => (root.title = label));
screen.send("roll");
screen.send("move", { to: [1, 2] });
// @ts-expect-error a function is no value
screen.send("move", () => {});
// @ts-expect-error there is no such member
screen.state;
stop();
