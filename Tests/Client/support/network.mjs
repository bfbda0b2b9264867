// SPDX-License-Identifier: Apache-2.0
import * as recovery from "../../../Sources/BrowserClient/musubi/recovery.js";
import { applyEdit } from "../../../Sources/BrowserClient/musubi/text/edit.js";
import { createSession } from "../../../Sources/BrowserClient/musubi/session.js";

/**
 * A page without a browser: a session, its two-way text as a field would show it, and a network that holds frames
 * until `network.step` lets one pass and that may be cut at any point.
 */
export function createPage(server, saved) {
  const page = { shown: undefined, state: {}, events: [], problems: [], lost: 0, left: [], changed: 0, sent: [], isOpen: false, brokenTimes: 0 };
  const up = [];
  const down = [];
  let connection;
  const session = createSession(
    {
      send: (frame) => {
        page.sent.push(frame);
        if (page.isOpen) up.push(JSON.stringify(frame));
        return page.isOpen;
      },
      live: () => {},
      state: (_, state) => {
        page.state = state;
        if (page.shown !== undefined) return;
        const text = session.text("number");
        page.shown = text.text();
        // As a field does it: change by change, never from the whole text.
        text.watch((change, before) => {
          if (before !== page.shown) throw new Error(`the page shows ${page.shown}, the session thinks ${before}`);
          page.shown = applyEdit(page.shown, change);
        });
      },
      acknowledged: () => {},
      event: (event) => page.events.push(event),
      problem: (code) => page.problems.push(code),
      moves: () => false,
      changed: () => (page.changed += 1),
      lost: (taps) => (page.lost += taps),
      left: (...left) => page.left.push(left),
      hello: () => {},
      screens: (stack) => (page.stack = stack),
      broken: () => (page.brokenTimes += 1),
      reload: () => {},
      recover: (use) => use(recovery),
    },
    saved,
  );
  return Object.assign(page, {
    session,
    open() {
      const first = session.open();
      page.isOpen = true;
      connection = server.connect(
        first !== undefined,
        (frame) => down.push(JSON.stringify(frame)),
        () => page.cut(),
      );
      if (first) up.push(JSON.stringify(first));
    },
    /** The connection is lost, and with it everything on its way. */
    cut() {
      if (!page.isOpen) return;
      page.isOpen = false;
      up.length = down.length = 0;
      connection.close();
    },
    up: () => {
      const frame = up.shift();
      if (frame) connection.receive(JSON.parse(frame));
      return frame !== undefined;
    },
    down: () => {
      const frame = down.shift();
      if (frame) session.receive(JSON.parse(frame));
      return frame !== undefined;
    },
    /** Lets everything pass. */
    settle() {
      for (let more = true; more; ) more = page.up() || page.down();
    },
    edit(edit) {
      session.edit("number", edit);
      session.flush();
    },
    tap(name) {
      session.input("tap", { name });
      session.flush();
    },
  });
}

/** Lets everything pass between the server and several pages. */
export function settle(pages) {
  for (let more = true; more; ) more = pages.map((page) => page.up() || page.down()).some(Boolean);
}
