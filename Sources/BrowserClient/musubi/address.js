// @ts-check
// SPDX-License-Identifier: Apache-2.0

/**
 * Which screen a page shows, and where Musubi serves it.
 *
 * @param {{href: string, screen?: string, server?: string}} shown The page's address, which may change, and the body's
 *   `data-screen` and `data-server`. The address's parameters go along.
 * @returns {(isResuming?: boolean) => string} The socket's address.
 */
export function screenAddress(shown) {
  return (isResuming) => {
    const { origin, pathname, searchParams: wishes } = new URL(shown.href);
    const name = shown.screen || decodeURIComponent(pathname.split("/")[1]).replace(/\.html$/, "");
    const base = (shown.server || origin).replace(/^http/, "ws").replace(/\/$/, "");
    if (!wishes.get("room")) wishes.delete("room");
    wishes.set("edits", "1");
    wishes.set("path", pathname);
    wishes.set("resume", isResuming ? "1" : "0");
    return `${base}/live/${encodeURIComponent(name)}?${wishes}`;
  };
}
