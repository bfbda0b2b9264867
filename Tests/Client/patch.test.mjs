// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { backoffMs } from "../../Sources/BrowserClient/musubi/backoff.js";
import { applyPatch } from "../../Sources/BrowserClient/musubi/patch.js";

const cases = [
  ["add a member", { a: 1 }, [{ op: "add", path: "/b", value: 2 }], { a: 1, b: 2 }],
  ["replace a member", { a: 1 }, [{ op: "replace", path: "/a", value: null }], { a: null }],
  ["remove a member", { a: 1, b: 2 }, [{ op: "remove", path: "/a" }], { b: 2 }],
  ["insert a row", { l: [1, 3] }, [{ op: "add", path: "/l/1", value: 2 }], { l: [1, 2, 3] }],
  ["append a row", { l: [1] }, [{ op: "add", path: "/l/1", value: 2 }], { l: [1, 2] }],
  ["remove a row", { l: [1, 2] }, [{ op: "remove", path: "/l/0" }], { l: [2] }],
  ["move a row", { l: [1, 2, 3] }, [{ op: "move", from: "/l/2", path: "/l/0" }], { l: [3, 1, 2] }],
  ["escaped names", { "a/b~c": 1 }, [{ op: "replace", path: "/a~1b~0c", value: 2 }], { "a/b~c": 2 }],
  ["a name with a dot", { "x.field": "a" }, [{ op: "replace", path: "/x.field", value: "b" }], { "x.field": "b" }],
];

for (const [title, before, patch, after] of cases) {
  test(`a patch can ${title}`, () => {
    const copy = structuredClone(before);
    assert.deepEqual(applyPatch(before, patch), after);
    assert.deepEqual(before, copy, "the document before stays as it was");
  });
}

test("values that a patch does not touch stay identical", () => {
  const before = { rows: [{ id: 1 }, { id: 2 }], other: {} };
  const after = applyPatch(before, [{ op: "replace", path: "/rows/0/id", value: 3 }]);
  assert.equal(after.other, before.other);
  assert.equal(after.rows[1], before.rows[1]);
});

test("a path that leads nowhere is an error", () => {
  assert.throws(() => applyPatch({}, [{ op: "replace", path: "/a/b", value: 1 }]));
  assert.throws(() => applyPatch({ l: [] }, [{ op: "remove", path: "/l/0" }]));
  assert.throws(() => applyPatch({}, [{ op: "test", path: "/a" }]));
  assert.throws(() => applyPatch({}, [{ op: "add", path: "/__proto__", value: {} }]));
});

test("the wait before a retry grows, is spread over the whole interval and has a ceiling", () => {
  assert.equal(backoffMs(0, () => 0), 0);
  assert.equal(backoffMs(0, () => 0.5), 250);
  assert.equal(backoffMs(3, () => 0.5), 2000);
  assert.equal(backoffMs(1000, () => 0.999), 9990);
});
