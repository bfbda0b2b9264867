// @ts-check
// SPDX-License-Identifier: Apache-2.0

/**
 * What the list shows of a file.
 *
 * @typedef {object} Entry
 * @property {string} name
 * @property {number} size
 * @property {number} offset
 * @property {"waiting" | "sending" | "offline" | "paused" | "choose" | "refused"} state
 * @property {[name: string, count?: number]} [why] Why it was refused: a sentence.
 */

/** @typedef {ReturnType<typeof createRow>} Row */

let last = 0;

/**
 * A row of the list: the name, a bar, a text, and the buttons for what may be done.
 *
 * @param {Entry} entry
 * @param {(name: string, count?: number) => string} text Sentences.
 * @param {Record<"pause" | "continue" | "cancel" | "again" | "remove", () => void>} actions
 */
export function createRow(entry, text, actions) {
  const item = document.createElement("li");
  const name = item.appendChild(document.createElement("span"));
  name.id = `musubi-file-${(last += 1)}`;
  name.textContent = entry.name;
  const bar = item.appendChild(document.createElement("progress"));
  bar.setAttribute("aria-labelledby", name.id);
  // Who wants to know asks; a reader that told each percent would tell nothing else.
  const told = item.appendChild(document.createElement("output"));
  told.setAttribute("aria-live", "off");
  const buttons = new Map(
    /** @type {(keyof typeof actions)[]} */ (Object.keys(actions)).map((action) => {
      const button = item.appendChild(document.createElement("button"));
      button.type = "button";
      button.id = `${name.id}-${action}`;
      button.addEventListener("click", actions[action]);
      // "Pause tea.png"
      button.setAttribute("aria-labelledby", `${button.id} ${name.id}`);
      return [action, button];
    }),
  );
  return {
    item,
    show() {
      const { state, offset, size, why } = entry;
      item.dataset.upload = state;
      const part = size && offset / size;
      bar.value = part;
      bar.hidden = state === "refused";
      const percent = new Intl.NumberFormat(document.documentElement.lang || undefined, { style: "percent" })
        .format(Math.floor(part * 100) / 100);
      const words = state === "sending" ? "" : text(...(why ?? /** @type {[string]} */ ([`file-${state}`])));
      const line = [state === "refused" || state === "waiting" ? "" : percent, words].filter(Boolean).join(" ");
      if (told.textContent !== line) told.textContent = line;
      const isMoving = state === "sending" || state === "offline" || state === "waiting";
      const open = {
        pause: isMoving, continue: state === "paused", cancel: state !== "refused",
        again: state === "refused", remove: state === "refused",
      };
      const focused = document.activeElement;
      for (const [action, button] of buttons) {
        const label = text(`file-${action}`);
        if (button.textContent !== label) button.textContent = label;
        button.hidden = !open[action];
      }
      // Pause becomes Continue, under the fingers of whoever uses the keyboard.
      if (focused instanceof HTMLElement && focused.hidden && item.contains(focused)) {
        [...buttons.values()].find((button) => !button.hidden)?.focus();
      }
    },
  };
}
