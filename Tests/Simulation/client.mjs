// SPDX-License-Identifier: Apache-2.0
// What the two kinds of simulated pages share: the client's modules, and a session that tells a page what happens.
import { pathToFileURL } from "node:url";
import { answer } from "./lines.mjs";

const folder = pathToFileURL(`${process.argv[2]}/`);
const load = (path) => import(new URL(path, folder));
const { createSession } = await load("session.js");
export const recovery = await load("recovery.js");
export const { applyEdit } = await load("text/edit.js");
export const { mapCaret } = await load("text/transform.js");
export const rowHelp = await load("text/rows.js");
export const { keyOf, openRow } = rowHelp;
export const { follow, hold } = await load("window/texts.js");
export const { applyPatch } = await load("patch.js");

/** A session that tells `page.problem` what must not happen, and `notify` what the page listens to. */
export function createPageSession(page, saved, notify) {
  const silent = ["live", "acknowledged", "event", "lost", "left", "hello", "screens", "reload"];
  return createSession(
    {
      ...Object.fromEntries(silent.map((name) => [name, () => {}])),
      problem: (code, message) => (notify.expected ?? []).includes(code) || fail(page, message),
      moves: () => false,
      broken: () => fail(page, "the stream has a gap"),
      recover: (use) => use(recovery),
      ...notify,
    },
    saved,
  );
}

/** Remembers the first thing that went wrong at a page. */
export function fail(page, problem) {
  page.problem ??= problem;
}

/** Serves requests: `createPage` makes a page anew or from what it saved, `run` does something to it, `report` tells of it. */
export function servePages(createPage, run, report) {
  const pages = new Map();
  answer((request) => {
    let page = pages.get(request.page);
    if (request.do === "begin") page = createPage();
    else if (request.do === "reload") page = createPage(JSON.parse(JSON.stringify(page.session.save() ?? null)) ?? undefined);
    else run(page, request);
    pages.set(request.page, page);
    const { frames, problem } = page;
    const told = report(page);
    page.frames = [];
    return { ...told, send: frames, problem };
  });
}
