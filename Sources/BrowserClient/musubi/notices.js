// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { tellSignedOut } from "./departure.js";
import { namesOfCodes } from "./more-words.js";

/** @typedef {import("./stack.js").Host} Host */

/**
 * Tells what the server has refused. Where there is nothing, the page's elements with `data-not-found` say so.
 *
 * @param {Host} host
 * @param {string} code
 * @param {string} message
 */
export function tell({ status }, code, message) {
  if (["session-unknown", "token-refused", "visitor-changed"].includes(code)) return;
  const elements = code === "not-found" ? [...document.querySelectorAll("[data-not-found]")] : [];
  for (const element of elements) element.removeAttribute("hidden");
  console.info(`Musubi: ${message}`);
  if (!elements.length) status.say(namesOfCodes[code] ?? message);
}

/** @type {(host: Host, taps: number) => void} The session is gone, and taps that nobody has confirmed. */
export const tellLoss = ({ status }, taps) => status.say("lost", taps);

/** @type {(host: Host, code: number, reason: string) => void} The server does not want the page to come back. */
export function tellEnd(host, code, reason) {
  if (code === 4501) tellChange(host, reason);
  else if (code === 4503) tellSignedOut(host, reason);
  // A code below 4000 speaks of frames.
  else host.status.setLink("expired", namesOfCodes[code] ?? (code < 4000 ? "ended" : reason || "ended"));
}

/**
 * The server has another version of the screen, of the protocol or of the client: the page reloads itself, once in the
 * life of its tab for each version; a page that is no newer then stays as it is.
 *
 * @param {string} version What tells the version from others.
 * @param {() => void} [reload]
 * @param {Pick<Storage, "getItem" | "setItem">} [storage]
 * @returns {boolean} Whether the page reloads itself.
 */
export function reloadOnce(version, reload = () => location.reload(), storage) {
  try {
    storage ??= sessionStorage;
    const known = JSON.parse(storage.getItem("musubi versions") ?? "[]");
    if (known.includes(version)) return false;
    storage.setItem("musubi versions", JSON.stringify([...known, version]));
    // Long enough to be read.
    setTimeout(reload, 1000);
    return true;
  } catch {
    // Without a memory it could go on for ever.
    return false;
  }
}

/** @type {(host: Pick<Host, "status">, ...about: Parameters<typeof reloadOnce>) => boolean} The same, and the page says so. */
export function tellChange({ status }, ...about) {
  status.setLink("outdated", "changed");
  return reloadOnce(...about);
}

/**
 * The session of a later screen is gone, or the first screen itself. The page's address opens its screen alone, in a
 * new session, and text that a person has typed there goes along.
 *
 * @param {Pick<Host, "session" | "shown" | "store">} host
 */
export function move({ session, shown, store }) {
  const record = session.save();
  if (record) {
    const entries = record.entries
      .filter(({ kind, screen = 0 }) => kind === "tap" || (kind !== "close" && screen === shown.screen))
      .map(({ screen, ...entry }) => entry);
    const [texts, known] = [{ 0: record.texts[shown.screen] }, { 0: record.known?.[shown.screen] }];
    const chosen = record.chosen?.filter(([, { screen = 0 }]) => screen === shown.screen)
      .map(([, { screen, ...content }]) => [`${content.name},,`, content]);
    store.leave(shown.path, { ...record, entries, texts, known, chosen });
  }
  // What leaves the page from now on is of no use to anybody.
  shown.path = "";
  location.reload();
  return true;
}

/** How often the server has answered, and a page that was never live did not get through to it by WebSocket. */
let blocked = 0;

/**
 * Tells why the server did not let the page in, at the handshake or behind it. A page whose screen or protocol the server
 * does not have is an old one, and reloads itself as above, if there still is a page at its address.
 *
 * @param {Host} host
 * @param {{type?: string, json: () => Promise<any>}} answer To the request of the handshake, made in plain HTTP.
 */
export async function explain(host, answer) {
  const { session, status } = host;
  const { code, message, protocol, logIn } = await answer.json();
  if (status.link() === "live") return;
  // To another origin the request carries no cookies: the refusal is not of the page.
  if (code === "not-authorized" && answer.type !== "cors") return tellSignedOut(host, message, logIn);
  if (code === "unknown-screen" || protocol > 1) {
    const page = await fetch(location.href, { method: "HEAD", cache: "no-store" });
    if (page.ok && tellChange(host, `${code} ${protocol}`, () => move(host))) return;
  }
  if (code !== "upgrade-required") {
    console.info(`Musubi: ${message}`);
    return status.setLink(status.link(), namesOfCodes[code === "not-allowed" ? 403 : code] ?? message);
  }
  // Once may be by chance: a server that was away for the WebSocket, and back for the question.
  blocked += session.hasState() ? 0 : 1;
  if (blocked > 1) status.setLink(status.link(), "blocked");
}
