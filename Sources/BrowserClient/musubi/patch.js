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
  const root = operations.reduce((root, { op, path, from, value }) => {
    if (!from) return edited(root, keysOf(path), op, value);
    const moved = keysOf(from).reduce((node, key) => node[key], root);
    return edited(edited(root, keysOf(from), "remove"), keysOf(path), "add", moved);
  }, /** @type {any} */ ({ "": document }));
  return root[""];
}

/** @type {(pointer: string) => string[]} The segments of a JSON pointer (RFC 6901); the first, "", is the document. */
export const keysOf = (pointer) => pointer.split("/").map((part) => part.replace(/~1/g, "/").replace(/~0/g, "~"));

/**
 * A copy with one place inside changed.
 *
 * @param {any} node
 * @param {string[]} path
 * @param {string} op
 * @param {any} [value]
 */
function edited(node, [key, ...path], op, value) {
  const copy = node.slice?.() ?? { ...node };
  const isAddition = op === "add";
  if (key === "__proto__" || !(isAddition || Object.hasOwn(node, key))) throw new Error(key);
  if (path.length) copy[key] = edited(node[key], path, op, value);
  else if (op === "replace" || (isAddition && !node.splice)) copy[key] = value;
  else if (isAddition) copy.splice(key, 0, value);
  else if (node.splice) copy.splice(key, 1);
  else delete copy[key];
  return copy;
}
