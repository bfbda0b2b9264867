// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { applyEdit, difference, join, typed } from "../../Sources/BrowserClient/musubi/text/edit.js";
import { mapCaret, transform } from "../../Sources/BrowserClient/musubi/text/transform.js";
import { randomEdit, randomText, seeded } from "./support/random.mjs";

test("an edit replaces ranges of the text before it", () => {
  assert.equal(applyEdit("hello", [[0, 1, "J"], [5, 0, "!"]]), "Jello!");
});

test("two edits of one text meet in the same text, whichever is applied first", () => {
  const seed = Number(process.env.SEED ?? Date.now() % 1e9);
  const random = seeded(seed);
  for (let round = 0; round < 5000; round += 1) {
    const text = randomText(random);
    const ours = randomEdit(text, random);
    const theirs = randomEdit(text, random);
    const [ours2, theirs2] = transform(ours, theirs);
    const hint = `seed ${seed}: ${JSON.stringify({ text, ours, theirs })}`;
    assert.equal(applyEdit(applyEdit(text, theirs), ours2), applyEdit(applyEdit(text, ours), theirs2), hint);
  }
});

test("edits that touch become one that does what both do one after the other", () => {
  const seed = Number(process.env.SEED ?? Date.now() % 1e9);
  const random = seeded(seed);
  let joined = 0;
  for (let round = 0; round < 5000; round += 1) {
    const text = randomText(random);
    const first = randomEdit(text, random);
    const second = randomEdit(applyEdit(text, first), random);
    const both = join(first, second);
    if (!both) continue;
    joined += 1;
    const hint = `seed ${seed}: ${JSON.stringify({ text, first, second })}`;
    assert.equal(applyEdit(text, both), applyEdit(applyEdit(text, first), second), hint);
  }
  assert.ok(joined > 100);
});

test("typing on, deleting back and replacing are joined; edits that are apart are not", () => {
  assert.deepEqual(join([[3, 0, "a"]], [[4, 0, "b"]]), [[3, 0, "ab"]]);
  assert.deepEqual(join([[3, 0, "ab"]], [[4, 1, ""]]), [[3, 0, "a"]]);
  assert.deepEqual(join([[3, 0, "a"]], [[2, 2, ""]]), [[2, 1, ""]]);
  assert.deepEqual(join([[3, 0, "a"]], [[3, 1, ""]]), []);
  assert.equal(join([[3, 0, "a"]], [[5, 0, "b"]]), undefined);
});

test("text that somebody inserts between the units of a rewrite stays in its place", () => {
  const [ours, theirs] = transform([[1, 0, "x"]], [[0, 2, "AB"]]);
  assert.equal(applyEdit(applyEdit("ab", [[0, 2, "AB"]]), ours), "AxB");
  assert.equal(applyEdit(applyEdit("ab", [[1, 0, "x"]]), theirs), "AxB");
});

test("the server's text comes first where both insert at one place", () => {
  const [ours, theirs] = transform([[1, 0, "o"]], [[1, 0, "t"]]);
  assert.equal(applyEdit(applyEdit("[]", [[1, 0, "o"]]), theirs), "[to]");
  assert.equal(applyEdit(applyEdit("[]", [[1, 0, "t"]]), ours), "[to]");
});

test("typing over as many units survives where others delete them, and a rewriting does not", () => {
  const exchanged = typed([[1, 1, "x"]]);
  assert.deepEqual(exchanged, [[1, 0, "x"], [1, 1, ""]]);
  assert.deepEqual(transform(exchanged, [[0, 3, ""]])[0], [[0, 0, "x"]]);
  assert.deepEqual(transform([[1, 1, "X"]], [[0, 3, ""]])[0], []);
  assert.deepEqual(join(exchanged, [[2, 0, "y"]]), [[1, 1, "xy"]]);
  assert.deepEqual(join([[1, 0, "x"]], [[2, 1, ""]]), exchanged);
});

test("an insertion inside a range that the other deletes survives", () => {
  const [ours] = transform([[2, 0, "x"]], [[0, 4, ""]]);
  assert.equal(applyEdit(applyEdit("abcd", [[0, 4, ""]]), ours), "x");
});

test("the difference of two texts turns one into the other and splits no surrogate pair", () => {
  const seed = Number(process.env.SEED ?? Date.now() % 1e9);
  const random = seeded(seed);
  for (let round = 0; round < 5000; round += 1) {
    const before = randomText(random);
    const after = random() < 0.5 ? randomText(random) : applyEdit(before, randomEdit(before, random));
    const edit = difference(before, after, random() < 0.5 ? null : Math.floor(random() * (after.length + 1)));
    const hint = `seed ${seed}: ${JSON.stringify({ before, after, edit })}`;
    assert.equal(applyEdit(before, edit), after, hint);
    for (const [, , inserted] of edit) assert.ok(inserted.isWellFormed?.() ?? true, hint);
  }
});

test("the caret tells which of several equal characters was typed", () => {
  assert.deepEqual(difference("aaa", "aaaa", 2), [[1, 0, "a"]]);
  assert.deepEqual(difference("aaa", "aa", 1), [[1, 1, ""]]);
});

test("changing one emoji into its neighbour replaces the whole pair", () => {
  assert.deepEqual(difference("😀", "😁", 2), [[0, 2, "😁"]]);
});

test("a caret goes where a text typed there would go", () => {
  assert.equal(mapCaret(3, [[0, 0, "xy"]]), 5);
  assert.equal(mapCaret(3, [[3, 0, "xy"]]), 5);
  assert.equal(mapCaret(3, [[3, 0, "xy"]], true), 3);
  assert.equal(mapCaret(3, [[0, 3, "ABC"]]), 3);
  assert.equal(mapCaret(2, [[0, 3, "ABC"]]), 2);
  assert.equal(mapCaret(2, [[0, 3, ""]]), 0);
  assert.equal(mapCaret(2, [[0, 2, "57"]]), 2);
});
