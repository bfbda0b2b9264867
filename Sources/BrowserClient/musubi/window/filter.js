// @ts-check
// SPDX-License-Identifier: Apache-2.0

/** So long the page waits for further keys; WebKit refuses a page that changes its address more than a hundred times in 30 s. */
const pause = 400;
/** So many characters a word has; the server takes 200 bytes of UTF-8, and a character has four at most. */
const most = 50;

/** @type {WeakSet<HTMLInputElement>} The fields that have got their value of the address. */
const begun = new WeakSet();

/** @type {(text: string | null) => string} */
const wordOf = (text) => [...(text ?? "").trim()].slice(0, most).join("");

/** @type {(name: string) => string} The word that the address has. */
const addressed = (name) => wordOf(new URL(location.href).searchParams.get(name));

/** @type {(shown: import("../page.js").Context["shown"], name: string, word: string) => void} Writes a word into the address. */
function write(shown, name, word) {
  if (!name || addressed(name) === word) return;
  const address = new URL(location.href);
  if (word) address.searchParams.set(name, word);
  else address.searchParams.delete(name);
  history.replaceState(history.state, "", address);
  // A reload finds its session, and a new one its address.
  shown.path = location.pathname + location.search;
  if (!shown.screen) shown.first.href = location.href;
}

/**
 * `data-window-filter="cards"` on an `<input>`: the page shows those rows of the long list that the list finds by its value. Each
 * page has its own; it stands in the page's address by the field's `name`.
 *
 * @param {string} list The list's name.
 * @param {import("../page.js").Context} context
 * @param {() => void} changed Another word is looked for.
 * @param {AbortController} control Ends it.
 * @returns {() => string} The word that is looked for.
 */
export function createFilter(list, { shown, screen = 0 }, changed, control) {
  /** @type {HTMLInputElement | null} */
  const field = document.querySelector(`input[data-window-filter="${CSS.escape(list)}"]`);
  if (!field) return () => "";
  const { name } = field;
  // Several windows may have one field; and somebody may have typed before this file was there.
  if (!begun.has(field) && field.value === field.defaultValue) field.value = addressed(name) || field.value;
  begun.add(field);
  let [word, timer] = [wordOf(field.value), 0];
  /** Whether the address is this screen's: none lies on top of it, no dialog, and its visitor is here. */
  const isOnTop = () => shown.path && shown.screen === screen && (history.state?.musubi ?? [screen]).at(-1) == screen;
  const look = () => {
    if (control.signal.aborted) return;
    if (!isOnTop()) return plan();
    if (wordOf(field.value) === word) return;
    word = wordOf(field.value);
    write(shown, name, word);
    changed();
  };
  const plan = () => void (timer = window.setTimeout(look, pause));
  const typed = (/** @type {any} */ { isComposing }) => {
    clearTimeout(timer);
    if (!isComposing) plan();
  };
  const travelled = () => {
    if (!name || !isOnTop() || addressed(name) === word) return;
    field.value = word = addressed(name);
    changed();
  };
  field.addEventListener("input", typed, control);
  field.addEventListener("compositionend", typed, control);
  addEventListener("popstate", travelled, control);
  return () => word;
}
