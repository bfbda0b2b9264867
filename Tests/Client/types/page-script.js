// @ts-check
// SPDX-License-Identifier: Apache-2.0
/// <reference path="../../../Sources/BrowserClient/musubi/types.d.ts" />
/// <reference path="screen.d.ts" />

import { screen } from "/musubi.js";

// A page's own script: the step `types` finds what is right, and each line below that has to be wrong.
const root = document.documentElement;

// An event that the page does not name.
root.addEventListener("musubi:rung", (event) => {
  event.detail.trim();
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

// A widget's event: its detail is a value, or nothing.
/** @type {CustomEvent<MusubiDetail>[]} */
const events = [
  new CustomEvent("boat-chosen", { detail: 7 }),
  new CustomEvent("boat-chosen", { detail: { id: 7, place: [35.4, 139.6], name: null } }),
  new CustomEvent("boat-chosen"),
];
// @ts-expect-error a function is no value
events.push(new CustomEvent("boat-chosen", { detail: () => {} }));
// @ts-expect-error and neither is an element
events.push(new CustomEvent("boat-chosen", { detail: root }));
root.addEventListener("boat-chosen", ({ detail }) => {
  const id = detail + 1;
  // @ts-expect-error the page's own types say that it is a number
  detail.trim();
  return id;
});

// The screen's outputs, inputs and events, as screen.d.ts names them.
screen.observe("prices", (prices) => prices.map((price) => price.toFixed(2)));
// @ts-expect-error a list of numbers is no text
screen.observe("prices", (prices) => prices.trim());
screen.send("visit", [35.4, 139.6]);
screen.send("clear");
// @ts-expect-error it takes a place
screen.send("visit", "Nara");
// @ts-expect-error and not nothing
screen.send("visit");
// @ts-expect-error a tap has no value
screen.send("clear", 1);
root.addEventListener("musubi:welcome", ({ detail }) => detail.trim());
root.addEventListener("musubi:saved", ({ detail }) => {
  detail.id.toFixed(detail.by?.name.length);
  // @ts-expect-error there is no such member
  detail.place;
});
root.addEventListener("musubi:moved", ({ detail }) => {
  detail.place[0].toFixed(detail.id);
  // @ts-expect-error there is no such member
  detail.by;
});
