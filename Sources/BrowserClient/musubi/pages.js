// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { together } from "./controls.js";
import { leaveHere } from "./outlets/query.js";
import { uncloak } from "./page.js";
import { focusHeading, scroll } from "./place.js";

/** @typedef {import("./screen.js").StackEntry} Entry */
/** @typedef {{root: Element, title: Element | null, scripts?: any[], detach?: () => void, opener?: Element | null, y?: number,
 *   scrolled?: [box: Element, top: number, left: number][]}} Page */

/** The part of a page that a screen fills; everything around it, such as the status line, stays. */
const area = "[data-screen-root], main";

/**
 * The pages of the open screens that were shown; those below the top are kept whole.
 *
 * @param {import("./stack.js").Host} host
 * @param {() => number} scrollTop Where the page was scrolled to.
 */
export function createPages({ shown, status, view, views }, scrollTop) {
  /** @type {Map<number, Page>} */
  const pages = new Map();
  const start = document.querySelector(area);
  if (start) pages.set(shown.screen, { root: start, title: document.querySelector("title") });
  /** @type {(page: Page, screen: number) => void} */
  const attach = (page, screen) => {
    pages.set(screen, page);
    const { context } = view(screen);
    page.detach = together([page.root, page.title].map((part) => part ? context.attach(part, context) : undefined));
    context.whenReady(uncloak);
  };
  return {
    /** @type {(entry: Entry, address: URL, isTop: () => boolean) => Promise<boolean>} Whether the page shows the screen. */
    async show({ screen, name }, address, isTop) {
      if (screen === shown.screen) return true;
      const isBack = pages.has(screen) || screen < shown.screen;
      let page = pages.get(screen) ?? (await loadPage(address));
      // Without a connection the browser would show a page of its own, which knows of nothing that waits here.
      while (!page && isTop() && status.link() !== "live") {
        await new Promise((run) => setTimeout(run, 2_000));
        page = await loadPage(address);
      }
      const before = pages.get(shown.screen);
      if (!page || !before) {
        location.assign(address);
        return false;
      }
      if (!isTop()) return false;
      replace(before, page);
      shown.screen = screen;
      shown.path = location.pathname + location.search;
      if (name) document.body.dataset.screen = name;
      leaveHere();
      if (!pages.has(screen)) attach(page, screen);
      // A parsed script never runs, and a module runs once.
      for (const { src } of page.scripts?.splice(0) ?? []) import(src);
      scroll(window, { top: scrollTop() });
      // The rows above may be others now, or have another size as long as they are out of sight.
      const { opener, y = 0 } = page;
      if (opener && page.root.contains(opener)) scroll(window, { top: scrollY + opener.getBoundingClientRect().top - y });
      focusOn(page, isBack);
      return true;
    },
    /** @param {Entry[]} stack What is open; the pages of other screens end. */
    keep(stack) {
      for (const [screen, { detach }] of pages) {
        if (stack.some((entry) => entry.screen === screen)) continue;
        pages.delete(screen);
        detach?.();
        views.delete(screen);
      }
    },
  };
}

/** @type {(before: Page, page: Page) => void} One page takes the place of another, and what the person had in hand is kept. */
function replace(before, page) {
  before.opener = document.activeElement;
  before.y = before.opener?.getBoundingClientRect().top;
  // A box that leaves the document forgets how far it was scrolled.
  before.scrolled = [before.root, ...before.root.querySelectorAll("*")]
    .filter((box) => box.scrollTop || box.scrollLeft)
    .map((box) => [box, box.scrollTop, box.scrollLeft]);
  before.root.replaceWith(page.root);
  for (const [box, top, left] of page.scrolled ?? []) scroll(box, { top, left });
  if (page.title) document.querySelector("title")?.replaceWith(page.title);
}

/** @type {(address: URL) => Promise<any>} The page there, parsed: under Trusted Types no script makes a page of a text. */
const request = (address) =>
  new Promise((run, onerror) => {
    const asked = new XMLHttpRequest();
    // In quotes, because the bundler shortens a name of the client's that is the same.
    Object.assign(asked, { responseType: "document", onload: () => run(asked["status"] === 200 && asked.response), onerror });
    asked.open("GET", address);
    asked.send();
  });

/**
 * The page of a screen: a static file of the page's own server.
 *
 * @param {URL} address
 * @returns {Promise<Page | undefined>} Nothing, if there is none that could be shown here.
 */
async function loadPage(address) {
  if (address.origin !== location.origin) return undefined;
  try {
    const page = await request(address);
    // Fails if there is no page, or nothing in it that a screen fills.
    const root = document.importNode(page.querySelector(area), true);
    await Promise.all([...page.querySelectorAll("link[rel=stylesheet][href]")].map(adopt));
    return { root, title: page.querySelector("title"), scripts: [...page.querySelectorAll("script[type=module][src]")] };
  } catch {
    return undefined;
  }
}

/** @type {Record<string, Promise<unknown>>} */
const sheets = {};

/**
 * Takes a style sheet.
 *
 * @param {any} needed
 * @returns {unknown} What a screen waits for: only its style sheet tells which box scrolls. One that does not load keeps nobody.
 */
function adopt(needed) {
  const href = needed.getAttribute("href");
  if (document.querySelector(`link[href="${CSS.escape(href)}"]`)) return sheets[href];
  document.head.append(needed);
  return (sheets[href] = new Promise((done) => (needed.onload = needed.onerror = done)));
}

/**
 * Gives the focus to the new heading or, on the way back, to what had it.
 *
 * @param {Page} page
 * @param {boolean} isBack
 */
function focusOn({ root, opener }, isBack) {
  if (isBack && opener && root.contains(opener)) /** @type {HTMLElement} */ (opener).focus({ preventScroll: true });
  else focusHeading(root);
}
