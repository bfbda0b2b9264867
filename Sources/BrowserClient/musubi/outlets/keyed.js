// @ts-check
// SPDX-License-Identifier: Apache-2.0

/** @type {(event: any) => unknown} Whether a click on a link asks for more than to follow it, such as a tab of its own. */
export const isForBrowser = ({ ctrlKey, metaKey, shiftKey, altKey, button }) =>
  ctrlKey || metaKey || shiftKey || altKey || button;

/** How long the screen may take to come that a link opens, and an element to show that its input waits; milliseconds. */
const [patience, pendingAfter] = [2_000, 200];

/** @type {{link?: Element, at: number}} The tap on a link that was taken last. */
let last = { at: -Infinity };

/** @type {(at: number) => unknown} Whether a link's screen is still to come: who taps twice wants one. */
const isOpening = (at) =>
  last.link?.isConnected && at - last.at < (last.link.hasAttribute("data-pending") ? patience : pendingAfter);

/**
 * `data-on-<event>` for keys and links: `keydown.enter` is the Enter key, unless it confirms a composition; a plain click
 * on a link is the input, any other is the browser's. Behind it none is taken before its screen shows, or the answer came,
 * or two seconds have passed; the second click of a double click, never. The event of a custom element, whose name has a
 * hyphen, sends its `detail`.
 *
 * @type {import("../page.js").Attach}
 */
export const attachKeyed = (element, context, { argument, name }) => {
  const [type, key] = argument.split(".");
  const isLink = type === "click" && element.localName === "a";
  return context.listen(type, element, (event) => {
    // Safari ends the composition before it reports the key; 229 is then its only trace.
    if (key && (event.key?.toLowerCase() !== key || event.isComposing || event.keyCode === 229)) return;
    if (isLink && isForBrowser(event)) return;
    if (isLink) {
      event.preventDefault();
      if (event.detail > 1 || isOpening(event.timeStamp)) return;
      last = { link: element, at: event.timeStamp };
    }
    // The browser's own events have no hyphen; a custom one may tell a value.
    const value = type.includes("-") ? (event.detail ?? undefined) : undefined;
    if (element.getAttribute("aria-disabled") !== "true") context.input(element, "tap", name, value);
  });
};
