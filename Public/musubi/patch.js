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
 * @throws {Error} If an operation is unknown or its path leads nowhere.
 */
export function applyPatch(document, operations) {
  for (const { op, path, from, value } of operations) {
    const target = segments(path);
    if (op === "move") {
      const source = segments(from ?? "");
      const moved = source.reduce((node, key) => node?.[key], document);
      document = edited(edited(document, source, "remove"), target, "add", moved);
    } else if (op === "add" || op === "remove" || op === "replace") {
      document = edited(document, target, op, value);
    } else {
      throw new Error(op);
    }
  }
  return document;
}

/**
 * The segments of a JSON pointer (RFC 6901).
 *
 * @param {string} pointer
 * @returns {string[]}
 */
function segments(pointer) {
  return pointer.split("/").slice(1).map((part) => part.replace(/~1/g, "/").replace(/~0/g, "~"));
}

/**
 * A copy of `node` with one place changed.
 *
 * @param {any} node
 * @param {string[]} path
 * @param {string} op
 * @param {any} [value]
 * @returns {any}
 */
function edited(node, path, op, value) {
  if (!path.length) return op === "remove" ? undefined : value;
  const [key, ...rest] = path;
  const isList = Array.isArray(node);
  const copy = isList ? node.slice() : { ...node };
  const isAddition = !rest.length && op === "add";
  if (key === "__proto__" || !(isAddition || Object.hasOwn(node, key))) throw new Error(key);
  if (isList && !rest.length && op !== "replace") copy.splice(+key, isAddition ? 0 : 1, ...(isAddition ? [value] : []));
  else if (!rest.length && op === "remove") delete copy[key];
  else copy[key] = edited(node[key], rest, op, value);
  return copy;
}
