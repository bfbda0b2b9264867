// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { maxUnits, split, unitsOf } from "../../Sources/BrowserClient/musubi/text/split.js";
import { learn } from "../../Sources/BrowserClient/musubi/more-words.js";
import * as each from "../../Sources/BrowserClient/musubi/outlets/each.js";
import * as whole from "../../Sources/BrowserClient/musubi/outlets/whole.js";
import * as recovery from "../../Sources/BrowserClient/musubi/recovery.js";
import { createSession } from "../../Sources/BrowserClient/musubi/session.js";
import { createStatus } from "../../Sources/BrowserClient/musubi/status.js";
import { applyEdit } from "../../Sources/BrowserClient/musubi/text/edit.js";
import { bytesInJSON, charactersOver, tellLong, translatePage } from "../../Sources/BrowserClient/musubi/too-long.js";
import { createView } from "../../Sources/BrowserClient/musubi/view.js";
import { words } from "../../Sources/BrowserClient/musubi/words.js";
import { fakeWindow } from "./support/clock.mjs";
import { fakeDocument } from "./support/document.mjs";
import { fakeElement } from "./support/dom.mjs";
import { createPage, settle } from "./support/network.mjs";
import { randomEdit, seeded } from "./support/random.mjs";
import { createServer } from "./support/server.mjs";
import { typing } from "./support/typing.mjs";

learn(words);
const long = "x".repeat(70_000);

/** A page of one screen whose frames can be looked at. */
function opened({ saved, limits } = {}) {
  const sent = [];
  const own = { send: (frame) => (sent.push(frame), true) };
  const session = createSession(new Proxy(own, { get: (target, name) => target[name] ?? (() => {}) }), saved);
  session.help(recovery);
  session.open();
  session.receive({ hello: { session: "s", token: "t", limits } });
  session.receive({ snapshot: {}, epoch: "e", sequence: 0 });
  const told = [];
  const { context } = createView(0, session, session.flush, {}, (...about) => told.push(about.slice(1)));
  return { session, sent, context, told, saved: () => JSON.parse(JSON.stringify(session.save())) };
}

test("a value that no frame can hold is never queued, and says by how much it is too long, until it is short enough", () => {
  const { session, sent, context, told } = opened();

  context.input({}, "typed", "title", long);
  assert.deepEqual([session.queue.entries(), sent], [[], []]);
  assert.equal(context.tooLong("title"), long);
  context.input({}, "typed", "title", "short");

  assert.deepEqual(sent, [{ input: 1, name: "title", value: "short", row: undefined, screen: undefined }]);
  assert.equal(context.tooLong("title"), undefined);
  const size = JSON.stringify({ input: 1, name: "title", value: long }).length;
  assert.deepEqual(told[0], [size - 65_536, long, "not-sent"]);
  assert.ok(told[1][0] <= 0);
});

test("a frame of exactly the limit is sent, in bytes of UTF-8", () => {
  const limits = { frame: 100, text: 262_144 };
  const bytes = (value) => Buffer.byteLength(JSON.stringify({ input: 1, name: "t", value }));
  const fitting = "結".repeat(Math.floor((100 - bytes("")) / 3)).padEnd(Math.floor((100 - bytes("")) / 3) + ((100 - bytes("")) % 3), "x");
  assert.equal(bytes(fitting), 100);

  assert.equal(opened({ limits }).session.input("typed", { name: "t", value: fitting }), 1);
  assert.equal(opened({ limits }).session.input("typed", { name: "t", value: `${fitting}x` }), -1);
});

test("so it is in rows, for other values than texts, and for what would join an input that waits", () => {
  const { session, sent, context, told } = opened();
  const list = Array(20_000).fill("one");
  session.open();

  context.input({}, "typed", "title", "a", ["1"]);
  context.input({}, "typed", "title", long, ["1"]);
  context.input({}, "typed", "meals", list);

  assert.deepEqual(session.queue.entries().map(({ row, value }) => [row, value]), [["1", "a"]]);
  assert.deepEqual([context.tooLong("title", ["1"]), context.tooLong("title", ["2"]), context.tooLong("meals")], [long, undefined, list]);
  assert.ok(told.slice(1).every(([over]) => over > 0));
  assert.deepEqual(sent, []);
});

test("a row tells its controls what they hold", () => {
  const document = fakeDocument();
  const template = document.element("template", {}, [document.element("li", { "data-bind-value": "title" })]);
  document.body.append(template);
  const asked = [];
  const attach = (_, { tooLong }) => void asked.push(tooLong("title"));
  const context = { attach, tooLong: (name, row) => [name, row], watch: (_, show) => void show([{ id: "7" }]) };

  each.attach(template, context, { name: "rows" });

  assert.deepEqual(asked, [["title", ["7"]]]);
});

test("a text too long survives a reload, with the server's limits", () => {
  const limits = { frame: 200, text: 300 };
  const before = opened({ limits });
  before.context.input({}, "typed", "title", "y".repeat(250));

  const after = createSession(new Proxy({}, { get: () => () => {} }), before.saved());
  after.help(recovery);

  const { context } = createView(0, after, () => {}, {}, () => {});
  assert.equal(context.tooLong("title"), "y".repeat(250));
  assert.equal(after.input("typed", { name: "third", value: "y".repeat(250) }) < 0, true);
});

/** A field tied to a whole value. */
function bound(kept) {
  const it = typing();
  if (kept) it.context.kept.title = kept;
  const field = Object.assign(fakeElement("input", {}), { type: "text", value: "" });
  whole.attach(field, it.context, { name: "title", initial: () => undefined });
  return { ...it, field };
}

test("a field keeps a text too long when the server's value changes", () => {
  const it = bound();
  it.watchers.show({ title: "old" });
  assert.equal(it.field.value, "old");

  it.context.kept.title = it.field.value = long;
  it.context.fire(it.field, "input");
  it.watchers.show({ title: "somebody else's" });
  it.context.fire(it.field, "blur");
  assert.equal(it.field.value, long);
  delete it.context.kept.title;
  it.field.value = "short";
  it.context.fire(it.field, "input");

  assert.equal(it.field.value, "short");
  assert.deepEqual(it.context.inputs.map(({ value }) => value.length), [70_000, 5]);
});

test("a field shows a text that was too long before a reload, and offers it again", () => {
  const it = bound(long);

  assert.equal(it.field.value, long);
  assert.deepEqual(it.context.inputs.map(({ name, value }) => [name, value]), [["title", long]]);
});

test("a two-way text says how far it is over the limit, also after a reload, until it fits", () => {
  const server = createServer({ hello: { limits: { frame: 65_536, text: 8 } } });
  const page = createPage(server);
  const other = createPage(server);
  for (const each of [page, other]) each.open();
  settle([page, other]);
  const excess = ({ session }) => session.excess(session.text("number"));
  assert.equal(excess(page), 0);

  page.edit([[1, 0, "1234567890"]]);
  assert.equal(excess(page), 3);
  assert.equal(page.session.edit("number", [[0, 0, "a"]]), 0, "it is on no way that an element could wait for");
  const after = createPage(server, JSON.parse(JSON.stringify(page.session.save())));
  page.cut();
  after.open();
  settle([after, other]);
  assert.deepEqual([excess(after), after.session.text("number").text()], [4, "a01234567890"]);
  after.edit([[5, 4, ""]]);
  settle([after, other]);

  assert.deepEqual([excess(after), other.shown], [0, "a0123890"]);
});

test("a text too long is shared as soon as it fits, also while something is on its way, or when others make room", () => {
  const server = createServer({ hello: { limits: { frame: 65_536, text: 8 } } });
  const [page, other] = [createPage(server), createPage(server)];
  for (const each of [page, other]) each.open();
  settle([page, other]);
  page.edit([[1, 0, "1"]]);
  page.edit([[2, 0, "234567890"]]);
  page.edit([[5, 6, ""]]);
  settle([page, other]);
  assert.deepEqual([other.shown, page.session.queue.entries()], ["01234", []]);

  page.edit([[5, 0, "abcd"]]);
  settle([page, other]);
  assert.equal(other.shown, "01234");
  other.edit([[0, 2, ""]]);
  settle([page, other]);

  assert.deepEqual([page.shown, other.shown, server.text.value], ["234abcd", "234abcd", "234abcd"]);
});

test("what fits again goes in parts of which none makes the text too long", () => {
  const server = createServer({ hello: { limits: { frame: 65_536, text: 3_000 } }, text: "a".repeat(200) + "c".repeat(90) });
  const page = createPage(server);
  page.open();
  settle([page]);

  page.edit([[0, 0, "b".repeat(2_750)]]);
  page.edit([[2_950, 90, ""]]);

  let text = server.text.value;
  const sizes = page.sent.filter(({ edits }) => edits).map(({ edits }) => (text = applyEdit(text, edits)).length);
  assert.ok(sizes.length > 1 && Math.max(...sizes) <= 3_000, `${sizes}`);
  settle([page]);
  assert.deepEqual([server.text.value, text], [page.shown, page.shown]);
});

test("a field is measured when it is shown, at each change, and when an edit was refused", () => {
  const it = typing();
  assert.deepEqual(it.context.measured, [0]);
  it.type(3, "d");
  assert.equal(it.context.measured.length, 2);

  const text = it.session.text("number");
  text.tell([], text.text());

  assert.equal(it.context.measured.length, 3);
  assert.equal(it.field.value, "abcd");
});

test("characters are counted as people do, whatever their bytes", () => {
  const over = (text, limit, size = (each) => Buffer.byteLength(each)) => charactersOver(text, size(text) - limit, size);

  assert.equal(over("x".repeat(270_024), 262_144), 7_880);
  assert.equal(over("結".repeat(100), 270), 10);
  assert.equal(over("結".repeat(100), 271), 10, "a part of a character cannot go");
  assert.equal(over("👨‍👩‍👧‍👦".repeat(10), 225), 1);
  assert.equal(over("か\u3099".repeat(10), 54), 1);
  assert.equal(over("x".repeat(100) + "結び", 100), 2);
  assert.equal(over("x".repeat(300_000), 0), 300_000);
  assert.equal(over('"\n'.repeat(10), 36, bytesInJSON), 2);
});

/** A control with a message beside it, in a document that knows its elements. */
function message(lang = "en") {
  const document = fakeDocument();
  const label = document.element("label");
  const field = document.element("input", { "aria-describedby": "hint" });
  label.append(field);
  document.body.append(label);
  Object.assign(field, { setCustomValidity: (text) => (field.validity = text), closest: () => label });
  let note;
  document.createElement = (name) => (note = document.element(name));
  label.after = (element) => (document.body.append(element), (element.setAttribute("id", element.id), undefined));
  const root = { dataset: {}, lang };
  const line = fakeElement("p");
  const status = createStatus(line, root, fakeWindow());
  const tell = (over, value, name = "not-shared") => tellLong({ status }, field, over, value, name);
  return { document, field, root, line, status, tell, note: () => note };
}

test("the message stays beside the control as long as its text is too long, and leaves no trace", () => {
  const it = message();

  it.tell(7_880, "x".repeat(270_024));
  assert.equal(it.note().textContent, "Not shared: 7,880 characters too long.");
  assert.equal(it.line.textContent, it.note().textContent, "it is told once");
  assert.equal(it.note().parentElement, it.document.body, "it is no part of the control's name");
  assert.equal(it.field.getAttribute("aria-invalid"), "true");
  assert.equal(it.field.getAttribute("aria-describedby"), `hint ${it.note().id}`);
  assert.equal(it.field.validity, it.note().textContent, "its form cannot be submitted");
  const { note } = it;
  it.tell(1, "x".repeat(262_145));
  assert.equal(note().textContent, "Not shared: 1 character too long.");
  it.tell(0, "");

  assert.equal(note().parentElement, null);
  assert.deepEqual([it.field.getAttribute("aria-invalid"), it.field.getAttribute("aria-describedby"), it.field.validity], [null, "hint", ""]);
});

test("the message is in the page's language, and counts a value as JSON writes it", (context) => {
  const it = message();
  const { document } = globalThis;
  context.after(() => (globalThis.document = document));
  globalThis.document = { querySelectorAll: () => [it.note()] };
  it.tell(4, `${"x".repeat(100)}\n\n`, "not-sent");
  assert.equal(it.note().textContent, "Not sent: 2 characters too long.");

  it.root.lang = "ja";
  translatePage({ status: it.status });

  assert.equal(it.note().textContent, "送信されていません（2文字超過）。");
});

test("an edit of many places fits into frames, whatever it deletes, and its parts have its effect", () => {
  const random = seeded(3);
  const places = Array.from({ length: 6_000 }, (_, index) => [3 * index, 1, ""]);
  const text = "abc".repeat(6_000);
  const edits = [places, [[1, 2, "y".repeat(6_000)], [9, 1, "z"], [12, 0, "結".repeat(3_000)]]];
  for (let count = 0; count < 200; count += 1) {
    const edit = randomEdit(text.slice(0, 200), random);
    edits.push(edit.map(([at, deleted, inserted]) => [at, deleted, inserted.repeat(1 + Math.floor(1500 * random()))]));
  }

  for (const edit of edits) {
    const parts = split(edit);
    const texts = parts.map(((shown) => (part) => (shown = applyEdit(shown, part)))(text));
    const after = applyEdit(text, edit);
    assert.equal(texts.at(-1) ?? text, after);
    const most = Math.max(Buffer.byteLength(text), Buffer.byteLength(after));
    assert.ok(texts.every((shown) => Buffer.byteLength(shown) <= most), "a part is longer than the whole");
    for (const part of parts) {
      assert.ok(unitsOf(part) <= maxUnits);
      assert.ok(Buffer.byteLength(JSON.stringify({ input: 1e9, name: "number", revision: 1e9, edits: part })) <= 16_384);
    }
  }
});
