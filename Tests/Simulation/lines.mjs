// SPDX-License-Identifier: Apache-2.0
import { readSync, writeSync } from "node:fs";

/** Answers each line of JSON on standard input by one on standard output, until there are no more. */
export function answer(take) {
  const chunk = Buffer.alloc(1 << 20);
  let unread = Buffer.alloc(0);
  for (;;) {
    const end = unread.indexOf(10);
    if (end < 0) {
      const count = readSync(0, chunk);
      if (!count) break;
      unread = Buffer.concat([unread, chunk.subarray(0, count)]);
      continue;
    }
    const reply = Buffer.from(`${JSON.stringify(take(JSON.parse(unread.subarray(0, end).toString())))}\n`);
    unread = unread.subarray(end + 1);
    for (let sent = 0; sent < reply.length; ) sent += writeSync(1, reply, sent);
  }
}
