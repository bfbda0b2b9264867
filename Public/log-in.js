// @ts-check
// SPDX-License-Identifier: Apache-2.0
// Lets a visitor say who they are. The accounts are for trying out, and have no passwords; so a cookie that the page writes
// itself is as good as any.

const cookie = "person";

/** @param {string} value Whoever it is; empty for nobody. */
function become(value) {
  document.cookie = `${cookie}=${value}; path=/; samesite=lax; max-age=${value ? 30 * 86_400 : 0}`;
  const next = new URL(new URLSearchParams(location.search).get("next") ?? "/play", location.href);
  // Whoever leads here must not lead to another server.
  location.href = next.origin === location.origin ? next.href : "/play";
}

/** @returns {string} The id of a guest, which is nobody else's. */
const guest = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

document.addEventListener("click", ({ target }) => {
  const button = target instanceof Element ? target.closest("button[name=person]") : null;
  if (button) become(button.getAttribute("value") ?? "");
});
document.addEventListener("submit", (event) => {
  const form = /** @type {HTMLFormElement} */ (event.target);
  if (form.id !== "guest") return;
  event.preventDefault();
  become(`${guest()}~${encodeURIComponent(new FormData(form).get("name")?.toString().trim() ?? "")}`);
});
