// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { inherits } from "./visitor.js";

/**
 * The tab's memory of a session over a reload of the page.
 *
 * A duplicated tab gets a copy of `sessionStorage`, and two tabs must not speak for one session. So the record lies
 * there only while nobody looks at the page, and only the first that takes it has it: all tabs together remember in
 * `localStorage` which records were taken lately.
 *
 * @param {Storage} [storage]
 * @param {Pick<Storage, "getItem" | "setItem">} [shared]
 */
export function createStore(storage, shared) {
  /** Tells the record that this page has left from all others. */
  let left = "";
  /** @type {(key: string) => any} */
  const read = (key) => {
    try {
      return JSON.parse(storage?.getItem(key) ?? "{}");
    } catch {
      // Damaged.
      return {};
    }
  };
  const taken = () => shared?.getItem("musubi") ?? "";
  return {
    /** Whether another tab has taken what this page has left, and goes on with it. */
    isTaken: () => left !== "" && taken().includes(left),
    /**
     * @param {string} path The page's.
     * @returns {any} The values that were left here, if any.
     */
    take(path) {
      try {
        storage ??= sessionStorage;
        shared ??= localStorage;
        const record = read(`musubi ${path}`);
        storage.removeItem(`musubi ${path}`);
        left = "";
        if (record.id && !taken().includes(record.id)) {
          shared.setItem("musubi", (record.id + taken()).slice(0, 4000));
          return record;
        }
      } catch {
        // Forbidden: a reload then starts a new session.
      }
    },
    /** @type {(visitor?: string) => void} Forgets what the tab's earlier visitors have left and this one must not have. */
    keepOnly(visitor) {
      for (const key of Object.keys(storage ?? {})) {
        // Whose an old record is, only the server can tell.
        const { visitor: owner = visitor } = key.startsWith("musubi /") ? read(key) : {};
        if (!inherits(visitor, owner)) storage?.removeItem(key);
      }
    },
    /**
     * @param {string} path
     * @param {object | undefined} record
     */
    leave(path, record) {
      try {
        left ||= Math.random() + "";
        if (record && path) storage?.setItem(`musubi ${path}`, JSON.stringify({ ...record, id: left }));
      } catch {
        // Full: see above.
      }
    },
  };
}
