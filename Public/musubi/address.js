// @ts-check
// SPDX-License-Identifier: Apache-2.0

/**
 * Which screen a page shows, and where Musubi serves it.
 *
 * @param {{href: string, screen?: string, server?: string}} page Its address, and the body's `data-screen` and
 *   `data-server`.
 * @returns {(isResuming?: boolean) => string} The socket's address.
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
