// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { follow } from "./problem.js";
import { nearestNames, shapes } from "./shapes.js";

export { editDistance, nearestNames } from "./shapes.js";

/**
 * A name of a page that its screen does not have, or an attribute that does nothing where it stands, with the reason.
 *
 * @typedef {{element: Element, attribute: string, name: string, nearest: string[], reason?: string}} Finding
 */

/**
 * What a development server tells a page.
 *
 * @typedef {{id: string | null, displayName: string | null, roles: string[]}} Visitor
 * @typedef {{screen: string, inputs: string[], outputs: string[], events?: string[], visitor?: Visitor}} Names
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

/** Whether the page asks for what keeps newer sources from being served, and is told the screen's values. */
let isFollowing = false;
/** @type {unknown} The screen's newest values, and the screen. */
let state;
let screenName = "";
/** Has the page looked at once more when values have come. */
let again = () => {};

/**
 * Checks all `data-` attributes of a page and shows mistakes in a panel; a development server asks for it.
 *
 * @param {Document} document
 * @param {Names} names
 * @returns {Finding[]}
 */
export function inspect(document, names) {
  if (names.screen !== screenName) state = undefined;
  screenName = names.screen;
  const findings = [...checkAll(document, names), ...shapes(document, state === undefined ? [] : [state], names.inputs)];
  document.getElementById("musubi-visitor")?.remove();
  show(document, names.screen, findings);
  if (names.visitor) showVisitor(document, names.visitor);
  again = () => inspect(document, names);
  if (isFollowing) return findings;
  isFollowing = true;
  follow();
  let waiting = 0;
  // The page's own client: this file lies in a folder beside it.
  import(new URL("../musubi.js", import.meta.url).href).then(({ screen }) =>
    screen.observe(".", (/** @type {unknown} */ next) => {
      state = next;
      waiting ||= window.setTimeout(() => {
        waiting = 0;
        again();
      }, 500);
    }),
  ).catch((error) => console.info("Musubi: the screen's values cannot be followed.", error));
  return findings;
}

/** @type {(root: ParentNode, names: Names, isInner?: boolean) => Finding[]} Each once for all rows of a list. */
function checkAll(root, names, isInner = false) {
  return [...root.querySelectorAll("*")].flatMap((element) => {
    if (element.closest("[data-row]")) return [];
    const own = check(element, names, isInner);
    const isList = element instanceof HTMLTemplateElement && element.hasAttribute("data-bind-each");
    return isList ? [...own, ...checkAll(element.content, names, true)] : own;
  });
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
 * @param {boolean} [isRow] Whether it is in the template of a list.
 * @returns {Finding[]}
 */
export function check(element, { inputs, outputs, events: told }, isRow = false) {
  // Names inside of a row or a dialog are paths inside of its value, which the schema does not tell.
  const isInner = isRow || element.closest("[data-row], [data-dialog]") !== null;
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
    const isBoth = ["data-bind-value", "data-bind-checked", "data-bind-selected"].includes(attribute);
    const isShown = attribute.startsWith("data-bind-") && !isInner;
    const ofBinding = isInput ? inputs : isBoth ? [...new Set([...inputs, ...outputs])] : outputs;
    // Also in a row these name something of the screen. A View asks by names that no server tells.
    /** @type {Record<string, string[] | undefined>} */
    const ofScreen = { "data-window-filter": outputs, "data-event-text": told, "data-dialog": told?.length ? told : undefined };
    const candidates = attribute in ofScreen ? ofScreen[attribute] : isInput || isShown ? ofBinding : undefined;
    if (!candidates) continue;
    const isKnown = candidates.includes(value) || candidates.includes(value.split(/[./]/)[0]);
    if (!isKnown) findings.push({ element, attribute, name: value, nearest: nearestNames(value, candidates) });
  }
  return findings;
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
  if (reason) return `${place} ${attribute}="${name}" does nothing: ${reason}.${hint}`;
  if (name === attribute) return `${place}: there is no attribute ${attribute}.${hint}`;
  const isInput = attribute.startsWith("data-on-") || attribute === "data-bind-file";
  /** @type {Record<string, string | undefined>} */
  const others = { "data-event-text": "event", "data-dialog": "question" };
  const kind = others[attribute] ?? (isInput ? "input" : "output");
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
  const sentences = findings.map((finding) => sentence(finding, screen));
  const before = document.getElementById("musubi-inspector");
  if (before?.dataset.sentences === sentences.join("\n")) return;
  before?.remove();
  if (!findings.length) return;
  const panel = document.createElement("details");
  panel.id = "musubi-inspector";
  panel.dataset.sentences = sentences.join("\n");
  // Whoever has closed it keeps it closed.
  panel.open = !before || /** @type {HTMLDetailsElement} */ (before).open;
  Object.assign(panel.style, {
    position: "fixed", right: "1rem", top: "1rem", maxWidth: "min(26rem, calc(100vw - 2rem))", maxHeight: "60vh",
    overflow: "auto", padding: "0.75rem 1rem", borderRadius: "10px", border: "2px solid #8a4b00",
    background: "#fff8ec", color: "#2b1d0a", font: "0.875rem/1.5 system-ui, sans-serif", zIndex: "2147483647",
  });
  const summary = document.createElement("summary");
  summary.textContent = findings.length === 1 ? "1 name to check" : `${findings.length} names to check`;
  const list = document.createElement("ul");
  Object.assign(list.style, { margin: "0.5rem 0 0", padding: "0 0 0 1.1rem" });
  for (const [index, text] of sentences.entries()) {
    list.append(Object.assign(document.createElement("li"), { textContent: text }));
    console.info(`Musubi: ${text}`, findings[index].element);
  }
  panel.append(summary, list);
  document.body.append(panel);
}
