// SPDX-License-Identifier: Apache-2.0
// Two-way texts in rows of long lists: turns tell those that somebody edits, as Wire.md has it.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as recovery from "../../Sources/BrowserClient/musubi/recovery.js";
import { createSession } from "../../Sources/BrowserClient/musubi/session.js";
import { applyEdit } from "../../Sources/BrowserClient/musubi/text/edit.js";
import * as rows from "../../Sources/BrowserClient/musubi/text/rows.js";
import { follow, hold, holdTexts } from "../../Sources/BrowserClient/musubi/window/texts.js";

const key = "/cards..edited/7/title";
const hello = { hello: { protocol: 1, session: "S", token: "T", visitor: "anonymous", limits: { frame: 65536, text: 262144 } } };
const empty = { cards: { count: 5000 }, "cards..edited": [] };

/** A page without a network that shows row 7. */
function opened(saved, title = "fox") {
  const page = { sent: [], left: [], problems: [], connected: true };
  const nothing = () => {};
  page.session = createSession(
    {
      send: (frame) => (page.connected && page.sent.push(JSON.parse(JSON.stringify(frame))), page.connected),
      live: nothing, state: nothing, acknowledged: nothing, event: nothing, problem: (code) => page.problems.push(code),
      left: (text) => page.left.push(text), moves: () => false, changed: () => assert.fail("the visitor is the same"), lost: nothing,
      hello: nothing, screens: nothing, broken: () => page.problems.push("broken"), recover: (use) => use(recovery),
    },
    saved,
  );
  page.session.open();
  if (!saved) page.session.receive(hello);
  if (!saved) page.session.receive({ snapshot: empty, epoch: "e", sequence: 4, revisions: {} });
  page.session.help(recovery);
  const screen = page.session.openScreen();
  const text = rows.openRow(screen, key, title);
  page.leave = hold(screen, key);
  page.document = () => screen.texts.documents.get(key);
  page.field = text.text();
  text.watch((change, before) => {
    assert.equal(before, page.field);
    page.field = applyEdit(before, change);
  });
  /** The page's own frame tells what the row shows. */
  page.row = (value) => follow(screen, rows.become, key, value);
  page.type = (edit) => {
    page.session.edit(key, edit);
    page.session.flush();
  };
  page.turn = (frame) => page.session.receive(frame);
  page.last = () => page.sent.at(-1);
  return page;
}

const begins = (sequence, text, ...steps) => ({
  sequence, patch: [{ op: "replace", path: "/cards..edited/0/title", value: text }],
  edits: { [key]: { revision: 5 + steps.length, text, steps } },
});
const appears = (sequence, title) => ({ sequence, patch: [{ op: "add", path: "/cards..edited/0", value: { id: 7, title } }] });
const leaves = (sequence) => ({ sequence, patch: [{ op: "remove", path: "/cards..edited/0" }] });

test("the first edit tells what the row shows, and later ones a revision", () => {
  const page = opened();

  page.type([[3, 0, "y"]]);
  assert.deepEqual(page.last(), { input: 1, name: "title", row: "7", sequence: 4, shown: "fox", edits: [[3, 0, "y"]] });
  page.turn({ ack: 1, revision: 6 });
  page.turn(appears(5, "fox"));
  page.turn(begins(6, "fox", [[3, 0, "y"]]));
  page.row("foxy");
  assert.equal(page.field, "foxy");

  page.type([[0, 1, "F"]]);
  assert.deepEqual(page.last(), { input: 2, name: "title", row: "7", revision: 6, edits: [[0, 0, "F"], [0, 1, ""]] });
});

test("a text that is too long to be told, or that would be cut in a character, is not told", () => {
  for (const text of [`${"a".repeat(4095)}😀`, "a".repeat(4097)]) {
    const page = opened(undefined, text);
    page.type([[0, 0, "y"]]);
    assert.deepEqual(page.last(), { input: 1, name: "title", row: "7", sequence: 4, edits: [[0, 0, "y"]] });
  }
});

test("a row of an ordinary list whose id ends like the name of such a list ends with its texts", () => {
  const page = opened();
  const [screen, file] = [page.session.openScreen(), "/files/photo..edited/title"];
  page.session.receive({ sequence: 5, patch: [{ op: "add", path: "/files", value: [{ id: "photo..edited", title: "fox" }] }] });
  rows.openRow(screen, file, "fox");
  page.session.edit(file, [[0, 0, "y"]]);
  page.session.flush();
  assert.equal("shown" in page.last(), false);
  page.session.receive({ sequence: 6, patch: [{ op: "remove", path: "/files/0" }] });
  assert.deepEqual(page.left, ["yfox"]);
});

test("a row that nobody edits shows what the page's own frames tell, until something is typed and not taken", () => {
  const page = opened();

  page.row("The fox");
  assert.equal(page.field, "The fox");
  page.connected = false;
  page.type([[7, 0, "!"]]);
  // It may have the typing already, or not.
  page.row("A fox");
  assert.equal(page.field, "The fox!");
});

test("what others type comes with turns, and older frames of the row change nothing", () => {
  const page = opened();

  page.turn(appears(5, "fox"));
  page.turn(begins(6, "fox", [[0, 0, "A "]]));
  page.row("fox");
  assert.equal(page.field, "A fox");
});

test("a text that others have begun to edit meanwhile carries what is typed", () => {
  const page = opened(undefined, "old fox");

  page.type([[7, 0, "!"]]);
  page.turn(appears(5, "fox"));
  page.turn(begins(6, "fox", [[0, 0, "A "]]));
  assert.equal(page.field, "A fox!");
});

test("turns that tell a text no longer leave it to the row", () => {
  const page = opened();
  page.turn(appears(5, "fox"));
  page.turn(begins(6, "fox", [[0, 0, "A "]]));

  page.turn(leaves(7));
  assert.equal(page.field, "A fox");
  assert.deepEqual(page.left, []);
  page.row("A fox.");
  assert.equal(page.field, "A fox.");
  page.type([[6, 0, ".."]]);
  assert.deepEqual(page.last(), { input: 1, name: "title", row: "7", sequence: 7, shown: "A fox.", edits: [[6, 0, ".."]] });
});

test("a snapshot keeps what is typed, with and without a document", () => {
  for (const [edited, revisions, shown] of [[[], {}, "foxyz"], [[{ id: 7, title: "a foxy", "title.field": "a foxy" }], { [key]: 9 }, "a foxyz"]]) {
    const page = opened();
    page.type([[3, 0, "y"]]);
    page.connected = false;
    page.type([[4, 0, "z"]]);
    page.turn({ ack: 1, revision: 6 });
    page.turn({ snapshot: { cards: { count: 4 }, "cards..edited": edited }, epoch: "f", sequence: 90, revisions });
    assert.equal(page.field, shown);
    assert.equal(page.document().save().revision, revisions[key] ?? -1);
    assert.deepEqual([page.left, page.problems], [[], []]);
  }
});

test("a text that was in the middle of an edit goes on with the same stream", () => {
  const page = opened();
  page.turn(appears(5, "fox"));
  page.turn(begins(6, "fox", [[0, 0, "A "]]));
  page.connected = false;
  page.type([[5, 0, "!"]]);

  // Its document has ended, and another text of the row is edited now.
  page.turn({ snapshot: { cards: { count: 4 }, "cards..edited": [{ id: 7, title: "A fox" }] }, epoch: "e", sequence: 20, revisions: {} });
  assert.equal(page.field, "A fox!");
  assert.deepEqual([page.left, page.problems], [[], []]);
});

test("who types in a row that has gone is told", () => {
  const page = opened();
  page.type([[3, 0, "y"]]);
  page.turn({ error: { code: "unknown-row", message: "", input: 1 } });
  page.turn({ ack: 1 });
  assert.deepEqual(page.left, ["foxy"]);
});

test("a row that is left is forgotten, unless something is typed there or others edit it", () => {
  const page = opened();
  page.leave();
  assert.equal(page.document(), undefined);

  const typed = opened();
  typed.connected = false;
  typed.type([[3, 0, "y"]]);
  typed.leave();
  assert.equal(typed.document().text(), "foxy");

  const edited = opened();
  edited.turn(appears(5, "fox"));
  edited.turn(begins(6, "fox", [[0, 0, "A "]]));
  edited.leave();
  assert.equal(edited.document().text(), "A fox");
  edited.turn(leaves(7));
  assert.equal(edited.document(), undefined);
});

test("a row of a screen that lies below another one keeps its text, and one that has left its list does not", () => {
  const page = opened();
  const texts = holdTexts({ openScreen: page.session.openScreen }, rows.become);
  // The list is out of the document, and the row still in the list.
  const row = { parentNode: {}, isConnected: false };
  let title = "fox";
  texts.hold(key, row, () => title);
  page.leave();

  title = "The fox";
  texts.follow();
  assert.equal(page.field, "The fox");
  page.type([[7, 0, "!"]]);
  assert.deepEqual(page.last(), { input: 1, name: "title", row: "7", sequence: 4, shown: "The fox", edits: [[7, 0, "!"]] });

  const other = opened();
  const left = holdTexts({ openScreen: other.session.openScreen }, rows.become);
  const gone = { parentNode: {} };
  left.hold(key, gone, () => "fox");
  other.leave();
  gone.parentNode = null;
  left.follow();
  assert.equal(other.document(), undefined);
});

test("a reload keeps what was typed, and tells what it was typed on", () => {
  const first = opened();
  first.connected = false;
  first.type([[3, 0, "y"]]);
  const saved = JSON.parse(JSON.stringify(first.session.save()));

  const page = opened(saved, "fox");
  page.session.receive({ resumed: { session: "S", token: "U", visitor: "anonymous", ack: 0, turns: 0 } });
  assert.equal(page.field, "foxy");
  assert.deepEqual(page.last(), { input: 1, name: "title", row: "7", sequence: 4, shown: "fox", edits: [[3, 0, "y"]] });
});
