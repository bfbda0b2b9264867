// SPDX-License-Identifier: Apache-2.0
// Pages of the browser client for the Swift simulator: one request per line in, one report per line out.
import { applyEdit, createPageSession, fail, mapCaret, servePages } from "./client.mjs";

/** A field and its session, as musubi.js and field.js tie them. */
function createPage(saved) {
  const page = { shown: undefined, caret: 0, label: undefined, frames: [], problem: undefined };
  page.session = createPageSession(page, saved, {
    expected: ["session-unknown"],
    send: (frame) => page.frames.push(JSON.stringify(frame)),
    state(_, state) {
      page.label = state.label;
      if (page.shown !== undefined) return;
      const text = page.session.text("text");
      page.shown = text.text();
      page.caret = page.shown.length;
      text.watch((change, before, source) => {
        if (before !== page.shown) fail(page, `shows "${page.shown}", but the session thinks "${before}"`);
        page.shown = applyEdit(page.shown, change);
        if (source !== page) page.caret = mapCaret(page.caret, change);
      });
    },
  });
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

servePages(createPage, (page, request) => verbs[request.do](page, request), ({ session, shown, caret, label }) => {
  const saved = session.save();
  const text = saved?.texts[0]?.text;
  return {
    text: shown,
    caret,
    label,
    waiting: saved?.entries.length ?? 0,
    pending: text?.pending.flatMap((own) => own.edit.map(([, , inserted]) => inserted)) ?? [],
    revision: text?.revision ?? 0,
    session: saved?.session,
  };
});
