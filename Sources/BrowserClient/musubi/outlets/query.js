// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { textOf } from "../controls.js";

/**
 * A name in the address: its last output or, of a two-way text, what its field holds; and what Back or Forward has asked for
 * while the server has not answered.
 *
 * @typedef {{name: string, context: import("../page.js").Context, output?: any, asked?: {value: any}}} Bound
 */

/** WebKit refuses a page that changes its address more than a hundred times in thirty seconds; milliseconds. */
const pause = 400;
/** So many bytes of UTF-8 the server takes of an address's parameters; it leaves out the longest, such as other sites' marks. */
const maxBytes = 2_048;

/** @type {Set<Bound>} Those that are left out of it write no more. */
export const all = new Set();
/** @type {any} Runs until the address is written. */
let timer;
let writtenAt = 0;
/** Whether that makes an entry of the history. */
let isNew = false;
/** The screens and the dialog of an entry; one without any is of the first screen alone. */
const placeNow = () => String((history.state?.musubi ?? [0, 0]).slice(1));

let place = "";
/** @type {Partial<import("../stack.js").Host>} */
let host = {};

/** @type {(page: typeof host) => void} Takes what the second file knows of the page. */
export const useHost = (page) => void (host = page);

/** The page has another address. A hidden one may end there without another word. */
export const leaveHere = () => void (document.hidden && host.leave?.({ type: "" }));

/** Those of the screen on top: the address is its own, and rests behind a dialog. */
const present = () =>
  [...all].filter(({ context: { screen = 0, shown } }) => {
    return shown.path && shown.screen === screen && (history.state?.musubi ?? [screen]).at(-1) == screen;
  });

/** @type {(bound: Bound) => unknown} */
const shownBy = ({ asked, output }) => (asked ? asked.value : output);

const plan = () => (timer ||= setTimeout(write, writtenAt + pause - performance.now()));

/** @type {WeakMap<History, {state: any, address: string}>} The entry that was present last, and its address without a place. */
const last = new WeakMap();

/**
 * To be called when an entry may be a new one: a link to a place inside of the page makes entries without a state. Such a one is
 * of the same screens, and has the same values.
 *
 * @param {{history: History, location: {href: string}}} page
 */
export function adopt({ history: entries, location: { href } } = { history, location }) {
  const [address] = href.split("#");
  const { state: known, address: before } = last.get(entries) ?? {};
  const query = { ...known?.query, ...Object.fromEntries(present().map((bound) => [bound.name, shownBy(bound)])) };
  if (!entries.state && known && before === address) entries.replaceState({ ...known, query, depth: (known.depth ?? 0) + 1 }, "");
  last.set(entries, { state: entries.state, address });
}

/** An entry of the history was written, or come to: a reload and a session that begins again find its address. */
function arrive() {
  adopt();
  clearTimeout(timer);
  [timer, isNew] = [0, false];
  place = placeNow();
  for (const { context: { shown } } of present()) {
    shown.path = location.pathname + location.search;
    if (!shown.screen) shown.first.href = location.href;
  }
  leaveHere();
}

/** Writes the values into the address, and beside it as they are. */
function write() {
  adopt();
  const address = new URL(location.href);
  const { searchParams } = address;
  const { depth = 0, query, ...state } = history.state ?? {};
  const values = { ...query };
  for (const bound of present()) {
    const { name } = bound;
    const text = textOf((values[name] = shownBy(bound)));
    if (text === (searchParams.get(name) ?? "")) continue;
    searchParams.set(name, text);
    const isLong = new Blob(present().map((own) => own.name + searchParams.getAll(own.name))).size > maxBytes;
    if (isLong || !text) searchParams.delete(name);
    if (isLong) console.warn(`Musubi: "${name}" is too long.`);
  }
  const isEntry = isNew && address.search !== location.search;
  history[isEntry ? "pushState" : "replaceState"]({ ...state, query: values, depth: depth + Number(isEntry) }, "", address);
  writtenAt = performance.now();
  arrive();
}

/** Another entry is about to come: what waits belongs to the present one. */
export const writeWaiting = () => void (timer && write());

/** @type {(bound: Bound, value: unknown) => void} Back or Forward has led to an entry with another value. */
function ask(bound, value) {
  const { context, name } = bound;
  const asked = { value };
  const mark = document.createElement("i");
  const text = context.text(name);
  if (textOf(value) === textOf(shownBy(bound))) return;
  // A full queue takes nothing.
  if (document.documentElement.hasAttribute("data-full")) return plan();
  bound.asked = asked;
  // It stands for the address among the elements whose inputs wait. A turn comes behind the acknowledgement.
  mark.removeAttribute = () => setTimeout(() => bound.asked === asked && settle(bound), pause);
  if (text) context.edit(mark, name, [[0, text.text().length, textOf(value)]], mark);
  else context.input(mark, "typed", name, value);
}

/** @type {(bound: Bound) => void} The address shows the output, whatever was asked for. */
function settle(bound) {
  bound.asked = undefined;
  plan();
}

function travelled() {
  const [before, waits] = [place, timer];
  arrive();
  // A screen or a dialog was closed: what is below it shows what it has now.
  if (before !== place) return plan();
  for (const bound of present()) {
    ask(bound, history.state?.query?.[bound.name] ?? new URL(location.href).searchParams.get(bound.name));
  }
  // The entry of a link has not got the address that was about to be written.
  if (waits) plan();
}

/**
 * `data-bind-query`: a parameter of the page's address, in both directions; `data-bind-query-push` makes an entry of the
 * history of each change.
 *
 * @type {import("../page.js").Attach}
 */
export const attach = (_element, context, { argument, name }) => {
  /** @type {Bound} */
  const bound = { name, context };
  all.add(bound);
  addEventListener("popstate", travelled);
  let stop = () => {};
  const show = (/** @type {unknown} */ value) => {
    const { asked, output } = bound;
    bound.output = value;
    if (asked && textOf(asked.value) !== textOf(value)) return;
    // The first value belongs to the entry that the page came with.
    isNew ||= !asked && output !== undefined && argument === "-push" && present().includes(bound);
    settle(bound);
  };
  context.whenReady(() => {
    const text = context.text(name);
    place = placeNow();
    stop = text?.watch(() => show(text.text())) ?? context.watch(name, show);
    if (text) show(text.text());
  });
  return () => {
    all.delete(bound);
    stop();
  };
};
