// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { applyEdit, compose, difference, mapCaret, transform } from "../../Public/musubi/text-merge.js";
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

test("a composed edit does what both do one after the other", () => {
  const seed = Number(process.env.SEED ?? Date.now() % 1e9);
  const random = seeded(seed);
  for (let round = 0; round < 5000; round += 1) {
    const text = randomText(random);
    const first = randomEdit(text, random);
    const second = randomEdit(applyEdit(text, first), random);
    const hint = `seed ${seed}: ${JSON.stringify({ text, first, second })}`;
    assert.equal(applyEdit(text, compose(first, second)), applyEdit(applyEdit(text, first), second), hint);
  }
});

test("the server's text comes first where both insert at one place", () => {
  const [ours, theirs] = transform([[1, 0, "o"]], [[1, 0, "t"]]);
  assert.equal(applyEdit(applyEdit("[]", [[1, 0, "o"]]), theirs), "[to]");
  assert.equal(applyEdit(applyEdit("[]", [[1, 0, "t"]]), ours), "[to]");
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

test("a caret stays between the characters where it was", () => {
  assert.equal(mapCaret(3, [[0, 0, "xy"]]), 5);
  assert.equal(mapCaret(3, [[3, 0, "xy"]]), 3);
  assert.equal(mapCaret(3, [[0, 3, "ABC"]]), 3);
  assert.equal(mapCaret(2, [[0, 3, "ABC"]]), 2);
  assert.equal(mapCaret(2, [[0, 3, ""]]), 0);
  assert.equal(mapCaret(2, [[0, 2, "57"]]), 2);
});
