// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { createLine } from "./line.js";

/**
 * A slow network to try: with `?latency=1` the note page delays its WebSocket in both directions, as a slider says.
 * It is no part of Musubi's client, and loads before it.
 */

const query = new URLSearchParams(location.search);
const link = /** @type {HTMLAnchorElement} */ (document.getElementById("feel"));
const slider = /** @type {HTMLInputElement} */ (document.getElementById("delay"));
const shown = /** @type {HTMLElement} */ (document.getElementById("delay-shown"));

// A browser may have no WebSocket; the page then says so.
class SlowSocket extends (window.WebSocket ?? EventTarget) {
  #up = createLine(() => slider.valueAsNumber);
  #down = createLine(() => slider.valueAsNumber);

  /** @param {string | ArrayBufferLike | Blob | ArrayBufferView} data */
  send(data) {
    this.#up(() => this.readyState === WebSocket.OPEN && super.send(data));
  }

  /** @param {((event: MessageEvent) => void) | null} handle */
  set onmessage(handle) {
    super.onmessage = handle && ((event) => this.#down(() => handle.call(this, event)));
  }

  get onmessage() {
    return /** @type {any} */ (super.onmessage);
  }
}

if (query.has("latency")) {
  if (window.WebSocket) window.WebSocket = SlowSocket;
  /** @type {HTMLElement} */ (document.getElementById("latency")).hidden = false;
  slider.addEventListener("input", () => (shown.textContent = slider.ariaValueText = `${slider.value} ms`));
  link.hidden = true;
} else {
  // Keeps the room.
  query.set("latency", "1");
  link.search = String(query);
}
