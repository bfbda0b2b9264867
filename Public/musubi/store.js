// @ts-check
// SPDX-License-Identifier: Apache-2.0

/**
 * The tab's memory of a session over a reload of the page.
 *
 * A duplicated tab gets a copy of `sessionStorage`, and two tabs must not speak for one session. So the record lies
 * there only while nobody shows the page: it is written when the page goes, and taken out when it comes back. A copy
 * that is made of a hidden page is found by the server, which then closes the older connection with 4502.
 *
 * @param {Pick<Storage, "getItem" | "setItem" | "removeItem">} [storage]
 */
export function createStore(storage) {
  return {
    /**
     * @param {string} path The page's.
     * @returns {any} What was left here, if anything.
     */
    take(path) {
      try {
        storage ??= sessionStorage;
        const record = storage.getItem(`musubi ${path}`);
        storage.removeItem(`musubi ${path}`);
        return record ? JSON.parse(record) : undefined;
      } catch {
        // Forbidden or damaged: a reload then starts a new session.
        return undefined;
      }
    },
    /**
     * @param {string} path
     * @param {unknown} record
     */
    leave(path, record) {
      try {
        if (record && path) storage?.setItem(`musubi ${path}`, JSON.stringify(record));
      } catch {
        // Full: see above.
      }
    },
  };
}
