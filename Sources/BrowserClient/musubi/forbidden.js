// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { explain } from "./notices.js";
import { wanted } from "./outlets/disabled.js";
import { hearPlaces } from "./outlets/file.js";
import { applyPatch } from "./patch.js";

/** @type {Map<number, string[]>} The inputs that the visitor may not send, by the screen's number. */
const forbidden = new Map();

/**
 * Hears a frame that no other handler takes: the page's files have changed, the page may not come in, what the visitor
 * may not send, what the visitor alone sees, or where files go. Also `hello` and `resumed` say what the visitor may not send.
 *
 * @param {import("./stack.js").Host & {observer?: MutationObserver, carets?: (frame: object) => void}} host
 * @param {Record<string, any>} frame
 */
export function hear(host, frame) {
  if (frame.reload) location.reload();
  if (frame.dev) inspect(frame.dev);
  // As after a failed handshake; the connection's end is on its way.
  if (frame.refused) explain(host, { json: async () => /** @type {any} */ (host.connection.drop()) ?? frame.refused });
  // A patch may be on its way to a screen that was left.
  const isThere = !frame.personal?.length || host.views.has(frame.screen ?? 0);
  if (frame.personal && isThere) lay(host.view(frame.screen ?? 0), frame.personal, host.session.hasState(frame.screen));
  if (frame.uploads) hearPlaces(host, frame);
  if (frame.carets) host.carets?.(frame);
  if (!frame.forbidden) return;
  forbidden.set(frame.screen ?? 0, frame.forbidden);
  const mark = (/** @type {any} */ node) => node.querySelectorAll && markAll(node, forbidden.get(host.shown.screen) ?? []);
  // Rows and further screens come later, and a queue that has room again enables what it had disabled.
  const observer = (host.observer ??= new MutationObserver((changes) =>
    changes.forEach(({ target, type, addedNodes }) => (type === "attributes" ? [target] : addedNodes).forEach(mark))));
  observer.observe(document, { subtree: true, childList: true, attributeFilter: ["disabled"] });
  mark(document);
}

/** @type {(names: import("./dev.js").Names) => Promise<void>} Checks the page against the screen's names. */
async function inspect(names) {
  const inspector = new URL(import.meta.url.includes("/musubi-more.js") ? "musubi/dev.js" : "dev.js", import.meta.url);
  (await import(inspector.href)).inspect(document, names);
}

/** @type {(attribute: string) => boolean} Whether its value is the name of an input. */
const isInput = (attribute) => /^data-(bind-(value|checked|selected|file)$|on-)/.test(attribute);

/** @type {(element: any, names: string[]) => boolean} Whether it sends one of the inputs: itself, or its form. */
const sends = (element, names) =>
  [...(element.attributes ?? [])].some(({ name, value }) => isInput(name) && names.includes(value)) ||
  (element.type === "submit" && element.form && sends(element.form, names));

/** @type {(root: ParentNode, names: string[]) => void} Marks the elements of forbidden inputs, and no others. */
function markAll(root, names) {
  for (const element of /** @type {Iterable<any>} */ ([root, ...root.querySelectorAll("*")])) {
    const isForbidden = sends(element, names);
    if (isForbidden || element.hasAttribute?.("data-forbidden")) forbid(element, isForbidden);
  }
}

/** @type {(element: any, isForbidden: boolean) => void} */
function forbid(element, isForbidden) {
  element.toggleAttribute("data-forbidden", isForbidden);
  if (!("disabled" in element)) return void (element.ariaDisabled = isForbidden ? "true" : null);
  if (!wanted.has(element)) wanted.set(element, element.disabled);
  if (element.disabled !== (isForbidden || wanted.get(element))) element.disabled = !element.disabled;
}

/**
 * Shows a visitor's own values in the place of what all see.
 *
 * @param {any} view
 * @param {object} told All of them, or the patch that makes them of those before.
 * @param {boolean} isShown
 */
function lay(view, told, isShown) {
  const personal = (view.personal = Array.isArray(told) ? applyPatch(view.personal, told) : told);
  if (!view.show) view.context.watch(".", (/** @type {any} */ state) => (view.below = state))();
  const show = (view.show ??= view.state);
  view.state = (state = view.below) => show({ ...(view.below = state), ...personal });
  if (isShown) view.state();
}
