// @ts-check
// SPDX-License-Identifier: Apache-2.0

/**
 * One RFC 6902 operation; the server sends these four kinds only.
 *
 * @typedef {{op: string, path: string, from?: string, value?: any}} Operation
 */

/**
 * The document after a JSON Patch; the one before stays as it was.
 *
 * Objects and lists on the way to a change are copied and all others are shared, so that `===` tells whether a
 * part of the document changed, and a patch that fails half-way changes nothing.
 *
 * @param {any} document
 * @param {Operation[]} operations
 * @returns {any}
 * @throws {Error} If a path leads nowhere.
 */
export function applyPatch(document, operations) {
  for (const { op, path, from, value } of operations) {
    if (from) {
      const moved = keysOf(from).reduce((node, key) => node[key], /** @type {any} */ ({ "": document }));
      document = edited(edited(document, "remove", from), "add", path, moved);
    } else document = edited(document, op, path, value);
  }
  return document;
}

/** @type {(pointer: string) => string[]} The segments of a JSON pointer (RFC 6901); the first, "", is the document. */
export const keysOf = (pointer) => pointer.split("/").map((part) => part.replace(/~1/g, "/").replace(/~0/g, "~"));

/**
 * A copy with one place changed.
 *
 * @param {any} document
 * @param {string} op
 * @param {string} path
 * @param {any} [value]
 */
function edited(document, op, path, value) {
  const result = { "": document };
  const keys = keysOf(path);
  const last = /** @type {string} */ (keys.pop());
  /** @type {any} */
  let node = result;
  for (const key of keys) node = node[key] = node[key].slice?.() ?? { ...node[key] };
  const isAddition = op === "add";
  if (last === "__proto__" || !(isAddition || Object.hasOwn(node, last))) throw new Error(path);
  if (op === "replace" || (isAddition && !node.splice)) node[last] = value;
  else if (isAddition) node.splice(last, 0, value);
  else if (node.splice) node.splice(last, 1);
  else delete node[last];
  return result[""];
}
