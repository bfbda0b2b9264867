// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { bytesOf, placeOf } from "./queue.js";
import { sizeOf } from "./text/texts.js";

/**
 * Queues an input that takes effect at one moment and has a value, as a script and a custom element send it.
 *
 * It keeps a copy: a script may go on with its value. A frame that is too long would end the connection for good.
 *
 * @param {import("./queue.js").Queue} queue
 * @param {import("./queue.js").Content} content The frame's members.
 * @param {Pick<import("./screen.js").Notify, "problem">} notify
 * @returns {number} Its number; 0 if it is not sent.
 */
export function queueTap(queue, content, notify) {
  if (queue.isFull()) return 0;
  const entry = { kind: /** @type {"tap"} */ ("tap"), ...JSON.parse(JSON.stringify(content)), bytes: bytesOf(content) };
  const over = sizeOf(JSON.stringify({ input: queue.last() + 1, ...content })) - queue.limits.frame;
  if (over <= 0) return queue.push(entry);
  notify.problem("too-large", `The value of "${content.name}" is ${over} bytes too long, and was not sent.`);
  return 0;
}

/**
 * Queues the whole value of a control; a value that no frame can hold is only kept.
 *
 * @param {import("./queue.js").Queue} queue
 * @param {import("./queue.js").Content} content The frame's members.
 * @returns {number} Its number; 0 if the queue is full, and less by how many bytes it is too long.
 */
export function queueValue(queue, content) {
  const { tooLong, choices, limits } = queue;
  const place = placeOf(content);
  const over = sizeOf(JSON.stringify({ input: queue.last() + 1, ...content })) - limits.frame;
  tooLong.delete(place);
  if (over > 0) {
    tooLong.set(place, content);
    return -over;
  }
  if (!content.row) choices.set(place, content);
  // That a page looks at other rows of a long list is no change, and counts nowhere: of each list one waits at most.
  const isLook = content.value?.patches;
  const waiting = isLook ? queue.entries().filter(({ sent }) => !sent) : [queue.open()];
  const joined = waiting.find((entry) => entry?.kind === "typed" && placeOf(entry) === place);
  if (joined) {
    joined.value = content.value;
    return joined.input;
  }
  if (isLook) return queue.push({ kind: "typed", ...content, bytes: 0 });
  return queue.isFull() ? 0 : queue.push({ kind: "typed", ...content, bytes: bytesOf(content) });
}
