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
 * @property {number} bytes About how much memory it takes; 0 if it is no change of a person's.
 */

/** @typedef {ReturnType<typeof createQueue>} Queue */

/** A queue with so many inputs, or so many bytes, takes no more. */
const [maxEntries, maxBytes] = [1000, 262_144];

/** @type {(input: Pick<Entry, "name" | "screen" | "row">) => string} Tells where an input comes from. */
export const placeOf = ({ name, screen, row }) => [name, screen, row].join();

/** @type {(content: object) => number} About how much memory an input takes. */
export const bytesOf = (content) => 64 + JSON.stringify(content).length;

/** @typedef {Pick<Entry, "name" | "value" | "row" | "screen">} Content */
/** @typedef {[place: string, content: Content][]} Contents What controls hold, by `placeOf`. */

/**
 * The inputs that wait for their acknowledgement, in order; bounded by count and size.
 *
 * @param {object} options
 * @param {Entry[]} [options.entries] What waits already.
 * @param {number} [options.last] The highest number given so far.
 * @param {{frame: number, text: number}} [options.limits]
 * @param {Contents} [options.unsent]
 * @param {Contents} [options.chosen]
 */
export function createQueue({ entries = [], last = 0, limits = { frame: 65_536, text: 262_144 }, unsent = [], chosen = [] }) {
  /** The number of the newest input that was put on this connection. */
  let sent = 0;
  let acked = 0;
  const tooLong = new Map(unsent);
  const choices = new Map(chosen);
  // What is no change takes no room that the answer to a question needs.
  const counted = () => entries.filter(({ bytes }) => bytes);
  return {
    /** The most bytes of a frame and of a two-way text; the server tells them. */
    limits,
    /** Values of controls that no frame can hold, by the control; `values.js` keeps them. */
    tooLong,
    /** What the person has set controls to, those of rows left out; likewise. */
    choices,
    entries: () => entries,
    /** The highest number given so far. */
    last: () => last,
    /** The values that a reload of the page needs. */
    save: () => ({ last, entries, limits, unsent: [...tooLong], chosen: [...choices] }),
    isFull: () => counted().length >= maxEntries || counted().reduce((sum, { bytes }) => sum + bytes, 0) >= maxBytes,
    /**
     * How many changes a person counts: each tap, and each control once, however much was typed there. On a live connection
     * what was never sent waits for a pause in typing, and for no server.
     *
     * @param {boolean} [isLive]
     */
    changes(isLive) {
      const waiting = counted().filter((entry) => entry.sent || !isLive);
      return new Set(waiting.map((entry) => (entry.kind === "tap" ? entry.input : placeOf(entry)))).size;
    },
    /** The newest input, if it was never sent: a later one of the same kind may join it. */
    open: () => entries.slice(-1).find((entry) => !entry.sent),
    /** @type {(entry: Omit<Entry, "input">) => number} Keeps an input, and returns its number. */
    push(entry) {
      entries.push({ input: (last += 1), ...entry });
      return last;
    },
    /** What is up to this number is done, or never will be. */
    acked: () => acked,
    /** @param {number} ack */
    acknowledge(ack) {
      acked = ack;
      entries = entries.filter(({ input }) => input > ack);
    },
    /** A new connection: everything that is left is to be sent again. */
    rewind() {
      sent = 0;
    },
    /** The next input to send on this connection. */
    take() {
      const entry = entries.find(({ input }) => input > sent);
      if (entry) [sent, entry.sent] = [entry.input, true];
      return entry;
    },
  };
}

/** @type {(queue: Queue, isKept: (entry: Entry) => boolean) => void} Forgets the other inputs. */
export function keepOnly(queue, isKept) {
  const entries = queue.entries();
  entries.splice(0, Infinity, ...entries.filter(isKept));
}
