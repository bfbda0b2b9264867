// @ts-check
// SPDX-License-Identifier: Apache-2.0

/** How long the browser may take to go to an entry of its history; milliseconds. */
const patience = 1_000;

/**
 * Keeps the browser's history equal to the open screens: one entry for each screen of the stack, one for a dialog.
 *
 * An entry remembers in its state the session and the keys of all entries up to it, and where the page was scrolled to.
 * So a page that was reloaded, and a history that a person walks through, both know what they are looking at.
 *
 * @param {{returned: (keys: string[]) => void}} options `returned` is called when the person went back; with the keys
 *   of the open screens.
 * @param {Window} [window]
 */
export function createTrail({ returned }, window = globalThis.window) {
  const { history, location } = window;
  /** @type {{key: string, url: string}[]} */
  let wanted = [];
  let session = "";
  /** @type {(() => void) | undefined} */
  let arrived;
  /** @type {Promise<void>} */
  let following = Promise.resolve();
  /** @returns {string[]} The session, and the keys of the entries up to the present one. */
  const present = () => history.state?.musubi ?? [];
  const keys = () => [session, ...wanted.map(({ key }) => key)];
  /** @type {(some: string[], others: string[]) => boolean} */
  const isSame = (some, others) => some.every((key, index) => key === others[index]);

  history.scrollRestoration = "manual";
  window.addEventListener("popstate", () => {
    if (arrived) return arrived();
    const now = present();
    // A link to a place inside of the page makes entries without a state.
    if (!now.length) return;
    if (isSame(now, keys())) {
      if (now.length < keys().length) returned(now.slice(1));
      return;
    }
    // Forward to a closed screen, or an entry of another session: the address opens it again.
    const isDialog = now[0] === session && isSame(now.slice(0, -1), keys()) && / of /.test(now[now.length - 1]);
    if (isDialog) follow();
    else location.reload();
  });

  /** @param {number} delta */
  const travel = (delta) =>
    new Promise((/** @type {(value?: any) => void} */ resolve) => {
      const timer = window.setTimeout(resolve, patience);
      arrived = () => (window.clearTimeout(timer), resolve(true));
      history.go(delta);
    }).then((hasArrived) => {
      arrived = undefined;
      if (!hasArrived) history.replaceState({ musubi: keys() }, "");
    });

  const step = () => {
    const [now, then] = [present(), keys()];
    if (now[0] !== session) {
      // The first entry of this session, or one that another session has left: the present screens begin the trail.
      history.replaceState({ musubi: then.slice(0, 2) }, "");
      return undefined;
    }
    const common = now.findIndex((key, index) => key !== then[index]);
    if (common > 0) return travel(common - now.length);
    history.replaceState({ ...history.state, y: window.scrollY }, "");
    history.pushState({ musubi: then.slice(0, now.length + 1) }, "", wanted[now.length - 1].url);
    return undefined;
  };

  const follow = () => {
    following = following.then(async () => {
      while (present().length !== keys().length || !isSame(present(), keys())) await step();
    });
    return following;
  };

  return {
    /** Where the page of the present entry was scrolled to. */
    scrollTop: () => history.state?.y ?? 0,
    /**
     * @param {string} identity The session.
     * @param {{key: string, url: string}[]} entries The open screens and dialog.
     */
    follow(identity, entries) {
      session = identity;
      wanted = entries;
      return follow();
    },
  };
}
