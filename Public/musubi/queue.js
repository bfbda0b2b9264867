// @ts-check
// SPDX-License-Identifier: Apache-2.0

/**
 * An input that the server has not acknowledged; besides `kind`, `sent` and `bytes` its members are the frame's.
 *
 * A `tap` takes effect at one moment and is never repeated in a new session; `typed` holds a whole value, which is;
 * the content of an `edit` lives in its document; a `close` leaves a screen (`back`) or a dialog (`dismiss`).
 *
 * @typedef {object} Entry
 * @property {number} input Its number.
 * @property {"tap" | "typed" | "edit" | "close"} kind
 * @property {string} [name]
 * @property {any} [value]
 * @property {string | string[]} [row] The row of a list that it comes from; outermost first, if lists are nested.
 * @property {number} [screen]
 * @property {number} [back]
 * @property {string} [dismiss]
 * @property {boolean} [sent] Whether it was ever put on a connection.
 * @property {number} bytes About how much memory it takes.
 */

/** @typedef {ReturnType<typeof createQueue>} Queue */

/**
 * The inputs that wait for their acknowledgement, in order; bounded by count and size.
 *
 * @param {object} options
 * @param {number} [options.mostEntries]
 * @param {number} [options.mostBytes]
 * @param {Entry[]} [options.entries] What waits already.
 * @param {number} [options.last] The highest number given so far.
 */
export function createQueue({ mostEntries = 1000, mostBytes = 262_144, entries = [], last = 0 }) {
  /** The number of the newest input that was put on this connection. */
  let sent = 0;
  return {
    /** The most bytes of a two-way text; the server tells it. */
    mostTextBytes: 262_144,
    entries: () => entries,
    /** The highest number given so far. */
    last: () => last,
    isFull: () => entries.length >= mostEntries || entries.reduce((sum, entry) => sum + entry.bytes, 0) >= mostBytes,
    /** The newest input, if it was never sent: a later one of the same kind may join it. */
    open() {
      const newest = entries.at(-1);
      return newest?.sent ? undefined : newest;
    },

    /**
     * Numbers an input and keeps it.
     *
     * @param {Omit<Entry, "input">} entry
     * @returns {number} Its number.
     */
    push(entry) {
      entries.push({ input: (last += 1), ...entry });
      return last;
    },

    /** @param {(entry: Entry) => boolean} isDone Tells what is to be forgotten. */
    forget(isDone) {
      entries = entries.filter((entry) => !isDone(entry));
    },

    /** A new connection: everything that is left is to be sent again. */
    rewind() {
      sent = 0;
    },

    /** The next input to send on this connection. */
    take() {
      const entry = entries.find(({ input }) => input > sent);
      if (entry) {
        sent = entry.input;
        entry.sent = true;
      }
      return entry;
    },
  };
}
