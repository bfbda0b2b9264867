// @ts-check
// SPDX-License-Identifier: Apache-2.0

/**
 * A frame with a page of the application, which no output may put an address into: this one takes those of its own server.
 */
class ShownPage extends HTMLElement {
  #address = "";

  /** @param {{address: string, title: string} | null} page An empty address is no page. */
  set page(page) {
    const { address = "", title = "" } = page ?? {};
    const url = new URL(address, location.origin);
    if (address === this.#address || url.origin !== location.origin) return;
    this.#address = address;
    // A new frame is none of the browser's history, as another address of the old one is.
    this.replaceChildren();
    if (!address) return;
    const frame = document.createElement("iframe");
    frame.title = title;
    frame.src = url.href;
    this.append(frame);
  }
}

customElements.define("shown-page", ShownPage);
