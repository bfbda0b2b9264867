// SPDX-License-Identifier: Apache-2.0
// Pages of the browser client whose list has a field in each row, for the Swift simulator; see pages.mjs.
import { pathToFileURL } from "node:url";
import { answer } from "./lines.mjs";

const folder = pathToFileURL(`${process.argv[2]}/`);
const { createSession } = await import(new URL("session.js", folder));
const recovery = await import(new URL("recovery.js", folder));
const { keyOf } = await import(new URL("rows.js", folder));
const { applyEdit } = await import(new URL("text-merge.js", folder));

const keyOfRow = (id) => keyOf(["rows", String(id), "title"]);

/** A list and its session, as musubi.js, each.js and field.js tie them. */
function createPage(saved) {
  const page = { rows: [], fields: new Map(), left: [], frames: [], isOpen: false, isLive: false, problem: undefined };
  const fail = (problem) => (page.problem ??= problem);
  /** A field comes with its row, and goes with it. */
  const show = (rows) => {
    page.rows = rows;
    const titles = new Map(rows.map(({ id, title }) => [keyOfRow(id), title]));
    for (const key of page.fields.keys()) if (!titles.has(key)) page.fields.delete(key);
    for (const [key, title] of titles) {
      const text = page.session.rowText(recovery, key, title);
      const field = page.fields.get(key) ?? { text, shown: text.text() };
      if (field.text !== text) fail(`the field of ${key} is tied to a text that has ended`);
      if (page.fields.has(key)) continue;
      page.fields.set(key, field);
      text.watch((change, before) => {
        if (before !== field.shown) fail(`${key} shows "${field.shown}", but the session thinks "${before}"`);
        field.shown = applyEdit(field.shown, change);
      });
    }
  };
  page.session = createSession(
    {
      send: (frame) => (page.isOpen && page.frames.push(JSON.stringify(frame)), page.isOpen),
      live: () => (page.isLive = true),
      state: (_, { rows }) => show(rows),
      acknowledged() {},
      event() {},
      problem: (code, message) => ["session-unknown", "unknown-row"].includes(code) || fail(message),
      left: (text) => page.left.push(text),
      lost() {},
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

const pages = new Map();

answer((request) => {
  let page = pages.get(request.page);
  if (request.do === "begin") page = createPage();
  else if (request.do === "reload") page = createPage(JSON.parse(JSON.stringify(page.session.save() ?? null)) ?? undefined);
  else attempt(page, request);
  pages.set(request.page, page);
  const { session, rows, fields, left, isLive, frames, problem } = page;
  page.frames = [];
  page.left = [];
  return {
    rows: rows.map(({ id, life, title }) => ({ id, life, title, field: fields.get(keyOfRow(id)).shown })),
    left,
    isSettled: isLive && !session.unconfirmed().length,
    hasSession: session.save() !== undefined,
    send: frames,
    problem,
  };
});
