// @ts-check
// SPDX-License-Identifier: Apache-2.0

/** @typedef {import("./stack.js").Host} Host */

/**
 * The page's visitor is no longer signed in: typed text stays, nothing is sent, and the page tries again when somebody
 * looks at it again or loads it again.
 *
 * @param {Host} host
 * @param {string} message What the server says about it.
 */
export function tellSignedOut({ status, session, connection }, message) {
  connection.rest();
  const words = session.identity() && status.text("signed-out");
  status.setLink("expired", [words, message].filter(Boolean).join(" "));
}

/**
 * Somebody else is here now: what the visitor before saw and typed leaves screen and storage. The page reloads itself,
 * because scripts, fields' undo and the history's cache remember, too.
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
  document.body.replaceChildren(line);
  document.title = "";
  history.replaceState({ ...history.state, notice }, "");
  location.reload();
}

/** @type {(host: Pick<Host, "status">) => void} Tells why the page has begun again, once somebody looks. */
export function tellVisitor({ status }) {
  const { notice, ...state } = history.state;
  history.replaceState(state, "");
  const tell = () => status.say(notice);
  if (document.visibilityState === "hidden") addEventListener("visibilitychange", tell, { once: true });
  else tell();
}
