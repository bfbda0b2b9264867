// @ts-check
// SPDX-License-Identifier: Apache-2.0

/**
 * What the browser lends; tests pass their own.
 *
 * @typedef {object} StoreEnvironment
 * @property {Pick<Storage, "getItem" | "setItem">} storage
 * @property {Pick<LockManager, "request">} [locks] Missing on plain http outside localhost.
 */

/**
 * The tab's memory of a session over a reload of the page.
 *
 * A duplicated tab gets a copy of `sessionStorage`, and two tabs must not speak for one session. So a page marks its
 * record as left when it goes: a record that was not left belongs to a page that still lives, or to one that crashed.
 * A lock, which a crash releases, tells the two apart; without locks the page starts afresh.
 *
 * @param {string} key
 * @param {StoreEnvironment} environment
 * @returns {Promise<{saved: any, enter: () => void, leave: (saved: any) => void}>}
 */
export async function openStore(key, { storage, locks }) {
  const record = read(storage, key);
  const isOurs = record && (record.isLeft || (locks && (await hold(locks, record.tab))));
  const tab = isOurs ? record.tab : Math.random().toString(36).slice(2);
  if (locks && !(isOurs && !record.isLeft)) hold(locks, tab);
  let saved = isOurs ? record.saved : undefined;
  const write = (/** @type {boolean} */ isLeft) => {
    try {
      storage.setItem(key, JSON.stringify({ tab, isLeft, saved }));
    } catch {
      // Full or forbidden: a reload then starts a new session, which is what happens without a store anyway.
    }
  };
  write(false);
  return {
    saved,
    /** The page has come back from the browser's cache of pages. */
    enter: () => write(false),
    /** The page goes, perhaps for good. */
    leave(value) {
      saved = value;
      write(true);
    },
  };
}

/**
 * @param {StoreEnvironment["storage"]} storage
 * @param {string} key
 */
function read(storage, key) {
  try {
    return JSON.parse(storage.getItem(key) ?? "null");
  } catch {
    return null;
  }
}

/**
 * Takes the tab's lock for as long as the page lives.
 *
 * @param {NonNullable<StoreEnvironment["locks"]>} locks
 * @param {string} tab
 * @returns {Promise<boolean>} Whether nobody else has it.
 */
function hold(locks, tab) {
  return new Promise((resolve) => {
    const request = locks.request(`musubi ${tab}`, { ifAvailable: true }, (lock) => {
      resolve(lock !== null);
      return lock ? new Promise(() => {}) : undefined;
    });
    request.catch(() => resolve(false));
  });
}
