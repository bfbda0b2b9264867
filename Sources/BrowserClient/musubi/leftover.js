// @ts-check
// SPDX-License-Identifier: Apache-2.0

/** @typedef {import("./stack.js").Host} Host */

/**
 * Offers a text for copying that reaches nobody any more. It stays until the person closes it, behind those that are
 * offered already.
 *
 * @param {Pick<Host, "status" | "line">} host
 * @param {string} content
 * @param {string} [name] The sentence's that tells why; without it, the text's row has gone.
 */
export function offer({ status, line }, content, name = "left") {
  if (!content) return;
  const element = document.createElement("aside");
  element.className = "musubi-left";
  const label = document.createElement("p");
  const text = document.createElement("textarea");
  Object.assign(text, { value: content, readOnly: true, rows: Math.min(6, content.split("\n").length) });
  const close = document.createElement("button");
  Object.assign(close, { type: "button", className: "button", textContent: "OK" });
  const control = new AbortController();
  const translate = () => text.setAttribute("aria-label", (label.textContent = status.text(name)));
  translate();
  addEventListener("languagechange", translate, control);
  close.addEventListener("click", () => {
    control.abort();
    element.remove();
  });
  element.append(label, text, close);
  line.before(element);
  status.say(name);
}
