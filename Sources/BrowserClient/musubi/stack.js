// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { openDialog } from "./dialog.js";
import { createPages } from "./pages.js";
import { createTrail } from "./trail.js";

/** @typedef {import("./screen.js").StackEntry} Entry */
/** @typedef {ReturnType<typeof createStack>} Stack */

/**
 * What this file and its neighbours need from the page; `shown` is kept up to date for a reload.
 *
 * @typedef {object} Host
 * @property {ReturnType<typeof import("./session.js").createSession>} session
 * @property {object} notify What the session tells the page by.
 * @property {{screen: number, path: string, first: {href: string}}} shown
 * @property {ReturnType<typeof import("./status.js").createStatus>} status
 * @property {ReturnType<typeof import("./store.js").createStore>} store
 * @property {ReturnType<typeof import("./connection.js").createConnection>} connection
 * @property {Element} line The status line.
 * @property {(event: {type: string}) => void} leave Keeps the session for a reload, if the page is hidden.
 * @property {(screen: number) => import("./view.js").View} view
 * @property {Map<number, import("./view.js").View>} views
 */

/**
 * Shows the topmost screen of the session and its dialog, and keeps the browser's history in step.
 *
 * @param {Host} host
 */
export function createStack(host) {
  const { session, shown } = host;
  /** @type {Entry[]} */
  let stack = [];
  const top = () => /** @type {Entry} */ (stack.at(-1));
  const addressOf = (/** @type {Entry} */ { screen, path }) => new URL(screen ? path : "", shown.first.href);
  /** @param {{back?: number, dismiss?: string, screen?: number}} content */
  const close = (content) => {
    session.input("close", content);
    session.flush();
    update(stack);
  };
  const pages = createPages(host, () => trail.scrollTop());
  const dialogs = createDialogs(host, close);
  const trail = createTrail({
    shown: () => String(shown.screen),
    /** The person went back to an entry of the history. */
    returned(keys) {
      const left = stack.find(({ screen }) => !keys.includes(String(screen)));
      if (left) return close({ back: left.screen });
      dialogs.close();
      const { dialog, screen } = top();
      if (dialog) close({ dismiss: dialog.name, screen: screen || undefined });
    },
  });
  /** @param {Entry[]} entries */
  const update = async (entries) => {
    stack = remaining(entries, session.queue.entries());
    const current = top();
    const isTop = () => top() === current;
    const { dialog, screen } = current;
    if (!dialog || !dialogs.isOpen(dialog.name, screen)) dialogs.close();
    await trail.follow(session.identity() ?? "", [
      ...stack.map((entry) => ({ key: String(entry.screen), url: addressOf(entry).href })),
      ...(dialog ? [{ key: dialogKey(dialog.name, screen), url: "" }] : []),
    ]);
    if (!isTop() || !(await pages.show(current, addressOf(current), isTop)) || !isTop()) return;
    pages.keep(stack);
    if (dialog) dialogs.show(dialog, screen);
  };
  return {
    /** @param {Entry[]} entries What the server says; empty if it is screen 0 without a dialog. */
    show: (entries) => update(entries.length ? entries : [{ screen: 0, name: "", path: "" }]),
  };
}

/** @type {(name: string, screen: number) => string} */
const dialogKey = (name, screen) => `${name} of ${screen}`;

/**
 * The stack without what the person has left already, and the server does not know it yet.
 *
 * @param {Entry[]} stack
 * @param {import("./queue.js").Entry[]} waiting
 * @returns {Entry[]}
 */
function remaining(stack, waiting) {
  const closing = waiting.filter(({ kind }) => kind === "close");
  return stack
    .filter(({ screen }) => !closing.some(({ back }) => back !== undefined && back <= screen))
    .map(({ dialog, ...entry }) => {
      const isLeft = closing.some(({ dismiss, screen = 0 }) => dismiss === dialog?.name && screen === entry.screen);
      return dialog && !isLeft ? { ...entry, dialog } : entry;
    });
}

/**
 * The one dialog that is open.
 *
 * @param {Host} host
 * @param {(content: {dismiss: string, screen?: number}) => void} dismissed
 */
function createDialogs({ view }, dismissed) {
  /** @type {{key: string, show: (value: any) => void, stop: () => void} | undefined} */
  let open;
  const close = () => {
    const closing = open;
    open = undefined;
    closing?.stop();
  };
  return {
    close,
    isOpen: (/** @type {string} */ name, /** @type {number} */ screen) => open?.key === dialogKey(name, screen),
    /** @type {(dialog: {name: string, value?: any}, screen: number) => void} */
    show({ name, value = null }, screen) {
      if (open) return open.show(value);
      const element = document.querySelector(`dialog[data-dialog="${CSS.escape(name)}"]`);
      if (!(element instanceof HTMLDialogElement)) return console.warn(`Musubi: there is no <dialog data-dialog="${name}">.`);
      const opened = openDialog(element, view(screen).context, value, () => {
        close();
        dismissed({ dismiss: name, screen: screen || undefined });
      });
      open = { key: dialogKey(name, screen), ...opened };
    },
  };
}
