// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { lift } from "./carry.js";
import { press } from "./keys.js";
import { boxOf, gripOf, lists, rowsOf } from "./lists.js";
import { followPointers, hold } from "./pointer.js";
import { explain, help } from "./tell.js";

let isFollowing = false;

/** @type {(row: Element) => void} Makes a row's grip one that keyboards reach and screen readers explain. */
function dress(row) {
  const grip = gripOf(row);
  if (!grip.matches("a[href], button, input, [tabindex]")) grip.tabIndex = 0;
  const described = grip.getAttribute("aria-describedby")?.split(" ") ?? [];
  if (!described.includes(help)) grip.setAttribute("aria-describedby", [...described, help].join(" "));
}

/**
 * `data-on-move` on a `<template data-bind-each>`: people put its rows elsewhere, in this list or another one that sends
 * the same input.
 *
 * @type {import("../page.js").Attach}
 */
export const attach = (template, context, { name }) => {
  if (template.localName !== "template") return;
  const list = { template, context, name };
  lists.add(list);
  (template.lifts ??= []).push(lift);
  const box = boxOf(list);
  // A finger's scrolling can only be held where the page is asked each time.
  box.addEventListener("touchmove", hold, { passive: false });
  for (const row of [template.content.firstElementChild, ...rowsOf(list)]) dress(row);
  explain();
  if (!isFollowing) {
    followPointers();
    addEventListener("keydown", press, true);
    addEventListener("languagechange", explain);
  }
  isFollowing = true;
  return () => {
    lists.delete(list);
    template.lifts = template.lifts.filter((/** @type {unknown} */ one) => one !== lift);
    box.removeEventListener("touchmove", hold);
  };
};
