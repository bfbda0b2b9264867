// @ts-check
// SPDX-License-Identifier: Apache-2.0
// A script with mistakes, for who asks for it: /rows#mistakes
import { screen } from "/musubi.js";

if (location.hash === "#mistakes") {
  screen.observe("rows", () => {
    throw new Error("a mistake");
  });
  screen.observe("rows", (rows) => rows.splice(0));
  screen.observe("rows", (rows) => Object.assign(window, { seen: rows.length }));
  Object.assign(window, { sendLong: () => screen.send("add", "x".repeat(70_000)) });
}
