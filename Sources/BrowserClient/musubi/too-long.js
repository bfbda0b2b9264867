// @ts-check
// SPDX-License-Identifier: Apache-2.0

/** @typedef {import("./stack.js").Host} Host */

/** Of a text so much longer than the limit, code points are counted: that is faster, and nobody counts them. */
const maxSegmented = 20_000;

const encoder = new TextEncoder();

/** @type {(text: string) => number} The bytes of a text. */
const bytesOf = (text) => encoder.encode(text).length;

/** @type {(text: string) => number} The bytes of a text inside of JSON, which writes some characters as several. */
export const bytesInJSON = (text) => bytesOf(JSON.stringify(text)) - 2;

/**
 * How many characters have to be taken from the end of a text, so that it takes so many bytes less: as people count,
 * for whom a family of emoji is one.
 *
 * @param {string} text
 * @param {number} over Bytes.
 * @param {(character: string) => number} [size]
 * @returns {number}
 */
export function charactersOver(text, over, size = bytesOf) {
  // A unit takes a byte at least.
  const end = text.slice(-over);
  const isShort = end.length <= maxSegmented && "Segmenter" in Intl;
  const characters = isShort ? Array.from(new Intl.Segmenter().segment(end), ({ segment }) => segment) : [...end];
  let at = characters.length;
  for (let left = over; left > 0 && at > 0; ) left -= size(characters[(at -= 1)]);
  return characters.length - at;
}

/**
 * The message beside a control.
 *
 * @typedef {{note: HTMLElement, show: () => void, remove: () => void}} Message
 */

/** @type {WeakMap<Element, Message>} */
const messages = new WeakMap();
/** @type {WeakMap<Element, Message>} */
const byNote = new WeakMap();
let count = 0;

/**
 * Tells beside a control that its text is too long for the server, for as long as it is.
 *
 * @param {Pick<Host, "status">} host
 * @param {any} element
 * @param {number} over Bytes; 0 and less if it is not too long.
 * @param {unknown} value
 * @param {string} name The sentence's.
 */
export function tellLong({ status }, element, over, value, name) {
  let message = messages.get(element);
  if (over <= 0) {
    message?.remove();
    return void messages.delete(element);
  }
  const isInJSON = typeof value === "string" && name === "not-sent";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const characters = charactersOver(text, over, isInJSON ? bytesInJSON : bytesOf);
  if (!message) {
    message = add(element);
    messages.set(element, message);
    byNote.set(message.note, message);
    status.say(name, characters);
  }
  const { note } = message;
  message.show = () => {
    note.textContent = status.text(name, characters);
    element.setCustomValidity?.(note.textContent);
  };
  message.show();
}

/**
 * Marks a control, and puts an empty message behind it; not inside of its label, of whose name it would be a part.
 *
 * @param {any} element
 * @returns {Message}
 */
function add(element) {
  const note = element.ownerDocument.createElement("span");
  note.id = `musubi-too-long-${(count += 1)}`;
  note.setAttribute("data-too-long", "");
  (element.closest("label") ?? element).after(note);
  const marks = {
    "aria-describedby": [element.getAttribute("aria-describedby"), note.id].filter(Boolean).join(" "),
    "aria-invalid": "true",
  };
  const before = Object.keys(marks).map((name) => [name, element.getAttribute(name)]);
  for (const [name, value] of Object.entries(marks)) element.setAttribute(name, value);
  const remove = () => {
    note.remove();
    element.setCustomValidity?.("");
    for (const [name, value] of before) value === null ? element.removeAttribute(name) : element.setAttribute(name, value);
  };
  return { note, remove, show: () => {} };
}

/** @type {(host: Pick<Host, "status">) => void} The page speaks another language now. */
export function translatePage({ status }) {
  status.translate();
  for (const note of document.querySelectorAll("[data-too-long]")) byNote.get(note)?.show();
}
