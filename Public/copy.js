// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { inBoth } from "./frames.js";

/**
 * Has the button `#copy` copy a link, and `#copied` tell it.
 *
 * @param {() => string} link
 */
export function createCopy(link) {
  const [copy, copied] = ["copy", "copied"].map((id) => /** @type {HTMLElement} */ (document.getElementById(id)));
  // Browsers give the clipboard to pages that come by TLS, or from this machine, only.
  copy.hidden = !navigator.clipboard;
  copy.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(link());
    } catch {
      // The browser, or its user, does not allow it.
      copied.replaceChildren(...inBoth(["The link could not be copied.", "リンクをコピーできませんでした。"]));
      copy.replaceChildren(...inBoth(["Not copied", "コピーできません"]));
      return;
    }
    copied.replaceChildren(...inBoth(["The link is copied.", "リンクをコピーしました。"]));
    copy.replaceChildren(...inBoth(["Copied", "コピーしました"]));
  });
}
