// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { all } from "./outlets/query.js";

/** @typedef {import("./stack.js").Host} Host */

/** The page's address without what its visitor has written into it. */
function ownAddress() {
  const address = new URL(location.href);
  const written = /** @type {any[]} */ ([...all, ...document.querySelectorAll("[data-window-filter]")]);
  for (const { name } of written) address.searchParams.delete(name);
  return address;
}

/**
 * The page's visitor is no longer signed in: typed text stays, nothing is sent, and the page tries again when somebody
 * looks at it again or loads it again. If there is a place to log in, the page goes there, and says where it wants to be
 * afterwards; what was typed waits in the tab, as at a reload.
 *
 * @param {Host} host
 * @param {string} [message] What the application says about it; without it the page says so in its own language.
 * @param {string} [place] Where one logs in; a log-in that asks for itself would go round for ever.
 */
export function tellSignedOut({ status, session, connection, shown }, message, place = "") {
  connection.rest();
  if (place && place.split("?")[0] !== location.pathname) {
    const { pathname, search } = session.identity() ? ownAddress() : location;
    // The session waits there, and writes its address again.
    shown.path = pathname + search;
    return location.replace(place + (place.includes("?") ? "&next=" : "?next=") + encodeURIComponent(shown.path));
  }
  const own = session.identity() ? "signed-out" : !message && "sign-in";
  status.setLink("expired", [own && status.text(own), message].filter(Boolean).join(" "));
}

/**
 * Somebody else is here now: what the visitor before saw and typed leaves screen, storage and address. The page reloads
 * itself, because scripts, fields' undo and the history's cache remember, too.
 *
 * @param {Host} host
 * @param {string} [visitor] Who is here now.
 */
export function startOver({ status, store, shown, line }, visitor) {
  store.keepOnly(visitor);
  // What leaves the page from now on is of no use to anybody.
  shown.path = "";
  const notice = visitor === "anonymous" ? "nobody" : "visitor";
  status.say(notice);
  const address = ownAddress();
  document.body.replaceChildren(line);
  document.title = "";
  all.clear();
  history.replaceState({ ...history.state, notice, query: undefined }, "", address);
  location.reload();
  return true;
}

/** @type {(host: Pick<Host, "status">) => void} Tells why the page has begun again, once somebody looks. */
export function tellVisitor({ status }) {
  const { notice, ...state } = history.state;
  history.replaceState(state, "");
  const tell = () => status.say(notice);
  document.visibilityState === "hidden" ? addEventListener("visibilitychange", tell, { once: true }) : tell();
}
