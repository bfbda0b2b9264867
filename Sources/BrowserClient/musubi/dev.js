// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { follow } from "./problem.js";

/**
 * A name of a page that its screen does not have, or an attribute that does nothing where it stands, with the reason.
 *
 * @typedef {{element: Element, attribute: string, name: string, nearest: string[], reason?: string}} Finding
 */

/**
 * What a development server tells a page.
 *
 * @typedef {{id: string | null, displayName: string | null, roles: string[]}} Visitor
 * @typedef {{screen: string, inputs: string[], outputs: string[], visitor?: Visitor}} Names
 */

const plain = [
  ...["text", "value", "checked", "hidden", "shown", "disabled", "each", "time", "spoken", "query", "query-push", "selected"],
  "file", "carets",
].map((kind) => `data-bind-${kind}`);
const others = [
  ...["debounce", "throttle", "compose", "cloak", "screen", "server", "pending", "link", "full", "row", "dialog", "back"],
  ...["forbidden", "too-long", "screen-root", "not-found", "event-text", "for", "type", "format", "tone"],
  ...["connection", "on-move", "handle", "moving", "select", "drop", "upload"],
  ...["append-only", "window", "window-filter", "carets"],
];
/** The attributes that the client knows; `DataAttributes.md` describes each. */
export const known = [...plain, ...others.map((kind) => `data-${kind}`)];
const events = ["click", "input", "change", "submit", "focus", "blur", "keydown.enter"].map((type) => `data-on-${type}`);
/** Those that end in a name. */
export const families = ["data-bind-class-", "data-bind-attr-", "data-bind-prop-", "data-on-", "data-say-"];

/** Whether the page asks for what keeps newer sources from being served. */
let isFollowing = false;

/**
 * Checks all `data-` attributes of a page and shows mistakes in a panel; a development server asks for it.
 *
 * @param {Document} document
 * @param {Names} names
 * @returns {Finding[]}
 */
export function inspect(document, names) {
  const findings = [...document.querySelectorAll("*")].flatMap((element) => check(element, names));
  document.getElementById("musubi-inspector")?.remove();
  document.getElementById("musubi-visitor")?.remove();
  if (findings.length) show(document, names.screen, findings);
  if (names.visitor) showVisitor(document, names.visitor);
  if (!isFollowing) follow();
  isFollowing = true;
  return findings;
}

/**
 * Who the page is, as a sentence.
 *
 * @param {Visitor} visitor
 * @returns {string}
 */
export function whoIs({ id, displayName, roles }) {
  if (id === null) return "Nobody is signed in.";
  const name = displayName && displayName !== id ? `${displayName} (${id})` : id;
  return roles.length ? `${name}: ${roles.join(", ")}` : `${name}, without roles`;
}

/** @type {(document: Document, visitor: Visitor) => void} Says at the edge of the page who it is. */
function showVisitor(document, visitor) {
  const badge = document.createElement("p");
  badge.id = "musubi-visitor";
  badge.textContent = whoIs(visitor);
  Object.assign(badge.style, {
    position: "fixed", left: "1rem", bottom: "1rem", maxWidth: "calc(100vw - 2rem)", padding: "0.25rem 0.75rem",
    border: "1px solid #8a4b00", borderRadius: "10px", background: "#fff8ec", color: "#2b1d0a", opacity: "0.9",
    font: "0.8125rem/1.5 system-ui, sans-serif", zIndex: "2147483646", pointerEvents: "none", overflowWrap: "anywhere",
  });
  document.body.append(badge);
}

/** The controls that have a value, and those that can be disabled. */
const fields = ["input", "select", "textarea"];
const disableable = [...fields, "button", "fieldset", "optgroup", "option"];

/**
 * Why an attribute does nothing on its element; the command `check` knows the same (`PageRules.swift`).
 *
 * @param {Element} element
 * @param {string} attribute
 * @returns {string | undefined}
 */
export function idleness(element, attribute) {
  const { localName } = element;
  const isCustom = localName.includes("-");
  /** @type {Record<string, [isIdle: boolean, reason: string]>} */
  const rules = {
    "data-screen": [localName !== "body", "only <body> says which screen a page shows"],
    "data-bind-value": [!fields.includes(localName) && !isCustom, "only form controls have a value that is bound"],
    "data-bind-carets": [!["input", "textarea"].includes(localName), "only fields in which people write have carets"],
    "data-bind-checked": [
      !isCustom && !["checkbox", "radio"].includes(element.getAttribute("type")?.toLowerCase() ?? ""),
      "only checkboxes are checked",
    ],
    "data-bind-disabled": [!disableable.includes(localName) && !isCustom, "only form controls can be disabled"],
    "data-bind-each": [localName !== "template", "rows are made from a <template>"],
    "data-on-move": [!element.hasAttribute("data-bind-each"), "rows are moved in a list, by its <template>"],
    "data-append-only": [!element.hasAttribute("data-bind-each"), "rows are added to a list, by its <template>"],
    "data-window": [!element.hasAttribute("data-bind-each"), "rows are windowed in a list, by its <template>"],
    "data-window-filter": [localName !== "input", "a list is filtered by what is in an <input>"],
    "data-bind-selected": [!element.hasAttribute("data-bind-each"), "rows are selected in a list, by its <template>"],
  };
  const property = "data-bind-prop-";
  if (attribute.startsWith(property)) return isCustom ? undefined : "only custom elements have properties that are bound";
  const [isIdle, reason] = rules[attribute] ?? [];
  return isIdle ? reason : undefined;
}

/**
 * The findings of one element.
 *
 * @param {Element} element
 * @param {Names} names
 * @returns {Finding[]}
 */
export function check(element, { inputs, outputs }) {
  // Names inside of a row or a dialog are paths inside of its value, which the schema does not tell.
  const isInner = element.closest("[data-row], [data-dialog]") !== null;
  /** @type {Finding[]} */
  const findings = [];
  for (const { name: attribute, value } of [...element.attributes]) {
    if (!attribute.startsWith("data-")) continue;
    const isFamily = families.some((family) => attribute.startsWith(family));
    // Custom elements have events of their own, with a hyphen by custom.
    const type = attribute.startsWith("data-on-") ? attribute.slice(8).split(".")[0] : "";
    const isEvent = !type || type.includes("-") || `on${type}` in element;
    if (!(isFamily && isEvent) && !known.includes(attribute)) {
      const nearest = nearestNames(attribute, [...known, ...families, ...events]);
      const isOurs = /^data-(bind|on)/.test(attribute);
      // Pages have data- attributes of their own; one that begins like ours is more likely a slip.
      const isSlip = nearest.some((name) => name.slice(0, 6) === attribute.slice(0, 6));
      if (isOurs || isSlip) findings.push({ element, attribute, name: attribute, nearest });
      continue;
    }
    const reason = idleness(element, attribute);
    if (reason) {
      findings.push({ element, attribute, name: value, nearest: [], reason });
      continue;
    }
    const isInput = attribute.startsWith("data-on-") || attribute === "data-bind-file";
    if (isInner && !isInput) continue;
    if (!isInput && !attribute.startsWith("data-bind-")) continue;
    const isBoth = ["data-bind-value", "data-bind-checked", "data-bind-selected"].includes(attribute);
    const candidates = isInput ? inputs : isBoth ? [...new Set([...inputs, ...outputs])] : outputs;
    const isKnown = candidates.includes(value) || candidates.includes(value.split(/[./]/)[0]);
    if (!isKnown) findings.push({ element, attribute, name: value, nearest: nearestNames(value, candidates) });
  }
  return findings;
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

/**
 * A finding as a sentence.
 *
 * @param {Finding} finding
 * @param {string} screen
 * @returns {string}
 */
export function sentence({ element, attribute, name, nearest, reason }, screen) {
  const id = element.id ? ` id="${element.id}"` : "";
  const place = `<${element.localName}${id}>`;
  const hint = nearest.length ? ` Did you mean ${nearest.join(" or ")}?` : "";
  if (reason) return `${place} ${attribute}="${name}" does nothing: ${reason}.`;
  if (name === attribute) return `${place}: there is no attribute ${attribute}.${hint}`;
  const kind = attribute.startsWith("data-on-") || attribute === "data-bind-file" ? "input" : "output";
  return `${place} ${attribute}="${name}": the screen "${screen}" has no ${kind} of that name.${hint}`;
}

/**
 * Shows the findings at the edge of the page. Styles are set property by property, which a strict policy allows.
 *
 * @param {Document} document
 * @param {string} screen
 * @param {Finding[]} findings
 */
function show(document, screen, findings) {
  const panel = document.createElement("details");
  panel.id = "musubi-inspector";
  panel.open = true;
  Object.assign(panel.style, {
    position: "fixed", right: "1rem", top: "1rem", maxWidth: "min(26rem, calc(100vw - 2rem))", maxHeight: "60vh",
    overflow: "auto", padding: "0.75rem 1rem", borderRadius: "10px", border: "2px solid #8a4b00",
    background: "#fff8ec", color: "#2b1d0a", font: "0.875rem/1.5 system-ui, sans-serif", zIndex: "2147483647",
  });
  const summary = document.createElement("summary");
  summary.textContent = findings.length === 1 ? "1 name to check" : `${findings.length} names to check`;
  const list = document.createElement("ul");
  Object.assign(list.style, { margin: "0.5rem 0 0", padding: "0 0 0 1.1rem" });
  for (const finding of findings) {
    const item = document.createElement("li");
    item.textContent = sentence(finding, screen);
    list.append(item);
    console.info(`Musubi: ${item.textContent}`, finding.element);
  }
  panel.append(summary, list);
  document.body.append(panel);
}
