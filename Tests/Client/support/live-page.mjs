// SPDX-License-Identifier: Apache-2.0
import { fakeWindow } from "./clock.mjs";
import { fakeElement } from "./dom.mjs";
import { fakeStorage } from "./storage.mjs";

let count = 0;
/** The true one, also where a test has moved time by hand. */
const { setTimeout } = globalThis;

/**
 * A page that has loaded `musubi.js`: the module runs as it does in a browser, over a window and a document without a tree.
 *
 * `elements` are those of the page. `fire` is an event, `reply` are frames of the server, `sent` those of the page, `said` what
 * the status line tells. The globals stay until the test ends; time moves by hand.
 */
export async function livePage(test, elements, { state = null, href = "http://here/number" } = {}) {
  const clock = fakeWindow();
  const listeners = [];
  const root = fakeElement("html", { lang: "en" }, { lang: "en", style: {}, querySelectorAll: () => elements, dispatchEvent: () => {} });
  root.toggleAttribute = (name, isOn) => (isOn ? root.setAttribute(name, "") : root.removeAttribute(name));
  Object.defineProperty(root, "dataset", { value: {} });
  const line = fakeElement("output");
  const document = {
    documentElement: root,
    hidden: false,
    visibilityState: "visible",
    body: { dataset: {} },
    querySelector: (selector) => (selector === "[role=status]" ? line : null),
    querySelectorAll: () => [],
  };
  for (const element of elements) Object.assign(element, { ownerDocument: document, parentElement: root });
  const { pathname, search, origin } = new URL(href);
  const globals = {
    document,
    location: { href, pathname, search, origin, reload: () => {} },
    history: { state, replaceState: (next) => (globals.history.state = next) },
    sessionStorage: fakeStorage(),
    localStorage: fakeStorage(),
    fetch: () => new Promise(() => {}),
    addEventListener: (type, run) => void listeners.push([type, run]),
  };
  globals.window = { ...clock, addEventListener: globals.addEventListener };
  const before = Object.fromEntries(Object.keys(globals).map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)]));
  for (const name in globals) Object.defineProperty(globalThis, name, { value: globals[name], configurable: true, writable: true });
  test.after(() => {
    for (const [name, own] of Object.entries(before)) own ? Object.defineProperty(globalThis, name, own) : delete globalThis[name];
  });
  const { screen } = await import(`../../../Sources/BrowserClient/musubi/musubi.js?page=${(count += 1)}`);
  const page = {
    ...globals,
    clock,
    screen,
    root,
    said: () => line.textContent,
    fire(type, target, event = {}) {
      for (const [kind, run] of listeners) if (kind === type) run({ type, target, bubbles: true, preventDefault() {}, ...event });
    },
    reply: (...frames) => frames.forEach((frame) => clock.socket().deliver(frame)),
    sent: () => clock.socket().sent.splice(0),
    /** The second file is there, and whatever waits for it has happened. */
    loaded: () => new Promise((run) => setTimeout(run, 20)),
    /** The connection opens, and the server tells this state. */
    start(snapshot, revisions = {}) {
      clock.socket().accept();
      page.reply({ hello: { session: "s", token: "t", visitor: "anonymous", protocol: 1, schema: "1" } });
      page.reply({ snapshot, epoch: "e", sequence: 0, revisions });
    },
  };
  return page;
}
