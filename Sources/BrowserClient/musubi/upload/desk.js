// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { createRow } from "./list.js";
import { forget, leave, remember, remembered } from "./memory.js";
import { ask, end, Refusal, send, tokenOf } from "./tus.js";
import { browser } from "./world.js";

/** @typedef {import("../outlets/file.js").FilePage} FilePage */
/** @typedef {import("./list.js").Entry & import("./tus.js").Job & {date: number, row?: import("./list.js").Row,
 *   control?: AbortController, isOfCopy?: boolean}} Sent A file of the list; `date` is when it was changed, in milliseconds. Of a
 *   copy of the tab it may be on its way there. */
/** @typedef {ReturnType<typeof createDesk>} Desk */

/**
 * The files of one control.
 *
 * @typedef {object} State
 * @property {FilePage} page
 * @property {HTMLElement} list
 * @property {Sent[]} files
 * @property {Sent} [current] The file that is being sent.
 * @property {() => Element} spot Behind which element the list stands.
 * @property {() => void} focus Gives the focus to the control.
 */

/** Types that the server tells by the first bytes as the browser does by the name; of others it knows more. */
const told = /^(image\/(png|jpeg|gif|webp)|application\/pdf)$/;

/** @type {(type: string, types: string[]) => boolean} Whether a type is one of those: `image/png`, `image/*`. */
const isOne = (type, types) =>
  types.some((one) => one === "*/*" || one === type || (one.endsWith("/*") && type.startsWith(one.slice(0, -1))));

/** @type {(bytes: number) => [name: string, count: number]} That a file is too large, with the limit as people read it. */
function tooLarge(bytes) {
  if (bytes < 1_024) return ["file-large", bytes];
  const [unit, name] = bytes < 1_048_576 ? [1_024, "kb"] : [1_048_576, "mb"];
  return [`file-large-${name}`, Math.floor((10 * bytes) / unit) / 10];
}

/**
 * Why a file need not be sent at all; nothing if the server may take it.
 *
 * @param {{size: number, type: string}} file
 * @param {import("../outlets/file.js").Place} place
 * @returns {[name: string, count?: number] | undefined}
 */
export function problem({ size, type }, { bytes, types }) {
  if (!size) return ["file-empty"];
  if (size > bytes) return tooLarge(bytes);
  return told.test(type) && !isOne(type, types) ? ["file-type"] : undefined;
}

/**
 * @param {Sent} file
 * @param {Sent["state"]} state
 * @param {Sent["why"]} [why]
 */
function show(file, state, why) {
  Object.assign(file, { state, why });
  file.row?.show();
}

/** @type {(desk: State, file: Sent) => void} */
function remove(desk, file) {
  const hadFocus = file.row?.item.contains(document.activeElement);
  desk.files = desk.files.filter((one) => one !== file);
  file.row?.item.remove();
  if (!desk.files.length) desk.list.remove();
  if (hadFocus) desk.focus();
}

/** @type {(desk: State, file: Sent, why: [name: string, count?: number]) => void} */
function refuse({ page }, file, why) {
  show(file, "refused", why);
  page.say(`${file.name}: ${page.text(...why)}`);
}

/** @type {(file: Sent, isKept?: boolean) => void} Nobody goes on with its upload, which the server may keep. */
function giveUp(file, isKept = true) {
  if (isKept) end(file, browser);
  forget(file.place);
  Object.assign(file, { place: undefined, offset: 0 });
}

/** @type {(desk: State, file: Sent) => Promise<void>} All bytes are there: the ViewModel gets it. */
async function hand(desk, file) {
  const { page } = desk;
  // A queue that is full would drop the input.
  while (document.documentElement.hasAttribute("data-full")) await new Promise((run) => setTimeout(run, 500));
  // Somebody may have cancelled it meanwhile.
  if (!desk.files.includes(file)) return;
  page.send(tokenOf(file.place ?? ""));
  forget(file.place);
  page.say(`${file.name}: ${page.text("file-sent")}`);
  remove(desk, file);
}

/** @type {(desk: State, file: Sent) => Promise<void>} Sends a file to its end, or until somebody stops it. */
async function transfer(desk, file) {
  const { page } = desk;
  const { signal } = (file.control = new AbortController());
  const changed = (/** @type {boolean} */ isOnline) => {
    const { name, size, date, place } = file;
    if (signal.aborted) return;
    if (place) remember({ key: page.key, path: page.path, name, size, date, place });
    show(file, isOnline ? "sending" : "offline");
  };
  const address = () => {
    if (page.isElsewhere()) throw new Refusal("file-refused");
    const place = page.place();
    if (place === null) throw new Refusal("file-forbidden");
    return place?.to;
  };
  show(file, "sending");
  try {
    await send(file, { address, reconnect: page.reconnect, changed }, browser, signal);
    if (!signal.aborted) await hand(desk, file);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    // These are for now: the server keeps what has arrived, and another try goes on from there.
    const isKept = ["file-many", "file-space"].includes(error.name);
    // These it has deleted, or does not let go of for this visitor.
    if (!isKept) giveUp(file, !["file-type", "file-forbidden"].includes(error.name));
    const limit = page.place()?.bytes;
    refuse(desk, file, error.name === "file-large" && limit ? tooLarge(limit) : [error.name]);
  }
}

/** @type {(desk: State) => Promise<void>} Sends what waits, one after the other. */
async function run(desk) {
  if (desk.current) return;
  while ((desk.current = desk.files.find(({ state }) => state === "waiting"))) await transfer(desk, desk.current);
}

/** @type {(desk: State, file: Sent) => void} Adds a file to the list. */
function enter(desk, file) {
  const { files, list, page } = desk;
  const cancel = () => {
    file.control?.abort();
    giveUp(file);
    remove(desk, file);
  };
  const begin = () => {
    show(file, "waiting");
    run(desk);
  };
  file.row = createRow(file, page.text, {
    pause() {
      file.control?.abort();
      show(file, "paused");
    },
    continue: begin,
    cancel,
    again: begin,
    remove: cancel,
  });
  files.push(file);
  list.append(file.row.item);
  if (!list.isConnected) desk.spot().after(list);
  translate(desk);
}

/** @type {(desk: State) => void} */
function translate({ list, files, page }) {
  list.ariaLabel = page.text("files");
  for (const { row } of files) row?.show();
}

/** @type {(code: number) => boolean} Whether another try may have another answer. */
const isForNow = (code) => !code || [408, 423, 429].includes(code) || code >= 500;

/** @type {(file: Sent, signal: AbortSignal) => ReturnType<typeof ask>} Asks how far a file has come, until the server knows. */
async function askUntilKnown(file, signal) {
  for (let pause = 1_000; ; pause = Math.min(30_000, 2 * pause)) {
    const answer = await ask(file, browser, signal);
    if (signal.aborted || !isForNow(answer.code)) return answer;
    await browser.pause(pause, signal);
  }
}

/** @type {(desk: State, signal: AbortSignal) => Promise<void>} Shows what a reload has interrupted, until the control goes. */
async function restore(desk, signal) {
  const { key, path } = desk.page;
  for (const { isLeft, ...memory } of remembered(key, path)) {
    const { name, size, date, place } = memory;
    remember(memory);
    /** @type {Sent} */
    const file = { name, size, date, place, offset: 0, state: "choose", isOfCopy: !isLeft };
    const { code, field } = await askUntilKnown(file, signal);
    if (signal.aborted) return;
    if (code === 404 || code === 410) forget(place);
    if (code !== 200 || desk.files.some((one) => one.place === place)) continue;
    file.offset = Number(field("Upload-Offset") ?? 0);
    enter(desk, file);
    if (file.offset === size) await hand(desk, file);
  }
}

/** @type {(desk: State, chosen: File) => void} */
function add(desk, chosen) {
  const { name, size, lastModified: date } = chosen;
  const known = desk.files.find((one) => one.state === "choose" && one.name === name && one.size === size && one.date === date);
  if (known) {
    known.file = chosen;
    return show(known, "waiting");
  }
  /** @type {Sent} */
  const file = { file: chosen, name, size, date, offset: 0, state: "waiting" };
  enter(desk, file);
  const place = desk.page.place();
  const reason = place && problem(chosen, place);
  if (reason) refuse(desk, file, reason);
}

/**
 * The files of one control, one after the other, and their list.
 *
 * @param {FilePage} page
 * @param {State["spot"]} spot
 * @param {State["focus"]} focus
 */
export function createDesk(page, spot, focus) {
  /** @type {State} */
  const desk = { page, spot, focus, files: [], list: document.createElement("ul") };
  desk.list.className = "musubi-files";
  const control = new AbortController();
  addEventListener("languagechange", () => translate(desk), control);
  addEventListener("pagehide", leave, control);
  return {
    restore: () => restore(desk, control.signal),
    /** @type {(chosen: File[]) => void} */
    add(chosen) {
      for (const file of chosen) add(desk, file);
      run(desk);
    },
    /** The control has gone, and with it its screen or row. */
    end() {
      for (const file of desk.files.splice(0)) {
        file.control?.abort();
        giveUp(file, file.state !== "choose" || !file.isOfCopy);
      }
      control.abort();
      desk.list.remove();
    },
  };
}
