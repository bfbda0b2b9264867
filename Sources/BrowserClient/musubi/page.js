// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { together } from "./controls.js";

/** @typedef {import("./text/edit.js").Edit} Edit */

/**
 * One `data-` attribute of an element: `data-bind-class-warm="isWarm"` is of the kind `bind-class-`, has the argument
 * `warm` and the name `isWarm`.
 *
 * @typedef {{kind?: string, argument: string, name: string, log?: import("./text/undo.js").Log,
 *   initial?: () => string | undefined, become?: typeof import("./text/rows.js").become,
 *   show?: (value: any) => void, json?: string}} Binding
 */

/**
 * What an outlet may ask for. Everything that registers something returns the cleanup.
 *
 * @typedef {object} Context
 * @property {(name: string, show: (value: any) => void) => () => void} watch Calls `show` with the value, now if there
 *   is one, and whenever it changes.
 * @property {(run: () => void) => void} whenReady Runs once the first state is there.
 * @property {(name: string) => import("./text/document.js").TextDocument | undefined} text
 * @property {() => import("./screen.js").Screen} openScreen The screen as the session knows it.
 * @property {boolean} [isQuestion] In a dialog: what it shows is a question, and no answer to its inputs.
 * @property {string[]} [place] In a row: the lists and ids on the way to it, outermost first.
 * @property {(name: string) => Context | undefined} [inField] In a row: where a field finds the two-way text of a name;
 *   nothing if the row has no such text.
 * @property {(row: Element, place: string[]) => Context["follow"]} [claim] In a list: gives a new row ids of its own,
 *   by the lists and rows on the way to it.
 * @property {(name: string, value: string) => string} [follow] In a row: what an attribute's value is there, whose ids it names.
 * @property {(element: Element, key: string, edit: Edit, source: unknown) => void} edit
 * @property {(element: Element, kind: "tap" | "typed", name: string, value?: unknown, row?: string[]) => void} input
 * @property {(name: string, row?: string[]) => any} tooLong A control's value that was too long to be sent,
 *   or nothing.
 * @property {(element: Element, text: import("./text/document.js").TextDocument) => void} measure Tells at the element whether
 *   a two-way text is too long to be shared.
 * @property {(type: string, element: Element, handle: (event: any) => void) => () => void} listen
 * @property {(run: () => void) => void} later Runs in a task of its own.
 * @property {(element: Element, createPace: (flush: () => void) => () => void) => void} pace When the element's inputs
 *   leave the page.
 * @property {number} [screen] The screen's number, if it is not the first one.
 * @property {{screen: number, path: string, first: {href: string}}} shown What the page shows.
 * @property {(root: Element, context: Context) => () => void} attach Attaches what the attributes in an element ask for.
 * @property {(element: Element, context: Context, binding: Binding) => () => void} more Attaches an outlet that lies in
 *   the second file.
 */

/** @typedef {(element: any, context: Context, binding: Binding) => (() => void) | void} Attach */

/** The attributes that ask for an outlet; those of the first kind have an argument. */
const pattern = /^data-((?:bind-(?:class|attr|prop)|on)-|bind-\w+|event-text|connection|back|debounce|throttle)(.*)$/;

/**
 * Attaches the outlets that the attributes of an element and of all inside it ask for.
 *
 * @param {Element} root
 * @param {Context} context
 * @param {Record<string, Attach>} outlets By the attribute's name without `data-`; one that ends in `-` has an argument.
 *   Those that are not among them lie in the second file.
 * @returns {() => void} The cleanup.
 */
export function attachAll(root, context, outlets) {
  /** @type {((() => void) | void)[]} */
  const cleanups = [];
  for (const element of [root, ...root.querySelectorAll("*")]) {
    // An element in a dialog shows the dialog's value, once it opens.
    if (element.parentElement?.closest("[data-dialog]") && !root.closest("[data-dialog]")) continue;
    for (const attribute of [...element.attributes]) {
      const [, kind, argument] = pattern.exec(attribute.name) ?? [];
      if (kind) cleanups.push((outlets[kind] ?? context.more)?.(element, context, { kind, argument, name: attribute.value }));
    }
  }
  return together(cleanups);
}

/** Shows what the page hides until it has values. */
export function uncloak() {
  for (const element of document.querySelectorAll("[data-cloak]")) element.removeAttribute("data-cloak");
}

/**
 * One listener per type of event, at the root, whatever the number of elements.
 *
 * @param {Window | Document} root
 * @returns {Context["listen"]}
 */
export function createListen(root) {
  /** @type {Map<string, WeakMap<Element, Set<(event: any) => void>>>} */
  const types = new Map();
  return (type, element, handle) => {
    let elements = types.get(type);
    if (!elements) {
      const registered = (elements = new WeakMap());
      types.set(type, registered);
      // Capturing, because focus and blur do not bubble; those concern their target only.
      root.addEventListener(type, (event) => {
        let target = /** @type {Element | null} */ (event.target);
        for (; target; target = event.bubbles ? target.parentElement : null) {
          for (const run of registered.get(target) ?? []) run(event);
        }
      }, true);
    }
    const handlers = elements.get(element) ?? new Set();
    elements.set(element, handlers.add(handle));
    return () => handlers.delete(handle);
  };
}

/**
 * Calls back for the values that have changed.
 *
 * @returns {{watch: Context["watch"], show: (state: Record<string, any>) => void}}
 */
export function createWatchers() {
  /** @type {Set<() => void>} */
  const checks = new Set();
  /** @type {Record<string, any>} */
  let state = {};
  return {
    watch(name, show) {
      /** @type {unknown} */
      let last;
      const check = () => {
        const value = lookUp(state, name);
        if (value !== last) show((last = value));
      };
      checks.add(check);
      check();
      return () => checks.delete(check);
    },
    show(next) {
      state = next;
      for (const check of checks) check();
    },
  };
}

/**
 * The value at a path, `.` for the whole; the name of an output may itself have a dot (`number.field`).
 *
 * @param {any} state
 * @param {string} path
 */
function lookUp(state, path) {
  if (path === ".") return state;
  if (Object.hasOwn(state ?? "", path)) return state[path];
  return path.split(".").reduce((node, key) => (node && Object.hasOwn(node, key) ? node[key] : undefined), state);
}
