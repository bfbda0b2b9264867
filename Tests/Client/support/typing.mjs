// SPDX-License-Identifier: Apache-2.0
import * as value from "../../../Sources/BrowserClient/musubi/outlets/value.js";
import { createWatchers } from "../../../Sources/BrowserClient/musubi/page.js";
import { createSession } from "../../../Sources/BrowserClient/musubi/session.js";
import { fakeContext, fakeField } from "./dom.mjs";

/** A page with one two-way text "number"; `step` is the server's frame, `sent` the page's. */
export function page({ field = fakeField(), initial = "abc" } = {}) {
  const sent = [];
  const watchers = createWatchers();
  const notify = { send: (frame) => sent.push(frame) };
  notify.state = (state) => {
    watchers.show(state);
    context.ready.splice(0).forEach((run) => run());
  };
  const nothing = new Proxy(notify, { get: (target, name) => target[name] ?? (() => {}) });
  const session = createSession(nothing);
  const context = fakeContext(session, watchers);
  let revision = 0;
  let sequence = 0;
  const start = () => {
    session.receive({ hello: { session: "s", token: "t", protocol: 1 } });
    session.receive({ snapshot: { "number": initial, "number.field": initial }, epoch: "e", sequence, revisions: { number: 0 } });
  };
  const step = (edit) => {
    revision += 1;
    sequence += 1;
    session.receive({ sequence, edits: { number: { revision, steps: [edit] } } });
  };
  return { field, sent, session, context, watchers, start, step };
}

export function typing(options) {
  const it = page(options);
  value.attach(it.field, it.context, { argument: "", name: "number" });
  it.start();
  it.type = (at, text, count = 0) => {
    it.context.fire(it.field, "beforeinput");
    it.field.replace(at, at + count, text);
    it.context.fire(it.field, "input");
  };
  it.edits = () => it.sent.filter((frame) => frame.edits).map((frame) => frame.edits);
  return it;
}
