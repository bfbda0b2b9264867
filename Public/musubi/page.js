// @ts-check
// SPDX-License-Identifier: Apache-2.0

/** @typedef {import("./text-merge.js").Edit} Edit */

/**
 * One `data-` attribute of an element: `data-bind-class-warm="isWarm"` has the argument `warm` and the name `isWarm`.
 *
 * @typedef {{argument: string, name: string}} Binding
 */

/**
 * What an outlet may ask for. Everything that registers something returns the cleanup.
 *
 * @typedef {object} Context
 * @property {(name: string, show: (value: any) => void) => () => void} watch Calls `show` with the value, now if there
 *   is one, and whenever it changes.
 * @property {(run: () => void) => void} whenReady Runs once the first state is there.
 * @property {(name: string) => import("./document.js").TextDocument | undefined} text
 * @property {(name: string, changed: (change: Edit, before: string, source: unknown) => void) => () => void} onText
 * @property {(element: Element, name: string, edit: Edit, source: unknown) => void} edit
 * @property {(element: Element, kind: "tap" | "typed", name: string, value?: unknown) => void} input
 * @property {(type: string, element: Element, handle: (event: any) => void) => () => void} listen
 * @property {(run: () => void) => void} later Runs in a task of its own.
 */

/** @typedef {(element: any, context: Context, binding: Binding) => (() => void) | void} Attach */

/**
 * Attaches the outlets that the attributes of an element and of all inside it ask for.
 *
 * @param {Element} root
 * @param {Context} context
 * @param {Record<string, Attach>} outlets By the attribute's name without `data-`; one that ends in `-` has an argument.
 * @returns {() => void} The cleanup.
 */
export function attachAll(root, context, outlets) {
  /** @type {((() => void) | void)[]} */
  const cleanups = [];
  for (const element of [root, ...root.querySelectorAll("*")]) {
    for (const attribute of [...element.attributes]) {
      const parts = /^data-((?:bind-(?:class|attr|prop)|on)-|bind-\w+)(.*)$/.exec(attribute.name);
      const [, kind = "", argument = ""] = parts ?? [];
      if (!Object.hasOwn(outlets, kind)) continue;
      cleanups.push(outlets[kind](element, context, { argument, name: attribute.value }));
    }
  }
  return () => cleanups.forEach((cleanup) => cleanup?.());
}

/**
 * One listener per type of event, at the root, whatever the number of elements.
 *
 * @param {Document} document
 * @returns {Context["listen"]}
 */
export function createListen(document) {
  /** @type {Map<string, WeakMap<Element, Set<(event: any) => void>>>} */
  const types = new Map();
  return (type, element, handle) => {
    let elements = types.get(type);
    if (!elements) {
      const registered = (elements = new WeakMap());
      types.set(type, registered);
      // Capturing, because focus and blur do not bubble; those concern their target only.
      document.addEventListener(type, (event) => {
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
 * The value at a path; the name of an output may itself have a dot (`number.field`).
 *
 * @param {any} state
 * @param {string} path
 */
function lookUp(state, path) {
  if (Object.hasOwn(state, path)) return state[path];
  return path.split(".").reduce((node, key) => (node && Object.hasOwn(node, key) ? node[key] : undefined), state);
}
