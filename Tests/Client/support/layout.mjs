// SPDX-License-Identifier: Apache-2.0
import { useFiles } from "../../../Sources/BrowserClient/musubi/further.js";
import { attach as attachEach } from "../../../Sources/BrowserClient/musubi/outlets/each.js";
import { attachAll, createWatchers } from "../../../Sources/BrowserClient/musubi/page.js";
import { attach as attachWindow } from "../../../Sources/BrowserClient/musubi/window/attach.js";
import { fakeDocument } from "./document.mjs";
import { fakeStorage } from "./storage.mjs";

const nowhere = { top: 0, bottom: 0, width: 0, height: 0 };

/** The height of elements under each other: rows, and the room for others. */
const heightOf = (elements, rowHeight) =>
  elements.reduce((sum, { style, hasAttribute }) => sum + (hasAttribute("data-row") ? rowHeight : parseFloat(style.paddingTop ?? 0)), 0);

/**
 * A long list that is laid out: rows under each other, in a box that scrolls, or in the page if `isPage`. `show` puts it into
 * the layout or takes it out, as a screen does that lies on top; `frame` is what a browser does between two pictures. A page has
 * `header` pixels above the list, which may be in a box that scrolls sideways.
 */
export async function longList(
  context, { count = 100_000, isPage = false, isShown = true, view = 600, rowHeight = 40, header = 0, isSideways = false } = {},
) {
  const document = fakeDocument();
  const page = { asked: [], refused: [], count, isShown };
  const observers = setGlobals(context, document, view);
  const { importNode } = document;
  document.createElement = (name) => styled(document.element(name), place);
  document.importNode = (element) => styled(importNode(element), place);
  const box = isPage ? document.documentElement : styled(document.element("div"), () => (page.isShown ? { top: 100, bottom: 100 + view, height: view, width: 300 } : nowhere));
  const list = styled(document.element("ul"), place);
  const template = styled(document.element("template", { "data-bind-each": "entries", "data-window": "" }, [document.element("li")]), place);
  const contentTop = () => (isPage ? header - box.scrollTop : 100 - box.scrollTop);
  /** @type {(element: any) => object} Where an element stands; nowhere if nothing of the list is laid out. */
  function place(element) {
    if (!page.isShown || !element.parentNode) return nowhere;
    const top = contentTop() + heightOf(list.children.slice(0, list.children.indexOf(element)), rowHeight);
    const height = heightOf([element], rowHeight);
    // A scroll bar takes some of what an element has that fills its box.
    const width = /width:(\d+)px/.exec(element.style.cssText)?.[1] ?? (whole() > view ? 285 : 300);
    return { top, bottom: top + height, height, width };
  }
  const rowsAlone = () => heightOf(list.children, rowHeight);
  const whole = () => header + rowsAlone();
  let scrollTop = 0;
  let isMoved = false;
  Object.defineProperties(box, {
    scrollTop: {
      // Another screen's page scrolls as that one is high.
      get: () => (isPage || page.isShown ? scrollTop : 0),
      set(to) {
        const top = Math.max(0, page.isShown ? Math.min(to, whole() - view) : isPage ? to : 0);
        isMoved ||= top !== scrollTop;
        scrollTop = top;
      },
    },
    scrollHeight: { get: whole },
    clientHeight: { get: () => (isPage || page.isShown ? view : 0) },
  });
  box.setAttribute("data-scrolls", "");
  if (!isPage) document.body.append(box);
  let parent = isPage ? document.body : box;
  if (isSideways) {
    // It has no height of its own.
    const wrapper = styled(document.element("div", { "data-scrolls": "" }), nowhere);
    Object.defineProperties(wrapper, { scrollHeight: { get: rowsAlone }, clientHeight: { get: rowsAlone } });
    parent.append(wrapper);
    parent = wrapper;
  }
  parent.append(list);
  list.append(template);

  const watchers = createWatchers();
  const own = { watch: watchers.watch, shown: { path: "/entries", screen: 0, first: {} }, openScreen: () => ({}) };
  own.attach = (row, inside) => attachAll(row, inside, {});
  own.input = (_element, _kind, _name, { first, anchor, before, count: rows }) => {
    const asked = JSON.parse(JSON.stringify({ first, anchor, before, count: rows }));
    // As the server has it: WindowRequest.
    if ([first ?? 0, before ?? 0, rows].some((number) => !Number.isInteger(number) || number < 0) || rows > 400) page.refused.push(asked);
    else page.asked.push(asked);
  };
  useFiles(async () => {}, { window: attachWindow });
  const leave = attachEach(template, own, { argument: "", name: "entries" });
  await new Promise((run) => setImmediate(run));
  context.after(leave);
  let answered = 0;
  const tell = (entries) => watchers.show({ entries });
  Object.assign(page, {
    box,
    list,
    leave,
    /** The server tells how many rows there are, and no more: the session is new, or has come back. */
    begin: () => tell({ count: page.count }),
    /** The server tells the rows of a place; row 7 is the seventh. */
    tell(first, rows) {
      const here = Array.from({ length: Math.min(rows, page.count - first) }, (_, index) => ({ id: first + index + 1, at: page.asked.length }));
      tell({ count: page.count, first, rows: here });
    },
    /** The server answers what was asked for last. */
    answer() {
      const { anchor, before = 0, first = anchor - 1 - before, count: rows } = page.asked.at(-1);
      answered = page.asked.length;
      page.tell(Math.max(0, Math.min(first, page.count - rows)), rows);
    },
    /** The page is laid out and painted, as long as something moves; what was asked for meanwhile is answered. */
    settle() {
      for (let round = 0; round < 20; round += 1) {
        page.frame();
        context.mock.timers.tick(100);
        if (page.asked.length > answered) page.answer();
        else if (!isMoved) return;
      }
      throw new Error("The list comes to no rest.");
    },
    frame() {
      if (isMoved && (isPage || page.isShown)) for (const run of page.listeners(box)) run({});
      isMoved = false;
      for (const observer of observers) observer.look();
    },
    listeners: (target) => [...(isPage ? document.listeners : (target.listeners ?? []))].filter(([type]) => type === "scroll").map(([, run]) => run),
    /** The box gets another height, and the window does not. */
    heighten: (to) => void (view = to),
    resize: () => document.listeners.filter(([type]) => type === "resize").forEach(([, run]) => run({})),
    press(key) {
      const event = { key, target: isPage ? document.body : box, defaultPrevented: false, preventDefault: () => void (event.defaultPrevented = true) };
      const all = isPage ? document.listeners : (box.listeners ?? []);
      for (const [type, run] of all) if (type === "keydown") run(event);
      return event;
    },
    /** Takes the list out of the layout, or puts it back; a box forgets how far it was scrolled. */
    show(isShown) {
      page.isShown = isShown;
      if (!isPage) scrollTop = 0;
    },
    /** The number of the first row in view, and where it is. */
    seen() {
      const edge = isPage ? 0 : 100;
      const row = list.children.find((one) => one.hasAttribute("data-row") && one.getBoundingClientRect().bottom > edge);
      const top = row && row.getBoundingClientRect().top - edge;
      return row && top < view ? [Number(row.getAttribute("data-row")), top] : undefined;
    },
    shown: () => list.children.filter((one) => one.hasAttribute("data-row")).map((one) => Number(one.getAttribute("data-row"))),
  });
  return page;
}

/** Gives an element what a list asks of its layout. */
function styled(element, place) {
  const listeners = [];
  return Object.assign(element, {
    style: {},
    listeners,
    className: "",
    scrollHeight: 0,
    prepend: (child) => element.insertBefore(child, element.children[0] ?? null),
    after(child) {
      const { children } = element.parentNode;
      element.parentNode.insertBefore(child, children[children.indexOf(element) + 1] ?? null);
    },
    addEventListener: (type, run) => listeners.push([type, run]),
    getBoundingClientRect: () => place(element),
    getClientRects: () => [place(element)].filter((one) => one !== nowhere),
  });
}

/** The globals of a page, until the test ends. */
function setGlobals(context, document, view) {
  const names = ["document", "location", "sessionStorage", "getComputedStyle", "MutationObserver", "ResizeObserver", "addEventListener", "innerHeight", "window", "matchMedia", "CSS"];
  const before = Object.fromEntries(names.map((name) => [name, globalThis[name]]));
  context.after(() => Object.assign(globalThis, before));
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const observers = new Set();
  document.listeners = [];
  document.documentElement = styled(document.element("html"), () => ({ top: 0 }));
  document.scrollingElement = document.documentElement;
  document.links = [];
  const listen = (type, run) => document.listeners.push([type, run]);
  class ResizeObserver {
    constructor(run) {
      Object.assign(this, { run, sizes: new Map() });
    }
    observe(element) {
      this.sizes.set(element, "0 0");
      observers.add(this);
    }
    disconnect() {
      observers.delete(this);
    }
    /** Calls back for what has another size; as in a browser that must not change the size again. */
    look() {
      const size = (element) => {
        const { width, height } = element.getBoundingClientRect();
        return `${width} ${height - parseFloat(element.style.paddingTop ?? 0) || 0}`;
      };
      const changed = [...this.sizes].filter(([element, last]) => size(element) !== last);
      for (const [element] of changed) this.sizes.set(element, size(element));
      if (changed.length) this.run(changed.map(([target]) => ({ target })));
      for (const [element, last] of this.sizes) if (size(element) !== last) throw new Error("ResizeObserver loop completed with undelivered notifications.");
    }
  }
  Object.assign(globalThis, {
    document,
    ResizeObserver,
    window: { setTimeout: (...all) => globalThis.setTimeout(...all), addEventListener: listen },
    innerHeight: view,
    addEventListener: listen,
    location: { pathname: "/entries", search: "" },
    sessionStorage: fakeStorage(),
    matchMedia: () => ({ matches: false }),
    CSS: { escape: (text) => text },
    getComputedStyle: (element) => ({ overflowY: element.hasAttribute("data-scrolls") && element !== document.documentElement ? "auto" : "visible" }),
    MutationObserver: class {
      constructor(run) {
        document.links.push(run);
      }
      observe() {}
      disconnect() {}
    },
  });
  return observers;
}
