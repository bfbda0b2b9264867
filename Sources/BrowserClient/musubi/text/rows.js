// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { keysOf } from "../patch.js";
import { keepOnly } from "../queue.js";
import { compare, rebase } from "./compare.js";
import { isOfRow } from "../screen.js";

/** @typedef {import("./document.js").TextDocument} TextDocument */
/** @typedef {import("./document.js").Content} Content */
/** @typedef {import("../screen.js").Screen} Screen */

/**
 * Two-way texts in the rows of lists. A text is known by its key: one of the screen by its name, one of a row by a JSON
 * Pointer of lists and ids, outermost first, and the name, such as `/days/7/tasks/3/title`.
 *
 * A row's text has no revision before somebody edits it; it is the row's value then. It ends with its row.
 *
 * Rows of long lists come in frames of the page's own. Their texts that somebody edits are told in turns, as those of a list
 * beside theirs, `/cards..edited/7/title`, until nobody edits the row any more.
 */

/** @type {(tokens: string[]) => string} The key of a row's text: list, id, inner list, id, name. */
export const keyOf = (tokens) => tokens.map((token) => `/${token.replace(/~/g, "~0").replace(/\//g, "~1")}`).join("");

/** @type {WeakMap<import("./texts.js").Texts, Set<number>>} Inputs of texts that have ended, as a screen had them. */
const gone = new WeakMap();

/** @type {WeakMap<any[], Map<string, any>>} The rows of a list by their ids; a list that changes is another one. */
const indices = new WeakMap();

/**
 * The text of a row's field, as far as the server has told.
 *
 * @param {Record<string, any>} state
 * @param {string} key
 * @param {boolean} [hasRevision] Whether the text is a document of the server's.
 * @returns {string | undefined} Nothing, if the row is not there.
 */
function fieldText(state, key, hasRevision) {
  const tokens = keysOf(key).slice(1);
  const name = /** @type {string} */ (tokens.pop());
  /** @type {any} */
  let node = state;
  for (let place = 0; node && place < tokens.length; place += 2) {
    const list = node[tokens[place]];
    if (!Array.isArray(list)) return undefined;
    if (!indices.has(list)) indices.set(list, new Map(list.map((row) => [String(row?.id), row])));
    node = indices.get(list)?.get(tokens[place + 1]);
  }
  const text = (hasRevision ? node?.[`${name}.field`] : undefined) ?? node?.[name];
  return typeof text === "string" ? text : undefined;
}

/**
 * The text of a row's field; the row's value begins it.
 *
 * @param {Screen} screen
 * @param {string} key
 * @param {string} server
 * @returns {TextDocument | undefined} Nothing, if the name is a text of the whole screen: it is none in rows then.
 */
export function openRow({ texts }, key, server) {
  const tokens = keysOf(key).slice(1);
  const name = /** @type {string} */ (tokens.pop());
  if (texts.documents.has(name)) return undefined;
  const ids = tokens.filter((_, index) => index % 2);
  return note(texts.open(key, { server, revision: -1, pending: [], address: { name, row: ids.length > 1 ? ids : ids[0], key } }));
}

/** @type {(key: string) => boolean} Whether it is in a row of a long list; an id may end like that, too. */
const isLong = (key) => /^\/[^/]*\.\.edited\//.test(key);

/**
 * The first edit of a text in a long list's row tells what it is an edit of; that of a longer text has the page come back.
 *
 * @param {TextDocument} text
 */
function note(text) {
  const { address, server, revision } = text.save();
  if (address && isLong(address.key)) address.shown = revision < 0 && server.length <= 4096 ? server : undefined;
  return text;
}

/**
 * Turns do not tell a text of a long list's row any longer: it is what the page's own frames tell of the row, and what was
 * typed here and is not taken stays.
 *
 * @param {any} screen
 * @param {string} key
 * @param {number} [acked] Pending edits up to this number are part of the server's text.
 * @returns {unknown} Whether it is such a text.
 */
function loosen({ texts }, key, acked) {
  const text = isLong(key) && texts.documents.get(key);
  if (text && (acked || text.save().revision >= 0)) become(text, { revision: -1 }, acked);
  if (text && !text.save().pending.length && !texts.held?.get(key)) texts.documents.delete(key);
  return text;
}

/**
 * A row has gone, and its texts with it: the last typing reaches nobody.
 *
 * @param {Screen} screen
 * @param {string} key
 */
function end({ texts, queue, left }, key) {
  const text = texts.documents.get(key);
  const inputs = text?.save().pending.map(({ input }) => input) ?? [];
  texts.documents.delete(key);
  keepOnly(queue, ({ input }) => !inputs.includes(input));
  gone.set(texts, new Set([...(gone.get(texts) ?? []), ...inputs]));
  if (inputs.length) left(text?.text() ?? "");
}

/**
 * The server's text is another one, and nobody has told by which steps.
 *
 * @param {TextDocument} text
 * @param {{server?: string, revision: number}} content Without a text it is the one before.
 * @param {number} [acked] Pending edits up to this number are part of it.
 */
export function become(text, content, acked = 0) {
  const before = text.text();
  rebase(text, content, acked);
  note(text);
  text.tell(compare(before, text.text()), before);
}

/**
 * Takes over a snapshot's texts of rows.
 *
 * @param {Screen} screen
 * @param {Record<string, any>} state
 * @param {Record<string, number>} revisions
 * @param {number} acked Pending edits up to this number are part of it.
 * @param {boolean} isSameEpoch Whether the stream of turns is still the same: a document without a revision has ended then,
 *   with its row, and a row of its id is another one.
 */
export function replaceRows(screen, state, revisions, acked, isSameEpoch) {
  for (const key of new Set([...screen.texts.documents.keys(), ...Object.keys(revisions)].filter(isOfRow))) {
    const revision = revisions[key] ?? -1;
    const server = fieldText(state, key, revision >= 0);
    const text = server !== undefined && openRow(screen, key, server);
    const isOver = !text || (isSameEpoch && revision < text.save().revision);
    const hasEnded = isOver && !loosen(screen, key, acked);
    if (!text) hasEnded && end(screen, key);
    else if (hasEnded) beginAgain(screen, key, text, server, revision);
    else become(text, { server, revision }, acked);
  }
}

/**
 * Takes over a turn's patch to the texts of rows, and the documents that it begins.
 *
 * @param {Screen} screen
 * @param {Record<string, any>} state
 * @param {Record<string, any>} edits
 */
export function changeRows(screen, state, edits) {
  for (const key of screen.texts.documents.keys()) {
    if (isOfRow(key) && fieldText(state, key) === undefined && !loosen(screen, key)) end(screen, key);
  }
  for (const key in edits) {
    const { text: server, revision, steps } = edits[key];
    // Steps of a text whose row has gone in the same turn mean nothing.
    if (isOfRow(key) && fieldText(state, key) === undefined) delete edits[key];
    if (server === undefined || !edits[key]) continue;
    const text = openRow(screen, key, server);
    const first = revision - steps.length;
    if (text && text.save().server === server) text.save().revision = first;
    else if (text) become(text, { server, revision: first });
    if (text) note(text);
  }
  for (const [key, text] of screen.texts.documents) {
    const { server, revision } = text.save();
    const value = isOfRow(key) && revision < 0 ? fieldText(state, key) : undefined;
    if (value !== undefined && value !== server) become(text, { server: value, revision });
  }
}

/**
 * A row has gone, and one of its id is there: a field that shows both keeps the document, without the last typing.
 *
 * @param {Screen} screen
 * @param {string} key
 * @param {TextDocument} text
 * @param {string} server
 * @param {number} revision
 */
function beginAgain(screen, key, text, server, revision) {
  end(screen, key);
  screen.texts.documents.set(key, text);
  text.save().pending = [];
  become(text, { server, revision });
}

/**
 * An input of a row was refused, because the row has gone that it was for. If one of its id is there now, its field shows
 * that row's text.
 *
 * @param {Screen} screen
 * @param {number} input
 * @returns {boolean | undefined} Whether it was an edit, of which the person was told.
 */
export function leaveRow(screen, input) {
  for (const [key, text] of [...screen.texts.documents]) {
    const { server, revision, pending } = text.save();
    if (isOfRow(key) && pending.some((own) => own.input === input)) beginAgain(screen, key, text, server, revision);
  }
  return gone.get(screen.texts)?.delete(input);
}
