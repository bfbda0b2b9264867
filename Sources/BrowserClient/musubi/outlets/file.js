// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { further } from "../further.js";

/** @typedef {{to: string, bytes: number, types: string[]}} Place Where files go, and which. */

/**
 * What the file for `data-bind-file` may use of the page.
 *
 * @typedef {object} FilePage
 * @property {object} group The same for all elements of one screen, or of one row.
 * @property {string} key Names the control, also after a reload.
 * @property {string} path The page's, which stays when another screen lies on top.
 * @property {() => Place | null | undefined} place Where files of the control go; null if the visitor may not send any, nothing
 *   before the server has said so.
 * @property {() => boolean} isElsewhere Whether the page is of another origin than the server, which takes no files from there.
 * @property {(upload: string) => void} send Sends the control's input.
 * @property {(name: string, count?: number) => string} text A sentence in the page's language.
 * @property {(text: string) => void} say Has the status line tell it once.
 * @property {() => void} reconnect Connects again, after which there is another place.
 */

/** @type {Map<number, Record<string, Place>>} Where files go, by the screen's number. */
const places = new Map();
/** @type {import("../stack.js").Host | undefined} */
let page;
/** @type {(host: import("../stack.js").Host, frame: any) => void} The server has said where files go. */
export function hearPlaces(host, frame) {
  page = host;
  places.set(frame.screen ?? 0, frame.uploads);
}

/** @type {(first?: {href: string, server?: string}) => boolean} By where the session began, and the body's `data-server`. */
export const isElsewhere = ({ href, server } = { href: "" }) =>
  Boolean(server) && new URL(/** @type {string} */ (server).replace(/^ws/, "http"), href).origin !== new URL(href).origin;

const attachControl = further("upload");

/**
 * `data-bind-file`: the control, or what is dropped on the element or pasted into it, sends files. A further file does that.
 *
 * @type {import("../page.js").Attach}
 */
export const attach = (element, context, binding) => {
  const { name } = binding;
  /** @type {FilePage} */
  const files = {
    group: context,
    key: [context.screen, ...(context.place ?? []), name].join("/"),
    path: location.pathname,
    place() {
      const told = places.get(context.screen ?? 0);
      return told && (told[name] ?? null);
    },
    isElsewhere: () => isElsewhere(page?.shown.first),
    send: (upload) => context.input(element, "tap", name, upload),
    text: (...about) => page?.status.text(...about) ?? about[0],
    say: (text) => page?.status.say(text),
    reconnect: () => page?.connection.drop(),
  };
  return attachControl(element, context, /** @type {any} */ ({ ...binding, files }));
};
