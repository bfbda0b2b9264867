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
 * @property {string} [key] Of an edit: the key of a row's text.
 * @property {string | string[]} [row] The row of a list that it comes from; outermost first, if lists are nested.
 * @property {number} [screen]
 * @property {number} [back]
 * @property {string} [dismiss]
 * @property {boolean} [sent] Whether it was ever put on a connection.
 * @property {number} bytes About how much memory it takes.
 */

/** @typedef {ReturnType<typeof createQueue>} Queue */

/** @type {(input: Pick<Entry, "name" | "screen" | "row">) => string} Tells where an input comes from. */
export const placeOf = ({ name, screen, row }) => [name, screen, row].join();

/** @type {(value: unknown) => number} How many bytes of UTF-8 it takes as JSON. */
const bytesOf = (value) => new Blob([JSON.stringify(value)]).size;

/** @typedef {Pick<Entry, "name" | "value" | "row" | "screen">} Content */
/** @typedef {[place: string, content: Content][]} Contents What controls hold, by `placeOf`. */

/**
 * The inputs that wait for their acknowledgement, in order; bounded by count and size.
 *
 * @param {object} options
 * @param {number} [options.maxEntries]
 * @param {number} [options.maxBytes]
 * @param {Entry[]} [options.entries] What waits already.
 * @param {number} [options.last] The highest number given so far.
 * @param {{frame: number, text: number}} [options.limits]
 * @param {Contents} [options.unsent]
 * @param {Contents} [options.chosen]
 */
export function createQueue({
  maxEntries = 1000, maxBytes = 262_144, entries = [], last = 0, limits = { frame: 65_536, text: 262_144 }, unsent = [],
  chosen = [],
}) {
  /** The number of the newest input that was put on this connection. */
  let sent = 0;
  /** Values of controls that no frame can hold, by the control. */
  const tooLong = new Map(unsent);
  /** What the person has set controls to, those of rows left out. */
  const choices = new Map(chosen);

  /** @type {(content: Content) => number} By how many bytes its frame would be too long. */
  const over = (content) => bytesOf({ input: last + 1, ...content }) - limits.frame;

  // An older page may have left what ends each session that it is sent in.
  entries = entries.filter((entry) => entry.kind !== "typed" || over(entry) <= 0 || !tooLong.set(placeOf(entry), entry));

  const isFull = () =>
    entries.length >= maxEntries || entries.reduce((sum, entry) => sum + entry.bytes, 0) >= maxBytes;

  /** The newest input, if it was never sent: a later one of the same kind may join it. */
  const open = () => {
    const newest = entries.at(-1);
    return newest?.sent ? undefined : newest;
  };

  /**
   * Numbers an input and keeps it.
   *
   * @param {Omit<Entry, "input">} entry
   * @returns {number} Its number.
   */
  const push = (entry) => {
    entries.push({ input: (last += 1), ...entry });
    return last;
  };

  return {
    /** The most bytes of a frame and of a two-way text; the server tells them. */
    limits,
    /** What controls hold that was too long to be sent, by `placeOf`. */
    tooLong,
    choices,
    isFull,
    open,
    push,
    entries: () => entries,
    /** The highest number given so far. */
    last: () => last,
    /** The values that a reload of the page needs. */
    save: () => ({ last, entries, limits, unsent: [...tooLong], chosen: [...choices] }),
    /** How many changes a person counts: each tap, and each control once, however much was typed there. */
    changes() {
      const counted = entries.filter(({ kind }) => kind !== "close");
      return new Set(counted.map((entry) => (entry.kind === "tap" ? entry.input : placeOf(entry)))).size;
    },

    /**
     * Queues an input; one that is too long to be sent is only kept.
     *
     * @param {"tap" | "typed" | "close"} kind
     * @param {Omit<Entry, "input" | "kind" | "bytes">} content The frame's members.
     * @returns {number} Its number; 0 if the queue is full, and less by how many bytes it is too long.
     */
    input(kind, content) {
      const place = placeOf(content);
      const bytes = over(content);
      tooLong.delete(place);
      if (bytes > 0) {
        tooLong.set(place, content);
        return -bytes;
      }
      if (kind === "typed" && !content.row) choices.set(place, content);
      const joined = open();
      if (kind === "typed" && joined?.kind === kind && placeOf(joined) === place) {
        joined.value = content.value;
        return joined.input;
      }
      if (isFull() && kind !== "close") return 0;
      return push({ kind, ...content, bytes: 64 + JSON.stringify(content).length });
    },

    /** @param {(entry: Entry) => boolean} isDone Tells which entries to forget. */
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
