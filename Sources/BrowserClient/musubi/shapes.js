// @ts-check
// SPDX-License-Identifier: Apache-2.0

/** @typedef {import("./dev.js").Finding} Finding */

/** @type {(value: any, path: string) => any} The value at a path with dots; a dot alone is the value itself. */
const at = (value, path) => (path === "." ? value : path.split(".").reduce((inner, member) => inner?.[member], value));
const isObject = (/** @type {any} */ value) => value !== null && typeof value === "object" && !Array.isArray(value);
/** What sends a control's value by another name, or keeps people from entering one. */
const otherwise = ["readonly", "disabled", "data-on-input", "data-on-change"];

/**
 * Holds the names of a page against the values that its screen has: what is a list, and what its rows have. A value that is
 * missing says nothing, so a name is only a mistake beside one that it resembles.
 *
 * @param {ParentNode} root The page, or the content of a list's template.
 * @param {any[]} rows The values around it: the screen's state, or the rows of the list.
 * @param {string[]} inputs The screen's inputs.
 * @param {string} [list] The list; none for the page.
 * @returns {Finding[]}
 */
export function shapes(root, rows, inputs, list) {
  return [...root.querySelectorAll("*")].flatMap((element) => {
    // Rows come of their template, which is looked at itself; a dialog has values of its own.
    if (element.closest("[data-row], [data-dialog]")) return [];
    const own = [...element.attributes].flatMap(({ name, value }) => {
      const found = name.startsWith("data-bind-") ? shape(element, name, value, rows, inputs, list) : undefined;
      return found ? [{ element, attribute: name, name: value, nearest: [], ...found }] : [];
    });
    const inner = element.getAttribute("data-bind-each");
    if (inner === null || !(element instanceof HTMLTemplateElement)) return own;
    const part = element.getAttribute("data-window");
    // Of a long list the page has the rows that it looks at.
    const lists = rows.map((row) => at(row, part ? `${inner}/${part}` : inner)).map((list) => list?.rows ?? list);
    const values = lists.filter(Array.isArray).flat().filter((row) => row !== undefined && row !== null);
    return [...own, ...shapes(element.content, values, inputs, inner)];
  });
}

/**
 * What is wrong with one name; nothing if nobody can tell.
 *
 * @param {Element} element
 * @param {string} attribute
 * @param {string} name
 * @param {any[]} rows
 * @param {string[]} inputs
 * @param {string} [list]
 * @returns {Partial<Finding> | undefined}
 */
function shape(element, attribute, name, rows, inputs, list) {
  if (attribute === "data-bind-file") return undefined;
  if (list !== undefined) {
    const isSent = ["data-bind-value", "data-bind-checked", "data-bind-selected"].includes(attribute);
    if (isSent && inputs.includes(name)) return undefined;
    const isControl = isSent && attribute !== "data-bind-selected" && !element.localName.includes("-");
    if (isControl && !otherwise.some((one) => element.hasAttribute(one))) {
      const reason = "the screen has no input of that name, so nobody takes what is entered";
      return { reason, nearest: nearestNames(name, inputs) };
    }
    const all = rows.map((row) => (isObject(row) ? Object.keys(row).sort().join("\n") : ""));
    // Rows that differ may have had something else at another time.
    if (new Set(all).size !== 1) return undefined;
    const members = all[0].split("\n");
    const [first] = name.split(".");
    const nearest = name === "." || members.includes(first) ? [] : nearestNames(first, members);
    if (nearest.length) return { reason: `no row of "${list}" has it`, nearest };
  }
  const value = rows.map((row) => at(row, name)).find((one) => one !== undefined && one !== null);
  const isText = attribute === "data-bind-text" || attribute === "data-bind-time";
  if (isText && Array.isArray(value)) return { reason: "it is a list, whose rows need a <template> with data-bind-each" };
  if (isText && isObject(value)) return { reason: `it has members; name one behind a dot: ${Object.keys(value).join(", ")}` };
  const isPlain = value !== undefined && typeof value !== "object";
  return attribute === "data-bind-each" && isPlain ? { reason: "it is no list, and has no rows" } : undefined;
}

/**
 * The names that somebody may have meant, best first.
 *
 * @param {string} name
 * @param {string[]} candidates
 * @returns {string[]} At most two, none that differs in more than a third of its characters, or two.
 */
export function nearestNames(name, candidates) {
  const close = candidates
    .map((candidate) => ({ candidate, distance: editDistance(name.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, distance }) => distance <= Math.max(2, candidate.length / 3))
    .sort((a, b) => a.distance - b.distance);
  return close
    .filter(({ distance }) => distance <= close[0].distance + 1)
    .slice(0, 2)
    .map(({ candidate }) => candidate);
}

/**
 * How many characters have to be inserted, deleted or replaced.
 *
 * @param {string} from
 * @param {string} to
 * @returns {number}
 */
export function editDistance(from, to) {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 0; i < from.length; i += 1) {
    const next = [i + 1];
    for (let j = 0; j < to.length; j += 1) {
      next.push(Math.min(row[j + 1] + 1, next[j] + 1, row[j] + (from[i] === to[j] ? 0 : 1)));
    }
    row = next;
  }
  return row[to.length];
}
