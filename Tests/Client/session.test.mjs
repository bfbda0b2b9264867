// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { createPage, settle } from "./support/network.mjs";
import { randomEdit, seeded } from "./support/random.mjs";
import { createServer } from "./support/server.mjs";

function opened(server, saved) {
  const page = createPage(server, saved);
  page.open();
  page.settle();
  return page;
}

test("a new page shows the state that the server has", () => {
  const page = opened(createServer());

  assert.equal(page.shown, "0");
  assert.equal(page.state.label, "0");
});

test("two pages that type at once end with the same text and all characters", () => {
  const server = createServer();
  const [a, b] = [opened(server), opened(server)];

  a.edit([[1, 0, "a"]]);
  b.edit([[0, 0, "b"]]);
  a.edit([[2, 0, "A"]]);
  settle([a, b]);

  assert.equal(server.text.value, "b0aA");
  assert.deepEqual([a.shown, b.shown, b.state.label], ["b0aA", "b0aA", "b0aA"]);
});

test("inputs that were not acknowledged are sent again after a resume, once and in order", () => {
  const server = createServer();
  const page = opened(server);
  page.edit([[1, 0, "1"]]);
  page.up();
  page.edit([[2, 0, "2"]]);
  page.cut();
  page.edit([[3, 0, "3"]]);

  page.open();
  page.settle();

  assert.equal(server.text.value, "0123");
  assert.equal(page.shown, "0123");
  assert.equal(page.session.queue.entries().length, 0);
  assert.deepEqual(server.taken.map((entry) => entry.split(":")[1]), ["1", "2", "3"]);
});

test("typing over a selection is one input, whatever its length, and so is typing on", () => {
  const server = createServer();
  const page = opened(server);
  page.session.edit("number", [[0, 1, "4"]]);
  page.session.edit("number", [[1, 0, "2"]]);

  page.session.flush();
  page.edit([[0, 2, "57"]]);

  const entries = page.session.text("number").save().pending;
  assert.deepEqual(entries.map(({ input, edit }) => [input, edit]), [[1, [[0, 1, "42"]]], [2, [[0, 0, "57"], [0, 2, ""]]]]);
  page.settle();
  assert.deepEqual([server.text.value, page.shown], ["57", "57"]);
});

test("several edits of one's own may be steps of one turn, with other people's between them", () => {
  const page = opened(createServer());
  page.edit([[1, 0, "1"]]);
  page.edit([[2, 0, "2"]]);

  page.session.receive({ ack: 1, revision: 2 });
  page.session.receive({ ack: 2, revision: 3 });
  const steps = [[[0, 0, "b"]], [[2, 0, "1"]], [[3, 0, "2"]], [[0, 4, "B012"]]];
  page.session.receive({ sequence: 1, edits: { number: { revision: 4, steps } } });

  assert.equal(page.shown, "B012");
  assert.deepEqual(page.session.queue.entries(), []);
});

test("an edit whose acknowledgement was lost is recognised as one's own after a resume", () => {
  const server = createServer();
  const page = opened(server);
  page.edit([[1, 0, "1"]]);
  page.up();
  page.cut();

  page.open();
  page.settle();

  assert.equal(page.shown, "01");
  assert.equal(server.text.value, "01");
});

test("a snapshot under pending edits keeps typing", () => {
  const server = createServer({ keep: 1 });
  const [a, b] = [opened(server), opened(server)];
  a.cut();
  a.edit([[1, 0, "!"]]);
  for (const letter of ["x", "y", "z"]) b.edit([[0, 0, letter]]);
  settle([b]);

  a.open();
  settle([a, b]);

  assert.equal(a.shown, server.text.value);
  assert.equal(a.shown, "zyx0!");
});

test("a reload of the page takes waiting inputs along", () => {
  const server = createServer();
  const before = opened(server);
  before.cut();
  before.edit([[1, 0, "7"]]);
  before.tap("roll");

  const after = opened(server, JSON.parse(JSON.stringify(before.session.save())));

  assert.equal(after.session.queue.entries().length, 0);
  assert.equal(server.taken.length, 2);
  assert.equal(after.shown, after.state.label);
});

test("a reload of the page does not double what had arrived", () => {
  const server = createServer();
  const before = opened(server);
  before.edit([[1, 0, "7"]]);
  before.up();
  before.cut();

  const after = opened(server, JSON.parse(JSON.stringify(before.session.save())));

  assert.equal(server.text.value, "07");
  assert.equal(after.shown, "07");
});

test("a server that forgot the session gets typed text, and taps are only reported", () => {
  const server = createServer();
  const page = opened(server);
  page.cut();
  page.edit([[1, 0, "7"]]);
  page.tap("roll");
  server.forget();

  page.open();
  page.settle();

  assert.equal(server.text.value, "07");
  assert.equal(page.shown, "07");
  assert.equal(page.lost, 1);
  assert.equal(page.session.queue.entries().length, 0);
});

test("a server that lost its memory gets the text back, with typing while it was away", () => {
  const server = createServer();
  const [page, other] = [opened(server), opened(server)];
  page.edit([[0, 1, "42"]]);
  settle([page, other]);
  for (const each of [page, other]) each.cut();
  server.restart();
  page.edit([[2, 0, "7"]]);
  other.edit([[2, 0, "8"]]);

  for (const each of [page, other]) {
    each.open();
    each.settle();
  }
  settle([page, other]);

  assert.match(server.text.value, /^42(78|87)$/);
  assert.deepEqual([page.shown, other.shown, page.state.label], Array(3).fill(server.text.value));
  assert.deepEqual([page.left, other.left], [[], []]);
});

test("a text that somebody has begun again is not overwritten by a page's memory", () => {
  const server = createServer();
  const page = opened(server);
  page.edit([[0, 1, "42"]]);
  page.settle();
  page.cut();
  server.restart();
  const visitor = opened(server);
  visitor.edit([[0, 1, "new"]]);
  visitor.settle();
  page.edit([[2, 0, "7"]]);

  page.open();
  settle([page, visitor]);

  assert.deepEqual([page.shown, server.text.value], ["new7", "new7"]);
  assert.deepEqual(page.left, [["427", "given-up"]]);
});

test("a refusal that was lost with its connection is told again, and the text stays in the field", () => {
  const server = createServer();
  const page = opened(server);
  page.edit([[1, 0, "a"]]);
  page.settle();
  page.session.edit("number", [[2, 0, "long"]]);
  page.session.edit("number", [[0, 0, "b"]]);
  page.session.flush();
  page.cut();
  page.session.open();

  page.session.receive({ resumed: { session: "s", token: "t", ack: 3, schema: "1" } });
  page.session.receive({ error: { code: "too-large", message: "Too long.", input: 2 } });
  page.session.receive({ ...snapshotOf("0ax"), epoch: "e", sequence: 9, revisions: { number: 9 } });

  assert.equal(page.shown, "b0axlong");
});

const snapshotOf = (text) => ({ snapshot: { label: text, number: text, "number.field": text } });

test("each resume brings a new token", () => {
  const server = createServer();
  const page = opened(server);
  const first = page.session.save().token;

  page.cut();
  page.open();
  page.settle();

  assert.notEqual(page.session.save().token, first);
  assert.equal(page.session.save().token, [...server.sessions.values()][0].token);
});

test("an input that waits for its pause is joined by typing meanwhile", () => {
  const server = createServer();
  const page = opened(server);
  page.session.edit("number", [[1, 0, "a"]]);
  page.session.edit("number", [[2, 0, "b"]]);

  page.session.flush();

  assert.equal(page.sent.filter((frame) => frame.edits).length, 1);
  page.settle();
  assert.equal(server.text.value, "0ab");
});

test("typing without a connection is joined, too", () => {
  const server = createServer();
  const page = opened(server);
  page.cut();
  for (let place = 1; place <= 2000; place += 1) page.edit([[place, 0, "x"]]);

  assert.ok(page.session.queue.entries().length < 10, `${page.session.queue.entries().length} changes wait`);
  page.open();
  page.settle();
  assert.equal(server.text.value, `0${"x".repeat(2000)}`);
});

test("a large paste travels in frames of at most 16 KiB", () => {
  const server = createServer();
  const page = opened(server);
  const paste = "😀結\u0001".repeat(5000);

  page.edit([[1, 0, paste]]);
  page.settle();

  assert.equal(server.text.value, `0${paste}`);
  for (const frame of page.sent) assert.ok(Buffer.byteLength(JSON.stringify(frame)) <= 16384);
});

test("typing on to a large paste that still waits travels in frames of their own", () => {
  const server = createServer();
  const page = opened(server);
  const paste = "\u0001".repeat(2000);

  page.session.edit("number", [[1, 0, paste]]);
  page.session.edit("number", [[2001, 0, paste]]);
  page.session.flush();
  page.settle();

  assert.equal(server.text.value, `0${paste}${paste}`);
  for (const frame of page.sent) assert.ok(Buffer.byteLength(JSON.stringify(frame)) <= 16384);
});

test("unsent typing behind a refused edit is not sent without its content", () => {
  const page = opened(createServer());
  page.edit([[1, 0, "a"]]);
  page.session.edit("number", [[0, 1, ""]]);
  page.sent.length = 0;

  page.session.receive({ error: { code: "internal", message: "The screen failed.", input: 1 } });
  page.session.flush();

  assert.deepEqual([page.sent, page.shown, page.session.queue.entries()], [[], "a", []]);
  assert.equal(page.session.queue.changes(), 0);
});

test("a step that the page has already, of a snapshot, is not applied again", () => {
  const page = opened(createServer());
  page.edit([[1, 0, "!"]]);
  page.session.receive({ snapshot: { "number": "0x", "number.field": "0x" }, epoch: "e", sequence: 4, revisions: { number: 2 } });
  assert.equal(page.shown, "0x!");

  page.session.receive({ sequence: 5, edits: { number: { revision: 3, steps: [[[1, 0, "x"]], [[2, 0, "y"]]] } } });

  assert.equal(page.shown, "0xy!");
  assert.deepEqual(page.session.text("number").save().pending.map(({ edit }) => edit), [[[3, 0, "!"]]]);
});

test("a refused edit stays in the field and is sent again once the person has gone on typing", () => {
  const page = opened(createServer());
  page.session.edit("number", [[1, 0, "long"]]);
  page.session.flush();
  page.sent.length = 0;
  page.session.receive({ error: { code: "too-large", message: "Too long.", input: 1 } });
  page.session.receive({ ack: 1 });
  page.edit([[5, 0, "er"]]);
  assert.deepEqual(page.sent, []);
  page.session.receive({ sequence: 1, edits: { number: { revision: 1, steps: [[]] } } });

  page.edit([[1, 5, ""]]);

  assert.equal(page.shown, "0r");
  assert.deepEqual(page.problems, ["too-large"]);
  assert.deepEqual(JSON.parse(JSON.stringify(page.sent)), [
    { input: 2, name: "number", revision: 1, edits: [[1, 0, "longer"]] },
    { input: 3, name: "number", revision: 1, edits: [[1, 5, ""]] },
  ]);
});

test("an edit that ended the server is not sent again before the person has changed the text", () => {
  const page = opened(createServer());
  page.session.edit("number", [[1, 0, "!"]]);
  page.session.flush();
  page.session.receive({ error: { code: "internal", message: "The screen failed.", input: 1 } });
  page.session.receive({ ack: 1 });
  page.session.receive({ sequence: 1, edits: { number: { revision: 1, steps: [[]] } } });
  page.sent.length = 0;
  page.cut();
  page.session.open();
  page.session.receive({ resumed: { session: "s", token: "t", ack: 1, schema: "1", turns: 0 } });
  assert.deepEqual([page.shown, page.sent], ["0!", []]);

  page.edit([[1, 1, "x"]]);
  page.session.flush();

  assert.equal(page.shown, "0x");
  assert.deepEqual(page.sent.filter((frame) => frame.edits).map((frame) => frame.edits), [[[1, 0, "x"]]]);
});

test("a text over the server's limit is not sent before it is shorter", () => {
  const server = createServer({ hello: { limits: { frame: 65536, text: 8 } } });
  const page = opened(server);

  page.edit([[1, 0, "12345678"]]);
  page.settle();
  assert.deepEqual([page.shown, server.text.value, page.problems], ["012345678", "0", []]);
  assert.equal(page.session.excess(page.session.text("number")), 1);
  page.edit([[8, 1, ""]]);
  page.settle();

  assert.deepEqual([page.shown, server.text.value], ["01234567", "01234567"]);
  assert.equal(page.session.excess(page.session.text("number")), 0);
});

test("what fits is sent, whatever its bytes: a text that was replaced leaves all of its own", () => {
  const server = createServer({ hello: { limits: { frame: 65536, text: 12 } }, text: "結結結結" });
  const page = opened(server);

  page.edit([[0, 4, "かかか"]]);
  page.edit([[3, 0, "xyz"]]);
  page.settle();
  assert.deepEqual([server.text.value, page.session.excess(page.session.text("number"))], ["かかかxyz", 0]);
  page.edit([[0, 1, "字!"]]);
  page.settle();

  assert.deepEqual([server.text.value, page.session.excess(page.session.text("number"))], ["かかかxyz", 1]);
});

test("a gap in the stream is noticed", () => {
  const page = opened(createServer());

  page.session.receive({ sequence: 5, patch: [] });

  assert.equal(page.brokenTimes, 1);
  assert.equal(page.session.open(), undefined);
});

test("a full queue takes no more taps", () => {
  const page = opened(createServer());
  page.cut();
  for (let index = 0; index < 1000; index += 1) page.tap("roll");

  assert.ok(page.session.queue.isFull());
  assert.equal(page.session.input("tap", { name: "roll" }), 0);
});

test("events reach the page", () => {
  const server = createServer();
  const page = opened(server);
  server.publish([], [], [{ name: "message", value: "hi" }]);
  page.settle();

  assert.deepEqual(page.events, [{ name: "message", value: "hi" }]);
});

/** One random schedule: typing, rolls, latency, lost connections, reloads and at the end peace. */
function schedule(seed, { rewrite, keepsCharacters = true }) {
  const random = seeded(seed);
  const server = createServer({ rewrite, random, keep: random() < 0.3 ? 2 : 50 });
  let pages = Array.from({ length: 2 + Math.floor(random() * 2) }, () => opened(server));
  const typed = [];
  let next = 0x3400;
  for (let round = 0; round < 40; round += 1) {
    const index = Math.floor(random() * pages.length);
    const page = pages[index];
    const chance = random();
    if (chance < 0.35) {
      const letter = String.fromCharCode((next += 1));
      if (keepsCharacters || random() < 0.7) {
        const position = Math.floor(random() * (page.shown.length + 1));
        page.edit([[position, 0, letter]]);
        typed.push(letter);
      } else {
        const edit = randomEdit(page.shown, random);
        if (edit.length) page.edit(edit);
      }
    } else if (chance < 0.6) page.up();
    else if (chance < 0.85) page.down();
    else if (chance < 0.9) page.cut();
    else if (chance < 0.95) page.isOpen || page.open();
    else if (chance < 0.97) {
      const saved = JSON.parse(JSON.stringify(page.session.save()));
      page.cut();
      pages[index] = createPage(server, saved);
      pages[index].open();
      pages[index].settle();
    }
  }
  for (const page of pages) page.isOpen || page.open();
  settle(pages);
  const hint = `seed ${seed}`;
  for (const page of pages) {
    assert.equal(page.shown, server.text.value, `${hint}: pages and server differ`);
    assert.deepEqual(page.state.label, server.state.label, hint);
    assert.equal(page.session.queue.entries().length, 0, `${hint}: something still waits`);
    assert.equal(page.brokenTimes, 0, hint);
  }
  assert.equal(new Set(server.taken).size, server.taken.length, `${hint}: an input was taken twice`);
  if (!keepsCharacters) return;
  for (const letter of typed) {
    assert.equal(server.text.value.split(letter).length, 2, `${hint}: ${letter} was lost or doubled`);
  }
}

const seeds = process.env.SEED ? [Number(process.env.SEED)] : Array.from({ length: Number(process.env.ROUNDS ?? 400) }, (_, index) => index + 1);

test("whatever the network does, pages converge and no character is lost or doubled", () => {
  for (const seed of seeds) schedule(seed, {});
});

test("the same with a ViewModel that rewrites typing", () => {
  const upper = (text) => text.replace(/[a-z]/g, (letter) => letter.toUpperCase());
  for (const seed of seeds) schedule(seed, { rewrite: upper, keepsCharacters: false });
  for (const seed of seeds) schedule(seed, { rewrite: (text) => text.slice(0, 8), keepsCharacters: false });
});
