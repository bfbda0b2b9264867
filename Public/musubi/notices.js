// @ts-check
// SPDX-License-Identifier: Apache-2.0

/** @typedef {import("./stack.js").Host} Host */

/**
 * Tells what the server has refused. Where there is nothing, the page's elements with `data-not-found` say so.
 *
 * @param {Host} host
 * @param {string} code
 * @param {string | number} message
 */
export function tell({ status }, code, message) {
  if (code === "session-unknown" || code === "token-refused") return;
  const elements = code === "not-found" ? [...document.querySelectorAll("[data-not-found]")] : [];
  for (const element of elements) element.removeAttribute("hidden");
  const isLimit = typeof message === "number";
  if (!elements.length) status.say(isLimit ? status.text("long", "Too long: at most {} bytes.", message) : message);
}

/** @type {(host: Host, taps: number) => void} The session is gone, and taps that nobody has confirmed. */
export const tellLoss = ({ status }, taps) =>
  status.say(status.text("lost", "The server restarted. Unconfirmed taps: {}.", taps));

/** @type {(host: Host, code: number, reason: string) => void} The server does not want the page to come back. */
export function tellEnd(host, code, reason) {
  const { status } = host;
  if (code === 4501) tellChange(host, reason);
  else status.setLink("expired", reason || status.text("ended", "This page has ended. Reload it."));
}

/**
 * The server has another version of the screen, or of the protocol: the page says so, and loads itself anew, once in the
 * life of its tab for each version; a page that is no newer then stays as it is.
 *
 * @param {Pick<Host, "status">} host
 * @param {string} version What tells the version from others.
 * @param {() => void} [reload]
 * @param {Pick<Storage, "getItem" | "setItem">} [storage]
 * @returns {boolean} Whether the page loads itself anew.
 */
export function tellChange({ status }, version, reload = () => location.reload(), storage) {
  status.setLink("outdated", status.text("changed", "This page has changed. Reload it."));
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

/**
 * The session of a later screen is gone, or the first screen itself. The page's address opens its screen alone, in a new
 * session, and what a person has typed there goes along.
 *
 * @param {Pick<Host, "session" | "shown" | "store">} host
 */
export function move({ session, shown, store }) {
  const record = session.save();
  if (record) {
    const entries = record.entries
      .filter(({ kind, screen = 0 }) => kind === "tap" || (kind !== "close" && screen === shown.screen))
      .map(({ screen, ...entry }) => entry);
    store.leave(shown.path, { ...record, entries, texts: { 0: record.texts[shown.screen] } });
  }
  // What leaves the page from now on is of no use to anybody.
  shown.path = "";
  location.reload();
}

/**
 * Tells why the server did not let the page in. A page whose screen or protocol the server does not have is an old one,
 * and loads itself anew as above, if there still is a page at its address.
 *
 * @param {Host} host
 * @param {Response} answer To the request of the handshake, made in plain HTTP.
 */
export async function explain(host, answer) {
  const { status } = host;
  const { code, message, protocol } = await answer.json();
  if (status.link() === "live") return;
  if (code === "unknown-screen" || protocol > 1) {
    const page = await fetch(location.href, { method: "HEAD", cache: "no-store" });
    if (page.ok && tellChange(host, `${code} ${protocol}`, () => move(host))) return;
  }
  if (code !== "upgrade-required") status.setLink(status.link(), message);
}
