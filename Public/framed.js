// @ts-check
// SPDX-License-Identifier: Apache-2.0
// In a frame, a page of the gallery tells the page around it each frame of its WebSocket, and its brand leads out. It is no
// part of Musubi's client, and loads before it.

if (parent !== window) {
  /** @type {(frame: any, isSent: boolean) => void} */
  const tell = (frame, isSent) => parent.postMessage({ frame: String(frame), isSent }, location.origin);
  // A browser may have no WebSocket; the page then says so.
  if (window.WebSocket) {
    window.WebSocket = class extends window.WebSocket {
      /** @param {string | ArrayBufferLike | Blob | ArrayBufferView} data */
      send(data) {
        tell(data, true);
        super.send(data);
      }

      /** @param {((event: MessageEvent) => void) | null} handle */
      set onmessage(handle) {
        super.onmessage =
          handle &&
          ((event) => {
            tell(event.data, false);
            handle.call(this, event);
          });
      }

      get onmessage() {
        return /** @type {any} */ (super.onmessage);
      }
    };
  }
  addEventListener("click", ({ target }) => {
    const brand = target instanceof Element ? target.closest("a.brand") : null;
    brand?.setAttribute("target", "_top");
  });
}

export {};
