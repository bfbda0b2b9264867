// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { openDialog } from "./dialog.js";
import { focusHeading } from "./place.js";
import { createTrail } from "./trail.js";

/** @typedef {import("./screen.js").StackEntry} Entry */
/** @typedef {ReturnType<typeof createStack>} Stack */
/** @typedef {{root: Element, title: Element | null, detach?: () => void, opener?: Element | null, y?: number}} Page */

/** The part of a page that a screen fills; everything around it, such as the status line, stays. */
const area = "[data-screen-root], main";

/**
 * What this file and its neighbours need from the page; `shown` is kept up to date for a reload.
 *
 * @typedef {object} Host
 * @property {ReturnType<typeof import("./session.js").createSession>} session
 * @property {{screen: number, path: string, first: {href: string}}} shown
 * @property {ReturnType<typeof import("./status.js").createStatus>} status
 * @property {ReturnType<typeof import("./store.js").createStore>} store
 * @property {ReturnType<typeof import("./connection.js").createConnection>} connection
 * @property {Element} line The status line.
 * @property {(screen: number) => import("./view.js").View} view
 * @property {Map<number, import("./view.js").View>} views
 */

/**
 * Shows the topmost screen of the session and its dialog, and keeps the browser's history in step.
 *
 * @param {Host} host
 */
export function createStack({ session, shown, view, views }) {
  /** @type {Entry[]} */
  let stack = [];
  /** @type {Map<number, Page>} The pages of the open screens that were shown; those below the top are kept whole. */
  const pages = new Map();
  /** @type {{key: string, show: (value: any) => void, stop: () => void} | undefined} */
  let dialog;
  const start = document.querySelector(area);
  if (start) pages.set(shown.screen, { root: start, title: document.querySelector("title") });

  const top = () => /** @type {Entry} */ (stack.at(-1));
  const { href } = new URL(shown.first.href);
  const addressOf = (/** @type {Entry} */ { screen, path }) => (screen ? new URL(path, href) : new URL(href));
  /** @type {(name: string, screen: number) => string} */
  const dialogKey = (name, screen) => `${name} of ${screen}`;

  /** @param {{back?: number, dismiss?: string, screen?: number}} content */
  const close = (content) => {
    session.input("close", content);
    session.flush();
    update(stack);
  };

  const trail = createTrail({
    /** The person went back to an entry of the history. */
    returned(keys) {
      const left = stack.find(({ screen }) => !keys.includes(String(screen)));
      if (left) return close({ back: left.screen });
      closeDialog();
      const { dialog: open, screen } = top();
      if (open) close({ dismiss: open.name, screen: screen || undefined });
    },
  });

  /**
   * The stack without what the person has left already, and the server does not know it yet.
   *
   * @param {Entry[]} entries
   */
  const remaining = (entries) => {
    const closing = session.unconfirmed().filter(({ kind }) => kind === "close");
    return entries
      .filter(({ screen }) => !closing.some(({ back }) => back !== undefined && back <= screen))
      .map(({ dialog: open, ...entry }) => {
        const isLeft = closing.some(({ dismiss, screen = 0 }) => dismiss === open?.name && screen === entry.screen);
        return open && !isLeft ? { ...entry, dialog: open } : entry;
      });
  };

  /** @param {Entry[]} entries */
  const update = async (entries) => {
    stack = remaining(entries);
    const current = top();
    const open = current.dialog;
    if (dialog && dialog.key !== (open && dialogKey(open.name, current.screen))) closeDialog();
    await trail.follow(session.identity() ?? "", [
      ...stack.map((entry) => ({ key: String(entry.screen), url: addressOf(entry).href })),
      ...(open ? [{ key: dialogKey(open.name, current.screen), url: addressOf(current).href }] : []),
    ]);
    if (top() !== current || !(await showScreen(current)) || top() !== current) return;
    for (const [screen, { detach }] of pages) {
      if (stack.some((entry) => entry.screen === screen)) continue;
      pages.delete(screen);
      detach?.();
      views.delete(screen);
    }
    if (open) showDialog(open, current.screen);
  };

  /**
   * @param {Entry} entry
   * @returns {Promise<boolean>} Whether the page shows it.
   */
  const showScreen = async (entry) => {
    if (entry.screen === shown.screen) return true;
    const address = addressOf(entry);
    const isBack = pages.has(entry.screen) || entry.screen < shown.screen;
    const page = pages.get(entry.screen) ?? (await loadPage(address));
    const before = pages.get(shown.screen);
    if (!page || !before) {
      location.assign(address);
      return false;
    }
    if (top() !== entry) return false;
    before.opener = document.activeElement;
    before.y = before.opener?.getBoundingClientRect().top;
    before.root.replaceWith(page.root);
    shown.screen = entry.screen;
    shown.path = address.pathname + address.search;
    if (page.title) document.querySelector("title")?.replaceWith(page.title);
    if (entry.name) document.body.dataset.screen = entry.name;
    if (!pages.has(entry.screen)) {
      pages.set(entry.screen, page);
      const { context } = view(entry.screen);
      const parts = [page.root, ...(page.title ? [page.title] : [])];
      const cleanups = parts.map((part) => context.attach(part, context));
      page.detach = () => cleanups.forEach((stop) => stop());
      context.whenReady(() => {
        for (const element of document.querySelectorAll("[data-cloak]")) element.removeAttribute("data-cloak");
      });
    }
    scrollTo(0, trail.scrollTop());
    // The rows above may be others now, or have another size as long as they are out of sight.
    const { opener, y = 0 } = page;
    if (opener && page.root.contains(opener)) scrollBy(0, opener.getBoundingClientRect().top - y);
    focusOn(page, isBack);
    return true;
  };

  /** @type {(open: {name: string, value?: any}, screen: number) => void} */
  const showDialog = ({ name, value = null }, screen) => {
    if (dialog) return dialog.show(value);
    const { root } = /** @type {Page} */ (pages.get(screen));
    const element = document.querySelector(`dialog[data-dialog="${CSS.escape(name)}"]`);
    if (!(element instanceof HTMLDialogElement)) return console.warn(`Musubi: there is no <dialog data-dialog="${name}">.`, root);
    const opened = openDialog(element, view(screen).context, value, () => {
      closeDialog();
      close({ dismiss: name, screen: screen || undefined });
    });
    dialog = { key: dialogKey(name, screen), ...opened };
  };

  const closeDialog = () => {
    const closing = dialog;
    dialog = undefined;
    closing?.stop();
  };

  return {
    /** @param {Entry[]} entries What the server says; empty if it is screen 0 without a dialog. */
    show: (entries) => update(entries.length ? entries : [{ screen: 0, name: "", path: "" }]),
  };
}

/**
 * The page of a screen: a static file of the page's own server.
 *
 * @param {URL} address
 * @returns {Promise<Page | undefined>} Nothing, if there is none that could be shown here.
 */
async function loadPage(address) {
  if (address.origin !== location.origin) return undefined;
  try {
    const response = await fetch(address);
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const root = page.querySelector(area);
    if (!response.ok || !root) return undefined;
    for (const element of page.querySelectorAll("link[rel=stylesheet][href], script[type=module][src]")) adopt(element);
    return { root: document.importNode(root, true), title: page.querySelector("title") };
  } catch {
    return undefined;
  }
}

/** @param {Element} wanted A style sheet or a script; made again, because a parsed script never runs. */
function adopt(wanted) {
  const name = wanted.hasAttribute("src") ? "src" : "href";
  const address = wanted.getAttribute(name) ?? "";
  if (document.querySelector(`[${name}="${CSS.escape(address)}"]`)) return;
  const element = document.createElement(wanted.localName);
  for (const attribute of wanted.attributes) element.setAttribute(attribute.name, attribute.value);
  document.head.append(element);
}

/**
 * Gives the focus to the new heading or, on the way back, to what had it.
 *
 * @param {Page} page
 * @param {boolean} isBack
 */
function focusOn({ root, opener }, isBack) {
  if (isBack && opener && root.contains(opener)) /** @type {HTMLElement} */ (opener).focus({ preventScroll: true });
  else focusHeading(root);
}
