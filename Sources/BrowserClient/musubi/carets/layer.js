// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { text } from "../further-words.js";

/**
 * Somebody in a text, in positions of what the field shows.
 *
 * @typedef {{page: number, name: string, start: number, end: number}} Other
 */

/** @type {import("../words.js").Words} */
export const sentences = { "caret-guest": { en: "Guest {}", ja: "ゲスト{}" } };

/** What makes a box break lines as a field does. */
const copied = [
  ...["direction", "fontFamily", "fontFeatureSettings", "fontKerning", "fontSize", "fontStretch", "fontStyle", "fontVariant"],
  ...["fontWeight", "letterSpacing", "lineBreak", "lineHeight", "overflowWrap", "padding"],
  ...["tabSize", "textAlign", "textIndent", "textTransform", "wordBreak", "wordSpacing", "writingMode"],
];

/** How long a name is shown once somebody has moved; milliseconds. */
const named = 3_000;

/** How often a layer looks whether its field has moved; milliseconds. */
const looks = 300;

/** @type {(page: number) => string} A colour of that page's own, dark on light paper and light on dark. */
export const colorOf = (page) => {
  const hue = Math.round((page * 137.508) % 360);
  return `light-dark(oklch(0.45 0.13 ${hue}), oklch(0.82 0.11 ${hue}))`;
};

/**
 * Shows carets over a field: a box in its place has the same text, which nobody sees, and the carets in it. The browser finds
 * their places.
 *
 * It takes no part in anything: no pointer, no search, no screen reader meets it.
 *
 * @param {HTMLInputElement | HTMLTextAreaElement} field
 * @param {() => boolean} isCurrent Whether the field shows the text that the places are of; in a composition it is behind.
 */
export function createLayer(field, isCurrent) {
  const isLine = field.localName === "input";
  /** @type {HTMLElement | undefined} */
  let box;
  /** @type {Other[]} */
  let others = [];
  let [frame, looking, naming] = [0, 0, 0];
  let seen = "";
  const where = () => {
    const { left, top } = field.getBoundingClientRect();
    return [left + scrollX, top + scrollY, field.clientWidth, field.clientHeight, field.scrollLeft, field.scrollTop].join();
  };
  const paint = () => {
    frame = others.length && !isCurrent() ? window.setTimeout(paint, 100) : 0;
    if (frame) return;
    seen = where();
    if (!others.length || !field.isConnected) {
      box?.remove();
      box = undefined;
    } else {
      box ??= make(field);
      lay(box, field, isLine);
      fill(/** @type {HTMLElement} */ (box.firstChild), field, others, isLine, naming > 0);
    }
    // What moves a field need not tell it, nor what puts another screen in its place and takes it away again.
    if (others.length) looking ||= window.setInterval(look, looks);
    else looking = void clearInterval(looking) ?? 0;
  };
  // A window behind others may have no animation frames, and is to be right when it is seen again.
  const plan = () => {
    frame ||= window.setTimeout(paint, 16);
  };
  const hush = () => {
    naming = 0;
    plan();
  };
  const look = () => void (seen !== where() && plan());
  // The field itself, or a box around it.
  addEventListener("scroll", look, true);
  addEventListener("resize", plan);
  return {
    /** @param {Other[]} next */
    draw(next) {
      others = next;
      if (!next.length && !box) return;
      clearTimeout(naming);
      naming = window.setTimeout(hush, named);
      plan();
    },
    stop() {
      others = [];
      clearTimeout(frame);
      clearTimeout(naming);
      paint();
      removeEventListener("scroll", look, true);
      removeEventListener("resize", plan);
    },
  };
}

/** @type {(field: Element) => HTMLElement} */
function make(field) {
  const box = document.createElement("div");
  box.className = "musubi-carets";
  box.inert = true;
  box.setAttribute("aria-hidden", "true");
  box.append(document.createElement("div"));
  // What a dialog has on top would cover the page's own.
  (field.closest("dialog, [popover]") ?? document.body).append(box);
  return box;
}

/** @type {(box: HTMLElement, field: Place, isLine: boolean) => void} Lays the box over what the field shows of its text. */
function lay(box, field, isLine) {
  const style = /** @type {Record<string, any>} */ (getComputedStyle(field));
  const [width, height] = [field.clientWidth, field.clientHeight];
  box.style.cssText =
    `position:absolute;left:0;top:0;width:${width}px;height:${height}px;margin:0;padding:0;border:0;` +
    `z-index:1;pointer-events:none;user-select:none;color:transparent;overflow:${isLine ? "clip visible" : "hidden"}`;
  box.style.colorScheme = style.colorScheme;
  const inner = /** @type {HTMLElement} */ (box.firstChild);
  for (const name of copied) /** @type {any} */ (inner.style)[name] = style[name];
  const content = height - parseFloat(style.paddingTop) - parseFloat(style.paddingBottom);
  Object.assign(inner.style, {
    boxSizing: "border-box",
    minWidth: `${width}px`,
    width: isLine ? "max-content" : `${width}px`,
    whiteSpace: isLine ? "pre" : "pre-wrap",
    transform: `translate(${-field.scrollLeft}px,${-field.scrollTop}px)`,
    ...(isLine ? { lineHeight: `${content}px` } : {}),
  });
  const [from, to] = [box.getBoundingClientRect(), field.getBoundingClientRect()];
  const [left, top] = [to.left + field.clientLeft, to.top + field.clientTop];
  box.style.left = `${left - from.left}px`;
  box.style.top = `${top - from.top}px`;
  // A name may stand above a line, not beside the field, and nothing where a box around the field hides it.
  const free = (/** @type {number} */ side) => (isLine && side % 2 === 0 ? "-2em" : "0");
  const clip = hiddenSides(field, left, top).map((hidden, side) => (hidden > 0 ? `${hidden}px` : free(side)));
  box.style.clipPath = `inset(${clip.join(" ")})`;
}

/**
 * How much of a field's inside the boxes around it hide: from its top, right, bottom and left; pixels.
 *
 * @type {(field: Element, left: number, top: number) => number[]}
 */
function hiddenSides(field, left, top) {
  let sides = [0, 0, 0, 0];
  for (let around = field.parentElement; around && around !== document.body; around = around.parentElement) {
    if (getComputedStyle(around).overflow === "visible") continue;
    const edge = around.getBoundingClientRect();
    const [x, y] = [edge.left + around.clientLeft - left, edge.top + around.clientTop - top];
    const [right, bottom] = [field.clientWidth - around.clientWidth - x, field.clientHeight - around.clientHeight - y];
    sides = [y, right, bottom, x].map((hidden, side) => Math.max(hidden, sides[side]));
  }
  return sides;
}

/** @typedef {HTMLInputElement | HTMLTextAreaElement} Place */

/** @type {(inner: HTMLElement, field: Place, others: Other[], isLine: boolean, isNamed: boolean) => void} Puts the carets in. */
function fill(inner, field, others, isLine, isNamed) {
  const { value } = field;
  const edges = new Set([0, value.length]);
  for (const { start, end } of others) edges.add(Math.min(start, value.length)).add(Math.min(end, value.length));
  const places = [...edges].sort((a, b) => a - b);
  inner.replaceChildren();
  places.forEach((at, index) => {
    for (const other of others) if (Math.min(other.end, value.length) === at) inner.append(caret(other, isNamed));
    const text = value.slice(at, places[index + 1] ?? at);
    const selecting = others.find(({ start, end }) => start <= at && at < end);
    if (!selecting) return void inner.append(text);
    const mark = document.createElement("span");
    mark.style.background = `color-mix(in srgb, ${colorOf(selecting.page)} 25%, transparent)`;
    mark.textContent = text;
    inner.append(mark);
  });
  // A line end at the end of a text has a line behind it.
  if (!isLine) inner.append("\u200b");
  for (const mark of /** @type {NodeListOf<HTMLElement>} */ (inner.querySelectorAll(".musubi-caret"))) place(mark, field, isLine);
}

/** @type {(other: Other, isNamed: boolean) => HTMLElement} */
function caret({ page, name }, isNamed) {
  const [mark, label] = [document.createElement("span"), document.createElement("span")];
  const color = colorOf(page);
  mark.className = "musubi-caret";
  mark.style.cssText = `position:relative;border-inline-start:2px solid ${color};margin-inline:-1px`;
  label.className = "musubi-caret-name";
  label.textContent = name || text("caret-guest", page);
  label.style.cssText =
    `${isNamed ? "" : "display:none;"}position:absolute;bottom:100%;left:-2px;max-width:12em;padding:0 4px;` +
    `overflow:hidden;text-overflow:ellipsis;border-radius:3px;white-space:nowrap;text-indent:0;` +
    `text-transform:none;letter-spacing:normal;font:600 11px/1.4 system-ui,sans-serif;` +
    `background:${color};color:light-dark(#fff,#000)`;
  mark.append(label);
  return mark;
}

/** @type {(mark: HTMLElement, field: Place, isLine: boolean) => void} Has the name where the field shows it. */
function place(mark, field, isLine) {
  const label = /** @type {HTMLElement} */ (mark.firstChild);
  if (!isLine && mark.offsetTop - field.scrollTop < label.offsetHeight) {
    label.style.bottom = "auto";
    label.style.top = "100%";
  }
  if (mark.offsetLeft - field.scrollLeft > field.clientWidth / 2) {
    label.style.left = "auto";
    label.style.right = "-2px";
  }
}
