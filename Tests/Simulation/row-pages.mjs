// SPDX-License-Identifier: Apache-2.0
// Pages of the browser client whose list has a field in each row, for the Swift simulator; see pages.mjs.
import { applyEdit, applyPatch, createPageSession, fail, follow, hold, keyOf, openRow, recovery, rowHelp, servePages } from "./client.mjs";

const keyOfRow = (page, id) => keyOf([page.isLong ? "rows..edited" : "rows", String(id), "title"]);

/** A list and its session, as musubi.js, each.js and field.js tie them. */
function createPage(saved) {
  const page = { rows: [], fields: new Map(), left: [], frames: [], isOpen: false, isLive: false, problem: undefined };
  /** A field comes with its row, and goes with it. */
  const show = (rows) => {
    page.rows = rows;
    const screen = page.session.openScreen();
    const titles = new Map(rows.map(({ id, title }) => [keyOfRow(page, id), title]));
    for (const [key, { release }] of page.fields) {
      if (titles.has(key)) continue;
      page.fields.delete(key);
      release?.();
    }
    for (const [key, title] of titles) {
      const text = openRow(screen, key, title);
      const release = page.fields.get(key)?.release ?? (page.isLong ? hold(screen, key) : undefined);
      if (page.isLong) follow(screen, rowHelp.become, key, title);
      const field = page.fields.get(key) ?? { text, shown: text.text(), release };
      if (field.text !== text) fail(page, `the field of ${key} is tied to a text that has ended`);
      if (page.fields.has(key)) continue;
      page.fields.set(key, field);
      text.watch((change, before) => {
        if (before !== field.shown) fail(page, `${key} shows "${field.shown}", but the session thinks "${before}"`);
        field.shown = applyEdit(field.shown, change);
      });
    }
  };
  /** What all see, and on top of it what this page alone was told; a long list is asked for, as `window/attach.js` does. */
  const render = () => {
    const { rows } = { ...page.state, ...page.personal };
    if (!rows) return;
    page.isLong = !Array.isArray(rows);
    if (rows.rows) page.asked = undefined;
    if (!page.isLong || rows.rows) show(rows.rows ?? rows);
    else if (page.asked !== rows) {
      page.asked = rows;
      page.session.input("typed", { name: "rows", value: { first: 0, count: 100, patches: true } });
      page.session.flush();
    }
  };
  page.session = createPageSession(page, saved, {
    expected: ["session-unknown", "unknown-row"],
    send(frame) {
      if (page.isOpen) page.frames.push(JSON.stringify(frame));
      return page.isOpen;
    },
    live() {
      page.isLive = true;
      page.asked = undefined;
      render();
    },
    state(_, state) {
      page.state = state;
      render();
    },
    more({ personal }) {
      if (!personal) return;
      page.personal = Array.isArray(personal) ? applyPatch(page.personal, personal) : personal;
      render();
    },
    left: (text) => page.left.push(text),
  });
  page.session.help(recovery);
  return page;
}

const verbs = {
  open(page) {
    const first = page.session.open();
    [page.isOpen, page.isLive] = [true, false];
    if (first) page.frames.push(JSON.stringify(first));
  },
  receive: ({ session }, { frame }) => session.receive(JSON.parse(frame)),
  lost: (page) => (page.isOpen = page.isLive = false),
  write(page, { row, position, deleted, inserted }) {
    page.session.edit(keyOfRow(page, row), [[position, deleted, inserted]]);
    page.session.flush();
  },
  tap({ session }, { name, row }) {
    session.input("tap", { name, row });
    session.flush();
  },
};

/** Does something to a page; an error of the client is a problem of the page's. */
function attempt(page, request) {
  try {
    verbs[request.do](page, request);
  } catch (error) {
    page.problem ??= error.stack;
  }
}

servePages(createPage, attempt, (page) => ({
  rows: page.rows.map(({ id, life, title }) => ({ id: Number(id), life, title, field: page.fields.get(keyOfRow(page, id)).shown })),
  left: page.left.splice(0),
  isSettled: page.isLive && !page.session.queue.entries().length,
  hasSession: page.session.save() !== undefined,
}));
