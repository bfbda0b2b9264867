// SPDX-License-Identifier: Apache-2.0
// Pages of the browser client for the Swift simulator: one request per line in, one report per line out.
import { pathToFileURL } from "node:url";
import { answer } from "./lines.mjs";

const folder = pathToFileURL(`${process.argv[2]}/`);
const { createSession } = await import(new URL("session.js", folder));
const recovery = await import(new URL("recovery.js", folder));
const { applyEdit, mapCaret } = await import(new URL("text-merge.js", folder));

/** A field and its session, as musubi.js and field.js tie them. */
function createPage(saved) {
  const page = { shown: undefined, caret: 0, label: undefined, frames: [], problem: undefined };
  const fail = (problem) => (page.problem ??= problem);
  page.session = createSession(
    {
      send: (frame) => page.frames.push(JSON.stringify(frame)),
      live() {},
      state(_, state) {
        page.label = state.label;
        if (page.shown !== undefined) return;
        const text = page.session.text("text");
        page.shown = text.text();
        page.caret = page.shown.length;
        text.watch((change, before, source) => {
          if (before !== page.shown) fail(`shows "${page.shown}", but the session thinks "${before}"`);
          page.shown = applyEdit(page.shown, change);
          if (source !== page) page.caret = mapCaret(page.caret, change);
        });
      },
      acknowledged() {},
      event() {},
      problem: (code, message) => code === "session-unknown" || fail(typeof message === "number" ? `at most ${message} bytes` : message),
      lost() {},
      left() {},
      moves: () => false,
      hello() {},
      screens() {},
      broken: () => fail("the stream has a gap"),
      reload() {},
      recover: (use) => use(recovery),
    },
    saved,
  );
  return page;
}

const verbs = {
  open({ session, frames }) {
    const first = session.open();
    if (first) frames.push(JSON.stringify(first));
  },
  receive: ({ session }, { frame }) => session.receive(JSON.parse(frame)),
  lost() {},
  edit(page, { position, deleted, inserted, held }) {
    page.session.edit("text", [[position, deleted, inserted]], page);
    page.caret = position + inserted.length;
    if (!held) page.session.flush();
  },
  move: (page, { position }) => (page.caret = position),
  tap({ session }) {
    session.input("tap", { name: "draw" });
    session.flush();
  },
  flush: ({ session }) => session.flush(),
};

const pages = new Map();

answer((request) => {
  let page = pages.get(request.page);
  if (request.do === "begin") page = createPage();
  else if (request.do === "reload") page = createPage(JSON.parse(JSON.stringify(page.session.save() ?? null)) ?? undefined);
  else verbs[request.do](page, request);
  pages.set(request.page, page);
  const { session, frames, problem } = page;
  page.frames = [];
  const saved = session.save();
  const text = saved?.texts[0]?.text;
  return {
    text: page.shown,
    caret: page.caret,
    label: page.label,
    waiting: saved?.entries.length ?? 0,
    pending: text?.pending.flatMap((own) => own.edit.map(([, , inserted]) => inserted)) ?? [],
    revision: text?.revision ?? 0,
    session: saved?.session,
    send: frames,
    problem,
  };
});
