// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { createLine } from "./line.js";

/**
 * A line that the page around this one makes slow, or cuts: `{ delay, isCut }` in a message of the same origin. It is no part of
 * Musubi's client, and loads before it, and before what tells that page each frame (`framed.js`).
 */

const line = { delay: 0, isCut: false };
/** @type {Set<WebSocket>} */
const open = new Set();

// A browser may have no WebSocket; the page then says so.
class Line extends (window.WebSocket ?? EventTarget) {
  #up = createLine(() => line.delay);
  #down = createLine(() => line.delay);

  /**
   * @param {string} url
   * @param {string} protocol
   */
  constructor(url, protocol) {
    super(url, protocol);
    open.add(this);
    super.addEventListener("close", () => open.delete(this));
  }

  /** @param {string | ArrayBufferLike | Blob | ArrayBufferView} data */
  send(data) {
    this.#up(() => this.readyState === 1 && super.send(data));
  }

  /** @param {((event: MessageEvent) => void) | null} handle */
  set onmessage(handle) {
    super.onmessage = handle && ((event) => this.#down(() => line.isCut || handle.call(this, event)));
  }

  get onmessage() {
    return /** @type {any} */ (super.onmessage);
  }
}

/** A socket on a line that is cut: it ends before it has begun. */
class DeadLine {
  readyState = 3;
  /** @type {((event: object) => void) | null} */
  onclose = null;

  constructor() {
    setTimeout(() => this.onclose?.({ code: 1006, reason: "" }));
  }

  close() {}
}

const { fetch } = window;
if (window.WebSocket) {
  /** @type {any} */ (window).WebSocket = new Proxy(Line, {
    construct: (_, words, type) => (line.isCut ? new DeadLine() : Reflect.construct(Line, words, type)),
  });
  window.fetch = (...request) => (line.isCut ? Promise.reject(new TypeError("The line is cut.")) : fetch(...request));
}

addEventListener("message", ({ data, origin, source }) => {
  if (origin !== location.origin || source !== parent) return;
  const wasCut = line.isCut;
  Object.assign(line, { delay: Number(data.delay) || 0, isCut: data.isCut === true });
  if (line.isCut) {
    // As by a network that goes: the client hears of no handshake.
    for (const socket of open) {
      socket.close();
      socket.onclose?.(new CloseEvent("close", { code: 1006 }));
    }
    open.clear();
  } else if (wasCut) {
    dispatchEvent(new Event("online"));
  }
});
parent.postMessage("pane", location.origin);
