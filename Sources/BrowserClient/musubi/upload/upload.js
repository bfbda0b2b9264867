// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { createDesk } from "./desk.js";

/** @typedef {import("../outlets/file.js").FilePage} FilePage */
/** @typedef {{elements: Set<any>, desk: import("./desk.js").Desk}} Group */

/** @type {WeakMap<object, Map<string, Group>>} The elements of each control, by screen or row. */
const groups = new WeakMap();

/** @type {(element: any) => boolean} Whether a person may use it now. */
const isUsable = (element) => !element.disabled && element.ariaDisabled !== "true";

/** @type {(group: Group) => HTMLInputElement[]} */
const inputs = ({ elements }) => [...elements].filter(({ type }) => type === "file");

/**
 * An element that sends files: an `<input type="file">`, or one on which they are dropped, or into which they are pasted.
 *
 * @param {any} element
 * @param {FilePage} page
 * @returns {() => void} The cleanup.
 */
export function control(element, page) {
  const own = groups.get(page.group) ?? new Map();
  groups.set(page.group, own);
  const group = own.get(page.key) ?? createGroup(page);
  own.set(page.key, group);
  group.elements.add(element);
  const stop = element.type === "file" ? listenToInput(element, group, page) : listenToZone(element, group);
  return () => {
    stop();
    group.elements.delete(element);
    if (group.elements.size) return;
    own.delete(page.key);
    group.desk.end();
  };
}

/** @type {(page: FilePage) => Group} */
function createGroup(page) {
  /** @type {Group} */
  const group = {
    elements: new Set(),
    desk: createDesk(
      page,
      () => {
        const [input] = inputs(group);
        if (input) return input.closest("label") ?? input;
        const [zone] = group.elements;
        return zone.lastElementChild ?? zone.appendChild(document.createElement("span"));
      },
      () => [...inputs(group), ...group.elements][0]?.focus(),
    ),
  };
  // The server says where files go behind the first state.
  const restore = () => void (page.place() ? group.desk.restore() : group.elements.size && setTimeout(restore, 200));
  setTimeout(restore);
  return group;
}

/** @type {(element: any, types: Record<string, (event: any) => void>) => () => void} */
function listen(element, types) {
  const control = new AbortController();
  for (const type in types) element.addEventListener(type, types[type], control);
  return () => control.abort();
}

/** @type {(element: HTMLInputElement, group: Group, page: FilePage) => () => void} */
function listenToInput(element, { desk }, page) {
  const change = () => {
    const chosen = [...(element.files ?? [])];
    // So that the same file can be chosen again.
    element.value = "";
    desk.add(chosen);
  };
  // Chosen before this module was there.
  if (element.files?.length) change();
  const click = () => {
    const types = page.place()?.types ?? ["*/*"];
    if (!element.accept && !types.includes("*/*")) element.accept = types.join();
  };
  return listen(element, { click, change });
}

/**
 * Whether somebody pastes text, into what takes text: cells of a sheet are a picture of themselves as well.
 *
 * @type {(event: ClipboardEvent) => boolean | undefined}
 */
const isText = ({ target, clipboardData }) =>
  /** @type {Element} */ (target).matches(":read-write") && clipboardData?.types.includes("text/plain");

/** @type {(element: HTMLElement, group: Group) => () => void} */
function listenToZone(element, group) {
  /** @type {(event: Event, data: DataTransfer | null) => void} */
  const take = (event, data) => {
    if (event.defaultPrevented || !data?.files.length || !isOpen()) return;
    event.preventDefault();
    const fields = inputs(group);
    const isOne = fields.length > 0 && !fields.some(({ multiple }) => multiple);
    group.desk.add([...data.files].slice(0, isOne ? 1 : undefined));
  };
  const isOpen = () => isUsable(element) && inputs(group).every(isUsable);
  /** @type {(event: DragEvent) => void} */
  const over = (event) => {
    // What carries no file, such as a selected word, is none of ours; and an inner zone comes first.
    if (event.defaultPrevented || !event.dataTransfer?.types.includes("Files") || !isOpen()) return;
    event.preventDefault();
    element.toggleAttribute("data-drop", true);
  };
  const out = () => element.removeAttribute("data-drop");
  return listen(element, {
    dragenter: over,
    dragover: over,
    dragleave: ({ relatedTarget }) => element.contains(relatedTarget) || out(),
    // Quoted: the client has a function of that name, which its bundle shortens.
    "drop"(event) {
      out();
      take(event, event.dataTransfer);
    },
    paste: (event) => isText(event) || take(event, event.clipboardData),
  });
}
