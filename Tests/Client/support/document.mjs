// SPDX-License-Identifier: Apache-2.0
import { fakeElement } from "./dom.mjs";

/** The types of an input that somebody writes in, as HTML has them. */
const written = ["text", "search", "url", "tel", "email", "password", "date", "month", "week", "time", "datetime-local", "number"];

/** Whether an element has a name, an attribute, or takes what somebody writes: `select`, `[id]`, `[type=range]`, `:read-write`. */
function matches({ localName, getAttribute }, selector) {
  const [, attribute, value] = /^\[(\w+)(?:=(\w+))?\]$/.exec(selector) ?? [];
  if (attribute) return value ? getAttribute(attribute) === value : getAttribute(attribute) !== null;
  if (selector !== ":read-write") return localName === selector;
  return localName === "textarea" || (localName === "input" && written.includes(getAttribute("type") ?? "text"));
}

/** A document with a tree: what lists and dialogs do to it, and events that go down and up. */
export function fakeDocument({ hasMoveBefore = true } = {}) {
  const root = [];
  const own = new Map();
  const document = { activeElement: null, documentElement: undefined };
  document.querySelector = () => null;
  document.addEventListener = (type, run) => root.push([type, run]);
  document.listenAt = (element, type, run) => own.set(element, [...(own.get(element) ?? []), [type, run]]);
  document.unlistenAt = (element, type, run) => own.set(element, own.get(element).filter(([kind, other]) => kind !== type || other !== run));
  document.fire = (target, type, event = {}) => {
    const whole = { type, target, bubbles: type !== "blur", preventDefault() {}, ...event };
    for (const [kind, run] of [...root, ...(own.get(target) ?? [])]) if (kind === type) run(whole);
  };
  document.element = (name, attributes = {}, children = []) => {
    const element = fakeElement(name, attributes);
    Object.assign(element, {
      children: [],
      parentNode: null,
      parentElement: null,
      ownerDocument: document,
      inserted: 0,
      laidOut: 0,
      getClientRects: () => void (element.laidOut += 1),
      matches: (selectors) => selectors.split(", ").some((selector) => matches(element, selector)),
      contains: (other) => element === other || element.children.some((child) => child.contains(other)),
      closest: (selector) => {
        const attribute = /\[(.*)\]/.exec(selector)?.[1];
        return (attribute ? element.hasAttribute(attribute) : element.localName === selector) ? element : (element.parentElement?.closest(selector) ?? null);
      },
      // The selectors asked for are about the pointer, which there is none of.
      querySelector: () => null,
      querySelectorAll: () => element.children.flatMap((child) => [child, ...child.querySelectorAll("*")]),
      focus: () => void (document.activeElement = element),
      remove() {
        const { children } = element.parentNode;
        if (element.contains(document.activeElement)) document.activeElement = document.body;
        children.splice(children.indexOf(element), 1);
        element.parentNode = element.parentElement = null;
      },
      insertBefore(child, next) {
        if (child.parentNode) child.remove();
        child.inserted += 1;
        element.children.splice(next ? element.children.indexOf(next) : element.children.length, 0, child);
        child.parentNode = child.parentElement = element;
      },
      append: (child) => element.insertBefore(child, null),
    });
    Object.defineProperty(element, "isConnected", { get: () => document.body.contains(element) });
    if (hasMoveBefore) {
      element.moveBefore = (child, next) => {
        const { activeElement } = document;
        element.insertBefore(child, next);
        document.activeElement = activeElement;
      };
    }
    // Lists ask for the elements with an id, and for templates.
    const all = (selector) => children.flatMap((child) => [child, ...child.querySelectorAll("*")]).filter((one) => one.matches(selector));
    const content = { firstElementChild: children[0], querySelectorAll: all, querySelector: (selector) => all(selector)[0] ?? null };
    if (name === "template") element.content = content;
    else for (const child of children) element.append(child);
    return element;
  };
  document.importNode = (element) => {
    const attributes = Object.fromEntries(element.attributes.map(({ name, value }) => [name, value]));
    const children = element.content ? [element.content.firstElementChild] : element.children.map((child) => document.importNode(child));
    return document.element(element.localName, attributes, children);
  };
  document.body = document.element("body");
  return document;
}

/** A window with a history of entries; `travel` is the person's back and forward. */
export function fakeHistory(href) {
  const entries = [{ url: href, state: null }];
  let at = 0;
  const listeners = [];
  const window = {
    scrollY: 0,
    reloads: 0,
    urls: () => entries.map(({ url }) => url),
    location: {
      get href() {
        return `${entries[at].url}`;
      },
      reload: () => void (window.reloads += 1),
    },
    setTimeout: () => 0,
    clearTimeout: () => {},
    addEventListener: (type, run) => listeners.push({ type, run }),
    dispatch: (type) => listeners.filter((listener) => listener.type === type).forEach(({ run }) => run({})),
    travel(delta) {
      at += delta;
      window.dispatch("popstate");
    },
    history: {
      get state() {
        return entries[at].state;
      },
      replaceState(state, _, url) {
        entries[at] = { url: url || entries[at].url, state: JSON.parse(JSON.stringify(state)) };
      },
      pushState(state, _, url) {
        entries.splice((at += 1), Infinity, { url, state });
      },
      go: (delta) => queueMicrotask(() => window.travel(delta)),
    },
  };
  return window;
}
