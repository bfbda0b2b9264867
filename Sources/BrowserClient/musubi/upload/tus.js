// @ts-check
// SPDX-License-Identifier: Apache-2.0

/**
 * The server's answer to a request: code 0 if there was none.
 *
 * @typedef {{code: number, field: (name: string) => string | null}} Answer
 */

/**
 * What sending needs from the world.
 *
 * @typedef {object} World
 * @property {(method: string, url: string, fields: Record<string, string>, body: Blob | undefined,
 *   progress: (bytes: number) => void, signal: AbortSignal) => Promise<Answer>} request
 * @property {(ms: number, signal: AbortSignal) => Promise<void>} pause Returns sooner if the browser is online again.
 */

/**
 * A file on its way.
 *
 * @typedef {object} Job
 * @property {Blob} [file] Its bytes; nothing if the browser can no longer read them.
 * @property {string} name
 * @property {number} size
 * @property {string} [place] The address of its upload, once it has begun.
 * @property {number} offset So many bytes are there.
 */

/**
 * What somebody hears of a job.
 *
 * @typedef {object} Listener
 * @property {() => string | undefined} address Where uploads begin; throws a `Refusal` if none can.
 * @property {() => void} reconnect Asks for another address.
 * @property {(isOnline: boolean) => void} changed The upload has begun, or bytes have arrived.
 */

/** A part has so many bytes: what a lost connection costs where a proxy collects bodies. */
const partBytes = 4_194_304;
/** An upload that the server forgets begins again so often. */
const maxBeginnings = 3;

/** The sentences of final answers, by their codes. */
const refusals = /** @type {Record<number, string>} */ ({
  400: "file-refused", 401: "file-forbidden", 403: "file-forbidden", 404: "file-refused", 405: "file-refused",
  410: "file-refused", 411: "file-refused", 412: "file-refused", 413: "file-large", 415: "file-type", 422: "file-refused",
  429: "file-many", 507: "file-space",
});

/** A file that is not taken; `name` is the sentence's. */
export class Refusal extends Error {
  /** @param {string} name */
  constructor(name) {
    super(name);
    this.name = name;
  }
}

/** @type {(text: string) => string} Base64 of its UTF-8. */
const encoded = (text) => btoa(String.fromCharCode(...new TextEncoder().encode(text)));

/**
 * Asks how far an upload has come.
 *
 * @type {(job: Job, world: World, signal: AbortSignal) => Promise<Answer>}
 */
export function ask(job, { request }, signal) {
  return request("HEAD", job.place ?? "", { "Tus-Resumable": "1.0.0" }, undefined, () => {}, signal);
}

/** @type {(job: Job, world: World) => void} Has the server forget an upload. */
export function end({ place }, { request }) {
  if (place) request("DELETE", place, { "Tus-Resumable": "1.0.0" }, undefined, () => {}, new AbortController().signal);
}

/** @type {(place: string) => string} What the control's input says. */
export const tokenOf = (place) => place.slice(place.lastIndexOf("/") + 1);

/** @type {(file: Blob | undefined, start: number) => Promise<boolean>} Whether the browser can read the file there. */
const isReadable = async (file, start) => {
  try {
    await file?.slice(start, start + 1).arrayBuffer();
    return true;
  } catch {
    return false;
  }
};

/**
 * Sends a file by tus 1.0, and goes on after lost connections, for as long as it takes.
 *
 * @param {Job} job Its `place` and `offset` change.
 * @param {Listener} listener
 * @param {World} world
 * @param {AbortSignal} signal Ends it, and leaves what has arrived.
 * @returns {Promise<void>} When all bytes are there.
 * @throws {Refusal} If the file is not taken.
 */
export async function send(job, listener, world, signal) {
  let isAsked = false;
  let [failures, beginnings, conflicts] = [0, 0, 0];
  /** @type {string | undefined} The address that has ended. */
  let ended;
  while (!signal.aborted) {
    const isBegun = job.place !== undefined;
    const address = isBegun ? "" : listener.address();
    if (address === undefined || address === ended) {
      // The next connection brings another one, in its own time.
      listener.changed(false);
      await world.pause(1_000, signal);
      continue;
    }
    const start = job.offset;
    const answer = await step(job, address, isAsked, listener, world, signal);
    if (signal.aborted) return;
    const { code } = answer;
    if (code >= 200 && code < 300) {
      failures = 0;
      if (!isBegun) job.place = answer.field("Location") ?? undefined;
      job.offset = Number(answer.field("Upload-Offset") ?? 0);
      if (isAsked) conflicts = 0;
      isAsked = true;
      listener.changed(true);
      if (isBegun && job.offset === job.size) return;
    } else if (code === 409 && isBegun) {
      // Once it may be an answer that was lost; afterwards another page sends the same file.
      isAsked = false;
      if ((conflicts += 1) > 1) await world.pause(Math.min(30_000, 250 * 2 ** conflicts), signal);
    } else if ((code === 404 || code === 410) && (beginnings += 1) < maxBeginnings) {
      // The upload is gone, or the address has ended.
      if (isBegun) Object.assign(job, { place: undefined, offset: 0 });
      else {
        ended = address;
        listener.reconnect();
      }
    } else if (refusals[code]) {
      throw new Refusal(refusals[code]);
    } else {
      const hasSent = code === 0 && isBegun && isAsked;
      isAsked = false;
      listener.changed(false);
      await world.pause(Math.min(30_000, 1_000 * 2 ** failures), signal);
      failures += 1;
      // A folder that was dropped, or a file that was moved or changed, fails as a lost connection does. (In a page that ends no
      // file can be read, but none comes this far.)
      if (hasSent && !signal.aborted && !(await isReadable(job.file, start))) throw new Refusal("file-unreadable");
    }
  }
}

/**
 * @param {Job} job
 * @param {string} address Where uploads begin.
 * @param {boolean} isAsked Whether the server has said how far the upload has come.
 * @param {Listener} listener
 * @param {World} world
 * @param {AbortSignal} signal
 * @returns {Promise<Answer>}
 */
async function step(job, address, isAsked, { changed }, world, signal) {
  const fields = { "Tus-Resumable": "1.0.0" };
  if (job.place === undefined) {
    const begin = { ...fields, "Upload-Length": String(job.size), "Upload-Metadata": `filename ${encoded(job.name)}` };
    return world.request("POST", address, begin, undefined, () => {}, signal);
  }
  if (!isAsked) return ask(job, world, signal);
  const start = job.offset;
  const progress = (/** @type {number} */ bytes) => {
    job.offset = start + bytes;
    changed(true);
  };
  const part = { ...fields, "Upload-Offset": String(start), "Content-Type": "application/offset+octet-stream" };
  return world.request("PATCH", job.place, part, job.file?.slice(start, start + partBytes), progress, signal);
}
