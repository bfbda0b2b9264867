// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { adopt, writeWaiting } from "./outlets/query.js";

/** How long the browser may take to go to an entry of its history, which may be gone; milliseconds. */
const patience = 5_000;

/** @type {(some: string[], others: string[]) => boolean} Whether the second list begins with the first one. */
const begins = (some, others) => some.every((key, index) => key === others[index]);

/**
 * Goes through the history, and waits until the browser has arrived.
 *
 * @param {Window} window
 * @returns {{arrived: () => unknown, travel: (delta: number) => Promise<boolean>}} `arrived` tells whether that was what the
 *   browser has moved for.
 */
function createTraveller(window) {
  /** @type {((hasArrived: boolean) => void) | undefined} */
  let arrive;
  return {
    arrived() {
      arrive?.(true);
      return arrive;
    },
    async travel(delta) {
      const hasArrived = await new Promise((/** @type {(value: boolean) => void} */ resolve) => {
        const timer = window.setTimeout(() => resolve(false), patience);
        arrive = (value) => {
          window.clearTimeout(timer);
          resolve(value);
        };
        window.history.go(delta);
      });
      arrive = undefined;
      return hasArrived;
    },
  };
}

/**
 * Keeps the browser's history equal to the open screens: one entry for each screen of the stack, one for a dialog.
 *
 * An entry remembers in its state the session and the keys of all entries up to it, and where the page was scrolled to.
 * So a page that was reloaded, and a history that a person walks through, both know what they are looking at.
 *
 * @param {{returned: (keys: string[]) => void, shown: () => string}} options `returned` is called when the person went
 *   back; with the keys of the open screens. `shown` tells the key of the screen that the page shows.
 * @param {Window} [window]
 */
export function createTrail({ returned, shown }, window = globalThis.window) {
  const { history, location } = window;
  const { arrived, travel } = createTraveller(window);
  /** @type {{key: string, url: string}[]} */
  let wanted = [];
  let session = "";
  /** @type {Promise<void>} */
  let following = Promise.resolve();
  /** @returns {string[]} The session, and the keys of the entries up to the present one; the first screen's may lack them. */
  const present = () => history.state?.musubi ?? (history.state?.query ? [session, "0"] : []);
  const keys = () => [session, ...wanted.map(({ key }) => key)];
  const step = async () => {
    const [now, then] = [present(), keys()];
    // The first entry of this session, or one that another session has left: the present screens begin the trail.
    if (now[0] !== session) return history.replaceState({ ...history.state, musubi: then.slice(0, 2) }, "");
    const common = now.findIndex((key, index) => key !== then[index]);
    if (common > 0) {
      return (await travel(common - now.length)) || history.replaceState({ musubi: keys() }, "", wanted.at(-1)?.url);
    }
    writeWaiting();
    history.replaceState({ ...history.state, y: window.scrollY }, "");
    return history.pushState({ musubi: then.slice(0, now.length + 1) }, "", wanted[now.length - 1].url);
  };
  const follow = () => {
    following = following.then(async () => {
      for (adopt(window); present().length !== keys().length || !begins(present(), keys()); adopt(window)) await step();
    });
    return following;
  };
  const moved = () => {
    adopt(window);
    const [now, then] = [present(), keys()];
    if (arrived() || !now.length) return;
    if (begins(now, then)) return void (now.length < then.length && returned(now.slice(1)));
    if (now[0] === session && begins(now.slice(0, -1), then) && now[now.length - 1].includes(" of ")) follow();
    // Forward to a closed screen, or an entry of another session: the address opens it again. What the server says until the
    // page is loaded waits for ever, and leads nowhere else.
    else following = new Promise(() => location.reload());
  };
  // A page that is loaded again is scrolled by the browser, as any other page.
  window.addEventListener("pagehide", () => void (history.scrollRestoration = "auto"));
  window.addEventListener("popstate", moved);
  return {
    /** Where the page of the present entry was scrolled to. */
    scrollTop: () => history.state?.y ?? 0,
    /** @type {(identity: string, entries: {key: string, url: string}[]) => Promise<void>} The session, and what is open. */
    follow(identity, entries) {
      // A screen that comes back is scrolled by the page.
      history.scrollRestoration = "manual";
      const isFirst = !session;
      [session, wanted] = [identity, entries];
      const now = present();
      // Who went back before this listened has left the screen that the reloaded page shows.
      if (isFirst && now[0] === session && begins(now, keys()) && !now.includes(shown())) returned(now.slice(1));
      return follow();
    },
  };
}
