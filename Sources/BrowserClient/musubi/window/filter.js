// @ts-check
// SPDX-License-Identifier: Apache-2.0

/** So long the page waits for further keys; WebKit refuses a page that changes its address more than a hundred times in 30 s. */
const pause = 400;

/** @type {WeakSet<HTMLInputElement>} The fields that have got their value of the address. */
const begun = new WeakSet();

/** @type {(shown: import("../page.js").Context["shown"], name: string, word: string) => void} Writes a word into the address. */
function write(shown, name, word) {
  const address = new URL(location.href);
  if (!name || (address.searchParams.get(name) ?? "") === word) return;
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
 */
export function createFilter(list, { shown }, changed) {
  /** @type {HTMLInputElement | null} */
  const field = document.querySelector(`input[data-window-filter="${CSS.escape(list)}"]`);
  if (!field) return { word: () => "", stop() {} };
  const { name } = field;
  // Several windows may have one field, in which somebody may have typed by now.
  if (!begun.has(field)) field.value = new URL(location.href).searchParams.get(name) ?? field.value;
  begun.add(field);
  let [word, timer] = [field.value.trim(), 0];
  const look = () => {
    timer = 0;
    if (field.value.trim() === word) return;
    word = field.value.trim();
    write(shown, name, word);
    changed();
  };
  const typed = (/** @type {any} */ { isComposing }) => {
    clearTimeout(timer);
    if (!isComposing) timer = window.setTimeout(look, pause);
  };
  field.addEventListener("input", typed);
  field.addEventListener("compositionend", typed);
  return {
    // The server takes 200 bytes.
    word: () => word.slice(0, 60),
    stop() {
      clearTimeout(timer);
      field.removeEventListener("input", typed);
      field.removeEventListener("compositionend", typed);
    },
  };
}
