// @ts-check
// SPDX-License-Identifier: Apache-2.0

/**
 * Which screen a page shows, and where Musubi serves it.
 *
 * @param {{href: string, screen?: string, server?: string}} page Its address, and the body's `data-screen` and
 *   `data-server`.
 * @returns {(isResuming: boolean) => string} The socket's address.
 */
export function screenAddress({ href, screen, server }) {
  const page = new URL(href);
  const name = screen || decodeURIComponent(page.pathname.split("/")[1] ?? "").replace(/\.html$/, "");
  const base = (server || page.origin).replace(/^http/, "ws").replace(/\/$/, "");
  const room = page.searchParams.get("room");
  const target = [
    `${base}/live/${encodeURIComponent(name)}?edits=1`,
    room && `room=${encodeURIComponent(room)}`,
    page.pathname !== `/${name}` && `path=${encodeURIComponent(page.pathname)}`,
  ].filter(Boolean).join("&");
  return (isResuming) => (isResuming ? `${target}&resume=1` : target);
}

/**
 * Why the server refuses the page: the same request in plain HTTP, because a script cannot read why a handshake failed.
 *
 * @param {string} url The socket's address.
 * @param {typeof fetch} [request]
 * @returns {Promise<string>} Its sentence; empty if it refuses nothing or cannot be reached.
 */
export async function refusal(url, request = fetch) {
  try {
    const { code, message } = await (await request(url.replace(/^ws/, "http"))).json();
    return code === "upgrade-required" ? "" : String(message ?? "");
  } catch {
    return "";
  }
}
