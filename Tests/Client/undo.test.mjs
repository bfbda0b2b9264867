// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import * as value from "../../Sources/BrowserClient/musubi/outlets/value.js";
import { createWatchers } from "../../Sources/BrowserClient/musubi/page.js";
import { fakeContext, fakeField } from "./support/dom.mjs";
import { createPage, settle } from "./support/network.mjs";
import { seeded } from "./support/random.mjs";
import { createServer } from "./support/server.mjs";

/** A person at a field of a text that several write. */
function writer(server) {
  const page = createPage(server);
  page.open();
  page.settle();
  const field = fakeField({}, "textarea");
  const context = fakeContext(page.session, createWatchers());
  value.attach(field, context, { argument: "", name: "number" });
  field.changes = 0;
  context.listen("input", field, () => (field.changes += 1));
  const press = (key, shiftKey = false) => context.fire(field, "keydown", { key, shiftKey, ctrlKey: true });
  return Object.assign(page, {
    field,
    /** Replaces a range by hand. */
    type(at, count, text) {
      field.replace(at, at + count, text);
      context.fire(field, "input");
    },
    fire: (type, event) => context.fire(field, type, event),
    runLater: context.runLater,
    undo: () => press("z"),
    redo: () => press("z", true),
  });
}

function writers(count, options) {
  const server = createServer(options);
  return [server, ...Array.from({ length: count }, () => writer(server))];
}

/** Lets everything pass, and finds the text in both fields. */
function show(server, pages, text) {
  settle(pages);
  for (const { field } of pages) assert.equal(field.value, text);
  assert.equal(server.text.value, text);
}

test("undo brings back text that was typed over, though somebody else has deleted its replacement", () => {
  for (const typed of ["THAT", "THOSE", "X"]) {
    const [server, one, other] = writers(2);
    const all = [one, other];
    one.type(0, 1, "keep this here");
    show(server, all, "keep this here");
    one.type(5, 4, typed);
    show(server, all, `keep ${typed} here`);
    other.type(5, typed.length, "");
    show(server, all, "keep  here");

    one.undo();

    show(server, all, "keep this here");
  }
});

test("undo leaves somebody else's typing inside of text that was typed over", () => {
  for (const typed of ["THAT", "THOSE"]) {
    const [server, one, other] = writers(2);
    one.type(0, 1, "this");
    show(server, [one, other], "this");
    one.type(0, 4, typed);
    show(server, [one, other], typed);
    other.type(2, 0, "--");

    settle([one, other]);
    one.undo();

    show(server, [one, other], "this--");
  }
});

test("a field that tells no caret is undone, too, as one for an address of e-mail", () => {
  const [, one, other] = writers(2, { text: "" });
  for (const name of ["selectionStart", "selectionEnd"]) Object.defineProperty(one.field, name, { get: () => null, set() {} });
  one.field.setRangeText = () => {
    throw new DOMException("This type does not support selection.", "InvalidStateError");
  };
  one.type(0, 0, "ann");
  settle([one, other]);
  other.type(0, 0, "x");
  settle([one, other]);
  assert.equal(one.field.value, "xann");

  one.undo();
  settle([one, other]);
  assert.deepEqual([one.field.value, other.field.value], ["x", "x"]);
  one.redo();

  assert.equal(one.field.value, "xann");
});

test("what undoes the letters of a word is one edit", () => {
  const [server, one, other] = writers(2);
  for (const [index, letter] of [..."word"].entries()) one.type(1 + index, 0, letter);
  for (let at = 4; at > 1; at -= 1) one.type(at, 1, "");
  other.type(0, 1, "|");
  show(server, [one, other], "|w");

  for (const text of ["|word", "|"]) {
    const before = one.field.changes;
    one.undo();
    show(server, [one, other], text);
    assert.equal(one.field.changes, before + 1, text);
  }
  one.redo();
  show(server, [one, other], "|word");
});

test("the last 200 steps can be undone, and no more", () => {
  const [server, one, other] = writers(2);
  one.type(0, 1, "x ");
  other.type(0, 0, "|");
  settle([one, other]);
  for (let step = 1; step < 205; step += 1) one.type(one.field.value.length, 0, "x ");

  for (let step = 0; step < 210; step += 1) one.undo();

  show(server, [one, other], `|${"x ".repeat(5)}`);
});

/** A random run of several people who type, delete, undo and redo; then all is undone, and all is redone. */
function schedule(seed) {
  const random = seeded(seed);
  const below = (bound) => Math.floor(random() * bound);
  const base = "0123456789";
  const [server, ...pages] = writers(2 + below(2), { random, text: base });
  /** Who has typed a character. */
  const authors = new Map();
  /** Who has deleted a character by hand: if two do, both can bring it back. */
  const deleters = new Map();
  const hasUndone = new Set();
  let next = 0x3400;
  const count = (letter) => server.text.value.split(letter).length - 1;
  /** Looks at the characters that nobody has deleted, and at those of the beginning that one has deleted. */
  const check = (expected, atFirst) => {
    settle(pages);
    for (const { field } of pages) assert.equal(field.value, server.text.value, `seed ${seed}: pages and server differ`);
    for (const [letter, author] of authors) {
      if (deleters.has(letter)) continue;
      const hint = `seed ${seed}: character ${letter.codePointAt(0) - 0x3400} of page ${pages.indexOf(author)}`;
      assert.ok(expected(author, letter).includes(count(letter)), `${hint} is there ${count(letter)} times`);
    }
    for (const letter of base) {
      if (!((deleters.get(letter)?.size ?? 0) > atFirst)) assert.equal(count(letter), 1, `seed ${seed}: character "${letter}"`);
    }
  };
  /** Presses a key everywhere until it changes nothing any more. */
  const repeat = (press) => {
    for (let before; before !== server.text.value; settle(pages)) {
      before = server.text.value;
      for (const page of pages) press(page), random() < 0.5 && page.up();
    }
  };
  for (let round = 0; round < 60; round += 1) {
    const page = pages[below(pages.length)];
    const { value: text } = page.field;
    const chance = random();
    if (chance < 0.5) {
      const at = below(text.length + 1);
      const typed = Array.from({ length: chance < 0.45 ? 1 + below(3) : 0 }, () => String.fromCharCode((next += 1)));
      const gone = text.slice(at, at + (typed.length && below(4) ? 0 : 1 + below(4)));
      for (const letter of gone) deleters.set(letter, (deleters.get(letter) ?? new Set()).add(page));
      for (const letter of typed) authors.set(letter, page);
      if (gone || typed.length) page.type(at, gone.length, typed.join(""));
    } else if (chance < 0.58) {
      page.undo();
      hasUndone.add(page);
    } else if (chance < 0.62) page.redo();
    else if (chance < 0.8) page.up();
    else page.down();
  }
  check((author) => (hasUndone.has(author) ? [0, 1] : [1]), 0);
  // Undo is at hand once somebody else has changed the text.
  for (const page of pages) page.type(0, 0, "xyz"[pages.indexOf(page)]);
  settle(pages);
  const before = server.text.value;
  repeat((page) => page.undo());
  check(() => [0], 1);
  repeat((page) => page.redo());
  // Text that was taken back before other typing cannot be brought back.
  check((_, letter) => [Number(before.includes(letter))], 0);
}

test("typing over a selection is one step, and no step with pasting or typing around it", () => {
  const [server, one, other] = writers(2);
  one.type(0, 1, "keep this here");
  one.type(5, 4, "T");
  one.type(6, 0, "HAT");
  one.type(2, 0, "-");
  other.type(0, 0, "> ");
  const all = [one, other];
  settle(all);
  const shown = one.field.value;
  assert.ok(shown.includes("ke-ep THAT here"), shown);

  for (const text of ["keep THAT here", "keep this here", "0"]) {
    one.undo();
    show(server, all, shown.replace("ke-ep THAT here", text));
  }
});

test("a composition is one step, and others' text that comes meanwhile is none", () => {
  const [server, one, other] = writers(2);
  other.type(1, 0, "|");
  settle([one, other]);
  one.fire("compositionstart");
  one.type(2, 0, "に");
  other.type(0, 0, "> ");
  settle([one, other]);
  one.type(2, 1, "にほ");
  one.type(2, 2, "日");
  one.fire("compositionend");
  one.runLater();
  one.fire("compositionstart");
  one.type(5, 0, "h");
  one.type(5, 1, "本");
  one.fire("compositionend");
  one.runLater();
  show(server, [one, other], "> 0|日本");

  one.type(0, 0, "-");
  for (const text of ["> 0|日本", "> 0|日", "> 0|"]) {
    one.undo();
    show(server, [one, other], text);
  }
  one.redo();
  show(server, [one, other], "> 0|日");
});

test("whoever undoes and redoes takes back and brings back their own characters, each once, and nobody else's", () => {
  const rounds = Number(process.env.ROUNDS ?? 100);
  const seeds = process.env.SEED ? [Number(process.env.SEED)] : Array.from({ length: rounds }, (_, index) => index + 1);
  for (const seed of seeds) schedule(seed);
});

test("undo and redo work with a keyboard of other letters, and a key without a name is none of them", () => {
  const [server, one, other] = writers(2);
  one.type(1, 0, "mine");
  settle([one, other]);
  other.type(0, 0, "theirs ");
  show(server, [one, other], "theirs 0mine");
  const press = (event) => one.fire("keydown", { ctrlKey: true, ...event });

  press({ key: undefined });
  press({ key: "н", code: "KeyY" });
  show(server, [one, other], "theirs 0mine");
  press({ key: "я", code: "KeyZ" });
  show(server, [one, other], "theirs 0");
  press({ key: "Я", code: "KeyZ", shiftKey: true });
  show(server, [one, other], "theirs 0mine");
  // The letter counts where it is a Latin one: this is the Z of a German keyboard.
  press({ key: "z", code: "KeyY" });
  show(server, [one, other], "theirs 0");
});
