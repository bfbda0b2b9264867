// SPDX-License-Identifier: Apache-2.0
// Two-way texts in the rows of lists, against frames as Wire.md has them.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as recovery from "../../Sources/BrowserClient/musubi/recovery.js";
import { keyOf, openRow } from "../../Sources/BrowserClient/musubi/text/rows.js";
import { attachField } from "../../Sources/BrowserClient/musubi/text/field.js";
import { createWatchers } from "../../Sources/BrowserClient/musubi/page.js";
import { createSession } from "../../Sources/BrowserClient/musubi/session.js";
import { applyEdit } from "../../Sources/BrowserClient/musubi/text/edit.js";
import { fakeContext, fakeField } from "./support/dom.mjs";

const key = "/rows/42/title";
const rows = (...titles) => titles.map(([id, title, field]) => (field === undefined ? { id, title } : { id, title, "title.field": field }));

/** A session without a network; its frames are kept, and so is the shown text of each opened field. */
function createPage(saved) {
  const page = { sent: [], left: [], problems: [], shown: {}, connected: true, loads: 0 };
  const nothing = () => {};
  page.session = createSession(
    {
      send: (frame) => (page.connected && page.sent.push(JSON.parse(JSON.stringify(frame))), page.connected),
      live: nothing, state: (_, state) => (page.state = state), acknowledged: nothing, event: nothing,
      problem: (code) => page.problems.push(code), left: (text) => page.left.push(text),
      moves: () => false, changed: () => assert.fail("the visitor is the same"), lost: nothing, hello: nothing, screens: nothing,
      broken: () => page.problems.push("broken"), reload: nothing,
      recover: (use) => ((page.loads += 1), use(recovery)),
    },
    saved,
  );
  page.receive = page.session.receive;
  /** A field is attached, as `each.js` and `field.js` do it. */
  page.field = (path, value) => {
    page.session.help(recovery);
    const text = openRow(page.session.openScreen(), path, value);
    page.shown[path] = text.text();
    text.watch((change, before) => {
      assert.equal(before, page.shown[path]);
      page.shown[path] = applyEdit(before, change);
    });
  };
  page.type = (path, edit) => {
    page.session.edit(path, edit);
    page.session.flush();
  };
  page.last = () => page.sent.at(-1);
  return page;
}

const hello = { hello: { protocol: 1, session: "S", token: "T", visitor: "anonymous", limits: { frame: 65536, text: 262144 } } };

/** A page that shows a list, each row with a field. */
function opened(list = rows([42, "A fox"], [7, "B"]), { sequence = 14, revisions = {} } = {}) {
  const page = createPage();
  page.session.open();
  page.receive(hello);
  page.receive({ snapshot: { rows: list }, epoch: "e", sequence, revisions });
  for (const { id, title } of list) page.field(keyOf(["rows", String(id), "title"]), title);
  return page;
}

test("the key of a row's text is a JSON pointer by ids, and inputs carry name and row", () => {
  assert.equal(keyOf(["days", "7", "tasks", "a/b~c", "title"]), "/days/7/tasks/a~1b~0c/title");

  const page = createPage();
  page.session.open();
  page.receive(hello);
  page.receive({ snapshot: { days: [{ id: 7, tasks: rows(["a/b~c", "x"]) }] }, epoch: "e", sequence: 3, revisions: {} });
  page.field("/days/7/tasks/a~1b~0c/title", "x");
  page.type("/days/7/tasks/a~1b~0c/title", [[1, 0, "y"]]);

  assert.deepEqual(page.last(), { input: 1, name: "title", row: ["7", "a/b~c"], sequence: 3, edits: [[1, 0, "y"]] });
});

test("the first edit refers to the page's position, and the answer begins the document", () => {
  const page = opened();

  page.type(key, [[2, 0, "very "]]);
  assert.deepEqual(page.last(), { input: 1, name: "title", row: "42", sequence: 14, edits: [[2, 0, "very "]] });
  page.type(key, [[7, 0, "quick "]]);
  assert.deepEqual(page.last(), { input: 2, name: "title", row: "42", sequence: 14, edits: [[7, 0, "quick "]] });
  page.receive({ ack: 1, revision: 18 });
  page.receive({
    sequence: 15,
    patch: [{ op: "replace", path: "/rows/0/title", value: "A very fox" }],
    edits: { [key]: { revision: 18, text: "A fox", steps: [[[2, 0, "very "]]] } },
  });

  assert.equal(page.shown[key], "A very quick fox");
  assert.deepEqual(page.session.text(key).save().pending.map(({ input }) => input), [2]);
  page.type(key, [[0, 0, "!"]]);
  assert.deepEqual(page.last(), { input: 3, name: "title", row: "42", revision: 18, edits: [[0, 0, "!"]] });
});

test("what somebody else begins is shown, with one's own edit on top", () => {
  const page = opened();
  page.type(key, [[5, 0, "!"]]);

  page.receive({
    sequence: 15,
    patch: [{ op: "replace", path: "/rows/0/title", value: "The A fox" }],
    edits: { [key]: { revision: 3, text: "A fox", steps: [[[0, 0, "The "]]] } },
  });
  assert.equal(page.shown[key], "The A fox!");
  page.receive({ ack: 1, revision: 4 });
  page.receive({ sequence: 16, edits: { [key]: { revision: 4, steps: [[[9, 0, "!"]]] } } });

  assert.equal(page.shown[key], "The A fox!");
  assert.deepEqual(page.session.text(key).save().pending, []);
});

test("undo in a row takes back one's own typing only, word by word, whenever somebody else's comes", () => {
  for (const [typedBefore, at] of [[" ", 5], [" ann", 5], [" ann!", 0], [" ann!", 5]]) {
    const page = opened();
    const field = fakeField({ value: "A fox" });
    const context = fakeContext(page.session, createWatchers());
    const text = page.session.text(key);
    attachField(field, { ...context, text: () => text, edit: (_, __, edit, source) => page.session.edit(key, edit, source) }, "title", "A fox");
    const type = (letters) => {
      for (const letter of letters) {
        field.replace(field.selectionEnd, field.selectionEnd, letter);
        context.fire(field, "input");
      }
      page.session.flush();
    };
    const press = (letter) => context.fire(field, "keydown", { key: letter, ctrlKey: true });
    field.setSelectionRange(1, 1);
    type(typedBefore);
    page.receive({ sequence: 15, edits: { [key]: { revision: 18, text: "A fox", steps: [[[at, 0, "?"]]] } } });
    type(" ann!".slice(typedBefore.length));
    const [front, end] = at ? ["", "?"] : ["?", ""];
    assert.equal(field.value, `${front}A ann! fox${end}`);

    const shown = Array.from("zzzzyyyy", (letter) => (press(letter), field.value));

    // Somebody else's text ends a step.
    const steps = typedBefore === " ann" ? [" ann", " ", ""] : [" ", ""];
    const back = Array.from({ length: 4 }, (_, index) => steps[Math.min(index, steps.length - 1)]);
    const forth = Array.from({ length: 4 }, (_, index) => [...steps].reverse()[index + 1] ?? " ann!");
    assert.deepEqual(shown, [...back, ...forth].map((rest) => `${front}A${rest} fox${end}`));
    assert.equal(page.shown[key], field.value);
  }
});

test("a row that nobody edits follows the ViewModel, also under an edit that is under way", () => {
  const page = opened();
  page.receive({ sequence: 15, patch: [{ op: "replace", path: "/rows/0/title", value: "The fox" }] });
  assert.equal(page.shown[key], "The fox");

  page.connected = false;
  page.type(key, [[7, 0, "!"]]);
  page.receive({ sequence: 16, patch: [{ op: "replace", path: "/rows/0/title", value: "THE fox" }] });

  assert.equal(page.shown[key], "THE fox!");
  page.connected = true;
  assert.deepEqual(page.session.open().resume.position, ["e", 16]);
  page.receive({ resumed: { session: "S", token: "U", visitor: "anonymous", ack: 0, turns: 0, own: [] } });
  assert.deepEqual(page.last(), { input: 1, name: "title", row: "42", sequence: 16, edits: [[7, 0, "!"]] });
});

test("a text follows its row through a move, also by way of removing and adding", () => {
  const page = opened();
  page.type(key, [[5, 0, "!"]]);

  page.receive({
    sequence: 15,
    patch: [{ op: "remove", path: "/rows/0" }, { op: "add", path: "/rows/1", value: { id: 42, title: "A fox" } }],
  });
  page.receive({ sequence: 16, patch: [{ op: "move", from: "/rows/1", path: "/rows/0" }] });

  assert.equal(page.shown[key], "A fox!");
  assert.deepEqual([page.left, page.session.queue.entries().length], [[], 1]);
});

test("of rows that go one after the other each typing is offered once, and no refusal is told twice", () => {
  const page = opened();
  page.type(key, [[5, 0, "!"]]);
  page.type("/rows/7/title", [[1, 0, "?"]]);

  page.receive({ sequence: 15, patch: [{ op: "remove", path: "/rows/0" }] });
  page.receive({ sequence: 16, patch: [{ op: "remove", path: "/rows/0" }] });
  for (const input of [1, 2]) page.receive({ error: { code: "unknown-row", message: "The row has gone.", input } });

  assert.deepEqual([page.left, page.problems, page.session.queue.entries()], [["A fox!", "B?"], [], []]);
});

test("a row that goes takes its text along; the last typing is offered once, and not sent again", () => {
  const page = opened();
  page.type(key, [[5, 0, "!"]]);

  page.receive({ sequence: 15, patch: [{ op: "remove", path: "/rows/0" }] });
  page.receive({ error: { code: "unknown-row", message: "The row \"42\" has gone.", input: 1 } });
  page.receive({ ack: 1 });

  assert.deepEqual(page.left, ["A fox!"]);
  assert.deepEqual([page.problems, page.session.queue.entries()], [[], []]);
  assert.equal(page.session.text(key), undefined);
  page.receive({ sequence: 16, patch: [{ op: "add", path: "/rows/0", value: { id: 42, title: "Another" } }] });
  page.field(key, "Another");
  page.type(key, [[0, 0, "."]]);
  assert.deepEqual([page.shown[key], page.last().sequence], [".Another", 16]);
});

test("a forbidden first edit waits for no step: once the visitor may, the next change sends what the field holds", () => {
  const page = opened();
  page.type(key, [[0, 0, "x"]]);
  const { input } = page.last();
  page.receive({ error: { code: "not-allowed", message: "You may not use \"title\".", input } });
  page.receive({ ack: input });
  assert.deepEqual(page.problems, ["not-allowed"]);

  const before = page.sent.length;
  page.type(key, [[1, 0, "y"]]);

  assert.equal(page.sent.length, before + 1);
  assert.deepEqual(page.last().edits, [[0, 0, "xy"]]);
  assert.equal(page.last().sequence, 14);
});

test("an edit of a row's earlier life is refused and offered, and the field takes typing into the present one", () => {
  const page = opened();
  page.connected = false;
  page.type(key, [[5, 0, "!"]]);
  page.connected = true;
  page.session.open();
  page.receive({ resumed: { session: "S", token: "U", visitor: "anonymous", ack: 0, own: [] } });
  page.receive({ snapshot: { rows: rows([42, "Another"]) }, epoch: "e", sequence: 30, revisions: {} });
  assert.equal(page.shown[key], "Another!");

  page.receive({ error: { code: "unknown-row", message: "The row \"42\" has gone.", input: 1 } });
  page.receive({ ack: 1 });

  assert.deepEqual([page.left, page.problems, page.shown[key]], [["Another!"], [], "Another"]);
  page.type(key, [[0, 0, "."]]);
  assert.deepEqual([page.shown[key], page.last().sequence, page.last().edits], [".Another", 30, [[0, 0, "."]]]);
});

test("a tap in a row that has gone is told as ever", () => {
  const page = opened();
  page.session.input("tap", { name: "remove", row: "42" });
  page.session.flush();

  page.receive({ error: { code: "unknown-row", message: "The row \"42\" has gone.", input: 1 } });

  assert.deepEqual([page.left, page.problems], [[], ["unknown-row"]]);
});

test("a snapshot brings documents, ends those whose rows are gone, and keeps typing", () => {
  const page = opened(rows([42, "A fox"], [7, "B"], [8, "C"]));
  page.connected = false;
  page.type(key, [[5, 0, "!"]]);
  page.type("/rows/7/title", [[1, 0, "b"]]);
  page.type("/rows/8/title", [[1, 0, "c"]]);
  page.connected = true;
  page.session.open();

  page.receive({ resumed: { session: "S", token: "U", visitor: "anonymous", ack: 0, own: [] } });
  page.receive({
    snapshot: { rows: rows([8, "C"], [42, "A fox", "A red fox"]) }, epoch: "f", sequence: 2, revisions: { [key]: 30 },
  });

  assert.deepEqual(page.left, ["Bb"]);
  assert.deepEqual([page.shown[key], page.shown["/rows/8/title"]], ["A red fox!", "Cc"]);
  assert.deepEqual(page.sent.slice(-2), [
    { input: 1, name: "title", row: "42", revision: 30, edits: [[9, 0, "!"]] },
    { input: 3, name: "title", row: "8", sequence: 2, edits: [[1, 0, "c"]] },
  ]);
});

test("a snapshot without the revision that a row's text had shows another row: typing into the earlier one is offered", () => {
  const page = opened(rows([42, "A fox", "A fox"]), { revisions: { [key]: 30 } });
  page.type(key, [[5, 0, "!"]]);

  page.receive({ snapshot: { rows: rows([42, "new"]) }, epoch: "e", sequence: 20, revisions: {} });

  assert.deepEqual([page.shown[key], page.left], ["new", ["A fox!"]]);
  page.type(key, [[3, 0, "s"]]);
  assert.deepEqual(page.last(), { input: 2, name: "title", row: "42", sequence: 20, edits: [[3, 0, "s"]] });

  page.receive({ snapshot: { rows: rows([42, "new"]) }, epoch: "f", sequence: 1, revisions: {} });
  assert.equal(page.shown[key], "news", "In another epoch nobody knows.");
});

test("a reload keeps unacknowledged typing of a row, and nothing of the other rows", () => {
  const before = opened();
  before.connected = false;
  before.type(key, [[5, 0, "!"]]);

  const saved = JSON.parse(JSON.stringify(before.session.save()));
  const page = createPage(saved);
  page.session.open();
  page.receive({ resumed: { session: "S", token: "U", visitor: "anonymous", ack: 0, own: [] } });
  page.receive({ snapshot: { rows: rows([42, "A fox"], [7, "B"]) }, epoch: "e", sequence: 20, revisions: {} });
  page.field(key, "A fox");

  assert.deepEqual(Object.keys(saved.texts[0]), [key]);
  assert.equal(page.shown[key], "A fox!");
  assert.deepEqual(page.last(), { input: 1, name: "title", row: "42", sequence: 20, edits: [[5, 0, "!"]] });
});

test("a page whose second file is not there yet waits for it before it takes documents of rows", () => {
  const page = createPage();
  page.session.open();
  page.receive(hello);
  assert.equal(page.loads, 0);

  page.receive({ snapshot: { rows: rows([42, "A", "AB"]) }, epoch: "e", sequence: 1, revisions: { [key]: 5 } });
  page.field(key, "A");

  assert.deepEqual([page.loads, page.shown[key]], [1, "AB"]);
  page.type(key, [[2, 0, "C"]]);
  assert.equal(page.last().revision, 5);
});

test("a name that is a text of the whole screen is none in its rows", () => {
  const page = createPage();
  page.session.open();
  page.receive(hello);
  page.receive({ snapshot: { "title": "t", "title.field": "t", "rows": rows([42, "A"]) }, epoch: "e", sequence: 1, revisions: { title: 0 } });

  assert.equal(openRow(page.session.openScreen(), key, "A"), undefined);
});

for (const [code, visitor] of [["session-unknown", "anonymous"], ["visitor-changed", "ann"]]) {
  test(`a session that was lost (${code}) hands typing in rows over to the rows of the new one, and to no others`, () => {
    const page = opened();
    page.connected = false;
    page.type(key, [[5, 0, "!"]]);
    page.type("/rows/7/title", [[1, 0, "b"]]);
    page.connected = true;
    page.session.open();

    page.receive({ error: { code, message: "gone" } });
    const next = { hello: { ...hello.hello, visitor, session: "N" } };
    const snapshot = { snapshot: { rows: rows([42, "A fox"]) }, epoch: "n", sequence: 0, revisions: {} };
    page.receive(next);
    page.receive(snapshot);

    assert.ok(page.sent.every((frame) => !frame.handOver), "rows are not handed over");
    assert.deepEqual(page.left, ["Bb"]);
    assert.equal(page.shown[key], "A fox!");
    assert.deepEqual([page.last().row, page.last().sequence, page.last().edits], ["42", 0, [[5, 0, "!"]]]);
  });
}
