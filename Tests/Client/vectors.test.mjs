// SPDX-License-Identifier: Apache-2.0
// Swift writes the vectors (see TextEdit.swift); what the server and a page compute apart has to be the same.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { applyEdit, join } from "../../Sources/BrowserClient/musubi/text/edit.js";
import { mapCaret, transform } from "../../Sources/BrowserClient/musubi/text/transform.js";

const vectors = JSON.parse(readFileSync(new URL("../Vectors/text-edits.json", import.meta.url), "utf8"));

test("edits are transformed as in Swift", () => {
  for (const vector of vectors.transform) {
    const hint = JSON.stringify(vector);
    assert.deepEqual(transform(vector.p, vector.s), [vector["p'"], vector["s'"]], hint);
    assert.equal(applyEdit(applyEdit(vector.text, vector.s), vector["p'"]), vector.result, hint);
    assert.equal(applyEdit(applyEdit(vector.text, vector.p), vector["s'"]), vector.result, hint);
  }
});

test("carets are mapped as in Swift", () => {
  for (const { edit, caret, after, before } of vectors.caret) {
    const hint = JSON.stringify({ edit, caret });
    assert.equal(mapCaret(caret, edit), after, hint);
    assert.equal(mapCaret(caret, edit, true), before, hint);
  }
});

test("differences and compositions apply as in Swift", () => {
  for (const { old, new: next, edit } of vectors.diff) assert.equal(applyEdit(old, edit), next);
  for (const { text, first, second, edit, result } of vectors.compose) {
    assert.equal(applyEdit(text, edit), result);
    const joined = join(first, second);
    if (joined) assert.equal(applyEdit(text, joined), result);
  }
});
