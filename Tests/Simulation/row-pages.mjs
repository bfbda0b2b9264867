// SPDX-License-Identifier: Apache-2.0
// Pages of the browser client whose list has a field in each row, for the Swift simulator; see pages.mjs.
import { applyEdit, createPageSession, fail, keyOf, openRow, recovery, servePages } from "./client.mjs";

const keyOfRow = (id) => keyOf(["rows", String(id), "title"]);

/** A list and its session, as musubi.js, each.js and field.js tie them. */
function createPage(saved) {
  const page = { rows: [], fields: new Map(), left: [], frames: [], isOpen: false, isLive: false, problem: undefined };
  /** A field comes with its row, and goes with it. */
  const show = (rows) => {
    page.rows = rows;
    const titles = new Map(rows.map(({ id, title }) => [keyOfRow(id), title]));
    for (const key of page.fields.keys()) if (!titles.has(key)) page.fields.delete(key);
    for (const [key, title] of titles) {
      const text = openRow(page.session.openScreen(), key, title);
      const field = page.fields.get(key) ?? { text, shown: text.text() };
      if (field.text !== text) fail(page, `the field of ${key} is tied to a text that has ended`);
      if (page.fields.has(key)) continue;
      page.fields.set(key, field);
      text.watch((change, before) => {
        if (before !== field.shown) fail(page, `${key} shows "${field.shown}", but the session thinks "${before}"`);
        field.shown = applyEdit(field.shown, change);
      });
    }
  };
  page.session = createPageSession(page, saved, {
    expected: ["session-unknown", "unknown-row"],
    send(frame) {
      if (page.isOpen) page.frames.push(JSON.stringify(frame));
      return page.isOpen;
    },
    live: () => (page.isLive = true),
    state: (_, { rows }) => show(rows),
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
    page.session.edit(keyOfRow(row), [[position, deleted, inserted]]);
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

servePages(createPage, attempt, ({ session, rows, fields, left, isLive }) => ({
  rows: rows.map(({ id, life, title }) => ({ id: Number(id), life, title, field: fields.get(keyOfRow(id)).shown })),
  left: left.splice(0),
  isSettled: isLive && !session.queue.entries().length,
  hasSession: session.save() !== undefined,
}));
