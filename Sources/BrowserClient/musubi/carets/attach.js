// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { together } from "../controls.js";
import { outward, shown } from "../text/field.js";
import { mapCaret } from "../text/transform.js";
import { createLayer } from "./layer.js";

/** @typedef {import("../text/edit.js").Edit} Edit */
/** @typedef {[start: number, end: number]} Selection */

/** @typedef {import("../stack.js").Host & {carets?: (frame: any) => void}} Host */

/**
 * A field whose page shows where others are in its text.
 *
 * @typedef {object} Place
 * @property {HTMLInputElement | HTMLTextAreaElement} field
 * @property {import("../text/document.js").TextDocument} text
 * @property {string} key The text's name on the wire.
 * @property {number} [screen]
 * @property {(told?: {revision: number, all: [page: number, name: string, start: number, end: number][]}) => void} take
 * @property {() => void} draw
 */

/** The visitor's own choice lies under this name. */
const choice = "musubi carets";

/** @type {Set<Place>} */
const places = new Set();
/** @type {Host} */
let host;
/** @type {{place: Place, at: Selection} | undefined} Where the server knows the visitor to be, carried on as it does. */
let told;
let timer = 0;

/** @type {() => boolean} Whether others are shown: what the visitor has chosen, else what the page says. */
function isOn() {
  const isWanted = document.documentElement.dataset.carets !== "off";
  try {
    return (localStorage.getItem(choice) ?? (isWanted ? "on" : "off")) === "on";
  } catch {
    return isWanted;
  }
}

/** Shows others as the visitor wants, and in the boxes with `data-carets` what that is. */
function drawAll() {
  for (const box of /** @type {NodeListOf<any>} */ (document.querySelectorAll("input[data-carets]"))) box.checked = isOn();
  for (const { draw } of places) draw();
}

/** @type {(event: Event) => void} The visitor has chosen. */
function choose({ target }) {
  const box = /** @type {HTMLInputElement} */ (target);
  if (!box.matches("input[data-carets]")) return;
  try {
    localStorage.setItem(choice, box.checked ? "on" : "off");
  } catch {
    // The browser keeps nothing: the page's own word has to do.
    document.documentElement.dataset.carets = box.checked ? "on" : "off";
  }
  drawAll();
}

/** @type {(next: Host) => void} The page, as its further files may use it. */
export function useHost(next) {
  host = next;
  host.carets = ({ carets, screen }) => {
    for (const place of places) if (place.screen === screen) place.take(carets[place.key]);
  };
  document.addEventListener("selectionchange", plan);
  addEventListener("change", choose);
  addEventListener("storage", drawAll);
  drawAll();
  // A new connection knows nothing of carets.
  new MutationObserver(() => {
    told = undefined;
    for (const { take } of places) take();
    followAll();
    plan();
  }).observe(document.documentElement, { attributeFilter: ["data-link"] });
  new MutationObserver(drawAll).observe(document.documentElement, { attributeFilter: ["data-carets"] });
}

/** How many milliseconds lie between two frames; nothing, if the server knows no carets or there is no connection. */
const pause = () => {
  const most = /** @type {any} */ (host.session.queue.limits).carets;
  return host.status.link() === "live" && most ? 1_000 / most : undefined;
};

/** @type {(place: Place) => unknown} The page shows others, and its visitor is nowhere. */
const follow = ({ key, screen }) => pause() && host.connection.send({ caret: key, screen });

/** The server tells a screen's page of all its texts. */
const followAll = () => [...new Map([...places].map((place) => [place.screen, place])).values()].forEach(follow);

/** Has the server told where the visitor is, soon. */
const plan = () => {
  timer ||= window.setTimeout(() => {
    timer = 0;
    tell();
  }, pause() ?? 50);
};

/**
 * Whether the server can know a place there: it follows no row's text that nobody has edited, and an address's field tells none.
 *
 * @type {(field: Place["field"], text: ReturnType<Place["text"]["save"]>) => boolean}
 */
const hasPlaces = ({ selectionStart }, { revision, pending }) => (revision >= 0 || pending.length > 0) && selectionStart !== null;

/** Tells where the visitor is, if the server cannot know: a caret that moves by typing moves there, too. */
function tell() {
  if (!pause()) return;
  const place = [...places].find(({ field, text }) => field === document.activeElement && hasPlaces(field, text.save()));
  if (!place) {
    if (told) follow(told.place);
    told = undefined;
    return;
  }
  const { field, text, key, screen } = place;
  const isLine = field.localName === "input";
  const { revision, pending, isBlocked } = text.save();
  const [start, end] = /** @type {[number, number]} */ ([field.selectionStart, field.selectionEnd]);
  // Positions are those behind all edits that were sent; in a composition the field is ahead of what others have typed.
  const waits = pending.some(({ input, isRefused }) => !input || isRefused);
  const isAhead = revision < 0 || host.session.queue.open() || waits || isBlocked;
  if (isAhead || field.value !== shown(text.text(), isLine)) return void window.setTimeout(plan, 100);
  const [[at, count]] = outward(text.text(), [[start, end - start, ""]], isLine);
  if (told?.place === place && told.at[0] === at && told.at[1] === at + count) return;
  told = { place, at: [at, at + count] };
  host.connection.send({ caret: key, screen, revision, at: told.at });
}

/** @type {(selection: Selection, edit: Edit) => Selection} */
const carry = ([start, end], edit) => {
  const first = mapCaret(start, edit);
  return [first, Math.max(first, mapCaret(end, edit, end > start))];
};

/**
 * `data-bind-carets` on a field of a two-way text: the page shows the carets and selections of the others who are in the text.
 * A checkbox with `data-carets` is the visitor's switch.
 *
 * @type {import("../page.js").Attach}
 */
export const attach = (field, context, { name }) => {
  /** @type {(() => void) | undefined} */
  let stop;
  context.whenReady(() => {
    const text = (context.inField?.(name) ?? context).text(name);
    if (text && field.type !== "password") stop = show(field, text, name, context.screen);
  });
  return () => stop?.();
};

/** @type {(field: Place["field"], text: Place["text"], name: string, screen?: number) => () => void} */
function show(field, text, name, screen) {
  /** @type {{page: number, name: string, at: Selection}[]} In positions of the text as the page has it. */
  let others = [];
  const isLine = field.localName === "input";
  const layer = createLayer(field, () => field.value === shown(text.text(), isLine));
  /** @type {(at: number) => number} */
  const inside = (at) => shown(text.text().slice(0, at), isLine).length;
  /** @type {Place} */
  const place = {
    field,
    text,
    key: text.address?.key ?? name,
    screen,
    take(told) {
      const { revision, pending } = text.save();
      // Of another revision nothing can be said; the server tells it again when somebody moves.
      const all = told?.revision === revision ? told.all : [];
      others = all.map(([page, name, start, end]) => {
        const at = pending.reduce((at, { edit }) => carry(at, edit), /** @type {Selection} */ ([start, end]));
        return { page, name, at };
      });
      place.draw();
    },
    draw: () =>
      layer.draw(isOn() ? others.map(({ page, name, at }) => ({ page, name, start: inside(at[0]), end: inside(at[1]) })) : []),
  };
  // The server tells a screen's page of all its texts.
  if (![...places].some((other) => other.screen === screen)) follow(place);
  places.add(place);
  plan();
  const stop = text.watch((change) => {
    for (const other of others) other.at = carry(other.at, change);
    if (told?.place === place) told.at = carry(told.at, change);
    if (others.length) place.draw();
    // Somebody else's edit may be the one from which on the server follows it.
    if (!told) plan();
  });
  // Firefox tells the changes of a field's selection at the field alone.
  const types = ["selectionchange", "focus", "blur", "input", "keyup", "pointerup"];
  for (const type of types) field.addEventListener(type, plan);
  return together([
    stop,
    layer.stop,
    () => {
      for (const type of types) field.removeEventListener(type, plan);
      places.delete(place);
      if (told?.place === place) plan();
    },
  ]);
}
