// SPDX-License-Identifier: Apache-2.0
import { outlets } from "../../../Sources/BrowserClient/musubi/musubi-more.js";

// Node knows no events of controls.
globalThis.InputEvent ??= class InputEvent extends Event {};

/** Just enough of the DOM for outlets: elements with attributes, a text control with a selection, events by hand. */
export function fakeElement(localName, attributes = {}, properties = {}) {
  const values = new Map(Object.entries(attributes));
  const classes = new Set();
  const element = {
    localName,
    tagName: localName.toUpperCase(),
    baseURI: "http://here/page",
    textContent: "",
    get attributes() {
      return [...values].map(([name, value]) => ({ name, value }));
    },
    get id() {
      return values.get("id") ?? "";
    },
    set id(value) {
      values.set("id", value);
    },
    getAttribute: (name) => values.get(name) ?? null,
    setAttribute: (name, value) => void values.set(name, value),
    removeAttribute: (name) => void values.delete(name),
    hasAttribute: (name) => values.has(name),
    classList: { toggle: (name, isOn) => (isOn ? classes.add(name) : classes.delete(name)), contains: (name) => classes.has(name) },
    get dataset() {
      const pairs = [...values].filter(([name]) => name.startsWith("data-"));
      return Object.fromEntries(pairs.map(([name, value]) => [name.slice(5), value]));
    },
    onclick: null,
    querySelectorAll: () => [],
    closest: () => null,
    parentElement: null,
    ownerDocument: { documentElement: {} },
  };
  return Object.assign(element, properties);
}

/** A text field; `type` and `replace` are a person's actions. */
export function fakeField(attributes = {}, tag = "input") {
  const field = fakeElement(tag, attributes);
  let value = attributes.value ?? "";
  Object.assign(field, {
    type: tag === "input" ? "text" : "textarea",
    selectionStart: value.length,
    selectionEnd: value.length,
    selectionDirection: "none",
    writes: 0,
    ownerDocument: { activeElement: field, documentElement: {} },
    setRangeText(text, start, end) {
      field.writes += 1;
      value = value.slice(0, start) + text + value.slice(end);
    },
    setSelectionRange(start, end) {
      Object.assign(field, { selectionStart: start, selectionEnd: end });
    },
    /** Replaces the selection, as typing or a composition does. */
    replace(start, end, text) {
      value = value.slice(0, start) + text + value.slice(end);
      field.setSelectionRange(start + text.length, start + text.length);
    },
  });
  Object.defineProperty(field, "value", {
    get: () => value,
    set(next) {
      field.writes += 1;
      value = String(next);
      field.setSelectionRange(value.length, value.length);
    },
  });
  return field;
}

/** The context of a page whose session is `session`; `context.later` runs by `context.runLater()`. */
export function fakeContext(session, watchers) {
  const listeners = new Map();
  const later = [];
  const context = {
    watch: watchers.watch,
    whenReady: (run) => (session.hasState() ? run() : context.ready.push(run)),
    ready: [],
    text: session.text,
    openScreen: session.openScreen,
    edit(_element, name, edit, source) {
      session.edit(name, edit, source);
      session.flush();
    },
    inputs: [],
    /** Whether inputs go to the session, too, which then needs the second file's `help`. */
    isQueueing: false,
    /** The values that were too long to be sent, by name. */
    kept: {},
    tooLong: (name) => context.kept[name],
    measured: [],
    measure: (element, text) => context.measured.push(session.excess(text)),
    input(_element, kind, name, value, row) {
      context.inputs.push({ kind, name, value });
      if (context.isQueueing) session.input(kind, { name, value, row });
      if (context.isQueueing) session.flush();
    },
    listen(type, element, handle) {
      // Not every fake has a document with an element.
      if (!element) return () => {};
      const types = listeners.get(element) ?? new Map();
      const handlers = types.get(type) ?? new Set();
      listeners.set(element, types.set(type, handlers.add(handle)));
      element.dispatchEvent ??= (event) => context.fire(element, event.type, event);
      return () => handlers.delete(handle);
    },
    later: (run) => later.push(run),
    more: (element, own, binding) => outlets[binding.kind](element, own, binding),
    /** An event happens at an element. */
    fire(element, type, event = {}) {
      for (const handle of listeners.get(element)?.get(type) ?? []) handle({ type, target: element, preventDefault() {}, ...event });
    },
    runLater: () => later.splice(0).forEach((run) => run()),
  };
  return context;
}
