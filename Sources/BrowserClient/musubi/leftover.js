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
  label.textContent = status.text(name);
  const text = document.createElement("textarea");
  Object.assign(text, { value: content, readOnly: true, rows: Math.min(6, content.split("\n").length) });
  text.setAttribute("aria-label", label.textContent);
  const close = document.createElement("button");
  Object.assign(close, { type: "button", className: "button", textContent: "OK" });
  close.addEventListener("click", () => element.remove());
  element.append(label, text, close);
  line.before(element);
  status.say(name);
}
