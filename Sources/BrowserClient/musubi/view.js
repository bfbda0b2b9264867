// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { createWatchers } from "./page.js";
import { placeOf } from "./queue.js";

/** @typedef {import("./page.js").Context} Context */
/** @typedef {ReturnType<typeof createView>} View */

/**
 * What the element holds is so many bytes too long, or not, if they are 0 and less; `name` is the sentence's.
 *
 * @typedef {(element: Element, over: number, value: unknown, name: string) => void} TellLong
 */

/**
 * The page's view of one screen: it tells the outlets the changes, and the session a person's inputs.
 *
 * @param {number} number The screen's.
 * @param {ReturnType<typeof import("./session.js").createSession>} session
 * @param {(element: Element, input: number) => void} queued An element's input was given this number, or 0 for none.
 * @param {Pick<Context, "listen" | "attach" | "more" | "pace" | "shown">} page
 * @param {TellLong} tellLong
 */
export function createView(number, session, queued, page, tellLong) {
  const { watch, show } = createWatchers();
  /** @type {(() => void)[]} */
  let whenReady = [];
  const screen = number || undefined;
  /** @type {(name: string, value: unknown, row: string[]) => import("./queue.js").Content} */
  const contentOf = (name, value, row) => ({ name, value, row: row.length > 1 ? row : row[0], screen });

  /** @type {Context} */
  const context = {
    ...page, screen, watch,
    whenReady: (run) => (session.hasState(number) ? run() : whenReady.push(run)),
    text: (name) => session.text(name, number),
    openScreen: () => session.openScreen(number),
    edit: (element, key, edit, source) => queued(element, session.edit(key, edit, source, number)),
    input(element, kind, name, value, row = []) {
      const content = contentOf(name, value, row);
      const input = session.input(kind, content);
      queued(element, input);
      if (kind === "typed") tellLong(element, -input, value, "not-sent");
    },
    tooLong: (name, row = []) => session.queue.tooLong.get(placeOf(contentOf(name, undefined, row)))?.value,
    measure: (element, text) => tellLong(element, session.excess(text), text.text(), "not-shared"),
    later: (run) => setTimeout(run),
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
