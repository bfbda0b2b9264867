// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { createWatchers } from "./page.js";

/** @typedef {import("./page.js").Context} Context */
/** @typedef {ReturnType<typeof createView>} View */

/**
 * What the page shows of one screen: it tells the outlets what has changed, and the session what a person did.
 *
 * @param {number} number The screen's.
 * @param {ReturnType<typeof import("./session.js").createSession>} session
 * @param {(element: Element, input: number) => void} queued An element's input was given this number, or 0 for none.
 * @param {Pick<Context, "listen" | "attach" | "more" | "pace">} page
 */
export function createView(number, session, queued, page) {
  const { watch, show } = createWatchers();
  /** @type {(() => void)[]} */
  let whenReady = [];
  const screen = number || undefined;

  /** @type {Context} */
  const context = {
    ...page,
    watch,
    whenReady: (run) => void (session.hasState(number) ? run() : whenReady.push(run)),
    text: (name) => session.text(name, number),
    edit: (element, name, edit, source) => queued(element, session.edit(name, edit, source, number)),
    input(element, kind, name, value, row = []) {
      queued(element, session.input(kind, { name, value, row: row.length > 1 ? row : row[0], screen }));
    },
    later: (run) => void setTimeout(run),
  };
  return {
    context,
    /** @param {Record<string, any>} state */
    state(state) {
      show(state);
      for (const run of whenReady.splice(0)) run();
    },
  };
}
