// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { bytesOf, placeOf } from "./queue.js";
import { sizeOf } from "./text/texts.js";

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
  const joined = queue.open();
  if (joined?.kind === "typed" && placeOf(joined) === place) {
    joined.value = content.value;
    return joined.input;
  }
  // That a page looks at other rows of a long list is no change.
  const bytes = content.value?.patches ? 0 : bytesOf(content);
  return bytes && queue.isFull() ? 0 : queue.push({ kind: "typed", ...content, bytes });
}
