// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { createDocument } from "./document.js";
import { applyPatch } from "./patch.js";
import { createQueue } from "./queue.js";
import { createTexts } from "./texts.js";

/** @typedef {import("./text-merge.js").Edit} Edit */
/** @typedef {import("./queue.js").Entry} Entry */
/** @typedef {import("./texts.js").SavedTexts} SavedTexts */
/** @typedef {{session: string, token: string, last: number, entries: Entry[], texts: SavedTexts}} SavedSession */

/**
 * What a session tells the page.
 * @typedef {object} Notify
 * @property {(frame: object) => void} send A frame is to be sent.
 * @property {() => void} live The state is the server's and inputs travel.
 * @property {(state: Record<string, any>) => void} state The state has changed.
 * @property {(name: string, change: Edit, before: string, source?: unknown) => void} text A two-way text has changed.
 * @property {(ack: number) => void} acknowledged Inputs up to this number have taken effect, or never will.
 * @property {(name: string, value: unknown) => void} event
 * @property {(code: string, message: string) => void} problem Something was refused.
 * @property {(taps: number) => void} lost The old session is gone, and with it so many unconfirmed taps.
 * @property {(hello: Record<string, any>) => void} hello A new session.
 * @property {() => void} broken The stream has a gap: connect again.
 * @property {() => void} reload The page's files have changed.
 */

/**
 * The protocol of Wire.md from the page's side, without socket, clock and document.
 * @param {Notify} notify
 * @param {SavedSession} [saved] What the page kept over a reload.
 */
export function createSession(notify, saved) {
  let identity = saved?.session;
  let token = saved?.token;
  /** @type {Record<string, any> | undefined} */
  let state;
  let epoch = "";
  let sequence = 0;
  let acked = 0;
  let isReady = false;
  let isStale = false;
  /** @type {any} How many turns follow a resume; undefined while a snapshot is to come. */
  let missing;
  const queue = createQueue({ entries: saved?.entries, last: saved?.last });
  const texts = createTexts(queue, saved?.texts);

  /** @type {(ack: number) => void} Inputs up to here were taken; an edit among them that became nothing was refused. */
  const acknowledge = (ack) => {
    acked = Math.max(acked, ack);
    for (const { kind, name, input } of queue.acknowledge(ack)) {
      // While a snapshot is to come nobody knows what became of an edit: the snapshot has it, or not.
      if (missing !== undefined && kind === "edit" && !texts.documents.get(name)?.pending(input)?.revision) texts.refuse(input);
    }
    notify.acknowledged(ack);
  };

  /** The old session is gone: what was typed goes into the new one, taps are only reported. */
  const handOver = () => {
    const left = queue.restart();
    acked = 0;
    texts.renumber();
    for (const { input, sent, ...entry } of left) if (entry.kind === "typed") queue.push(entry);
    notify.acknowledged(Infinity);
    notify.lost(left.filter((entry) => entry.kind === "tap").length);
  };

  const flush = () => {
    if (!isReady) return;
    for (let entry = queue.take(); entry; entry = queue.take()) {
      const { input, kind, name, value } = entry;
      const text = texts.documents.get(name);
      const content = kind === "edit" && text ? { revision: text.revision(), edits: text.pending(input)?.edit ?? [] } : { value };
      notify.send({ input, name, ...content });
    }
  };

  const go = () => {
    isReady = true;
    notify.live();
    texts.resubmit();
    flush();
  };

  /** @type {Record<string, (frame: any) => void>} */
  const handlers = {
    hello({ hello }) {
      if (identity) handOver();
      ({ session: identity, token } = hello);
      texts.limit(hello.limits);
      isStale = false;
      notify.hello(hello);
    },
    resumed({ resumed }) {
      ({ session: identity, token } = resumed);
      missing = resumed.turns;
      for (const [input, revision] of resumed.own ?? []) texts.claim(input, revision);
      acknowledge(resumed.ack);
      notify.hello(resumed);
      if (missing === 0) go();
    },
    snapshot(frame) {
      const { snapshot, revisions = {} } = frame;
      ({ epoch, sequence } = frame);
      state = snapshot;
      for (const name in revisions) {
        const text = texts.documents.get(name) ?? createDocument();
        texts.documents.set(name, text);
        const before = text.text();
        notify.text(name, text.snapshot(snapshot[`${name}.field`] ?? "", revisions[name], acked), before);
      }
      notify.state(snapshot);
      missing = 0;
      if (!isReady) go();
    },
    sequence(frame) {
      if (!state || frame.sequence !== sequence + 1) return broken();
      const { patch = [], edits = {}, events = [] } = frame;
      try {
        state = applyPatch(state, patch);
      } catch {
        return broken();
      }
      sequence = frame.sequence;
      for (const name in edits) {
        const text = texts.documents.get(name);
        if (!text) return broken();
        const { revision, steps } = edits[name];
        steps.forEach((/** @type {Edit} */ step, /** @type {number} */ index) => {
          const before = text.text();
          notify.text(name, text.step(step, revision - steps.length + 1 + index), before);
        });
      }
      notify.state(/** @type {Record<string, any>} */ (state));
      for (const { name, value } of events) notify.event(name, value);
      // Edits go out against what is known after the last missing turn.
      if (!isReady && !(missing -= 1)) go();
    },
    ack(frame) {
      texts.claim(frame.ack, frame.revision);
      acknowledge(frame.ack);
    },
    taken(frame) {
      texts.claim(frame.taken, frame.revision);
    },
    error({ error }) {
      texts.refuse(error.input);
      notify.problem(error.code, error.message);
    },
    reload: () => notify.reload(),
  };

  const broken = () => {
    isStale = true;
    notify.broken();
  };

  return {
    flush,
    resubmit: texts.resubmit,
    /** @param {string} name The two-way text of this name, once the state is known. */
    text: (name) => (state ? texts.documents.get(name) : undefined),
    waiting: () => queue.entries().length,
    isFull: () => queue.isFull(),
    hasState: () => state !== undefined,
    /**
     * A connection is about to open.
     *
     * @returns {object | undefined} The frame to send first, if the session is to be resumed.
     */
    open() {
      isReady = false;
      missing = undefined;
      queue.rewind();
      // Without a state only a snapshot helps: no room has the empty epoch.
      return identity && !isStale ? { resume: { session: identity, token, position: [epoch, sequence] } } : undefined;
    },
    /** @param {Record<string, any>} frame A frame from the server. */
    receive(frame) {
      const kind = Object.keys(frame)[0];
      if (Object.hasOwn(handlers, kind) && !frame.screen) handlers[kind](frame);
    },
    /**
     * Queues an input; `flush` sends it.
     *
     * @param {"tap" | "typed"} kind
     * @param {string} name
     * @param {unknown} [value]
     * @returns {number} Its number, or 0 if the queue is full.
     */
    input(kind, name, value) {
      const open = queue.open();
      if (kind === "typed" && open?.kind === kind && open.name === name) {
        open.value = value;
        return open.input;
      }
      if (queue.isFull()) return 0;
      return queue.push({ kind, name, value, bytes: 64 + (JSON.stringify(value)?.length ?? 0) });
    },
    /**
     * Queues an edit of a two-way text; `flush` sends it.
     *
     * @param {string} name
     * @param {Edit} edit
     * @param {unknown} [source] Who knows already.
     * @returns {number} The number of its last part.
     */
    edit(name, edit, source) {
      const before = texts.documents.get(name)?.text() ?? "";
      const limit = texts.edit(name, edit);
      notify.text(name, edit, before, source);
      if (limit) notify.problem("too-large", `Too long: at most ${limit} bytes.`);
      return queue.last();
    },
    /** @returns {SavedSession | undefined} What a reload of the page has to know. */
    save() {
      if (!identity || !token || isStale) return undefined;
      return { session: identity, token, last: queue.last(), entries: queue.entries(), texts: texts.save() };
    },
  };
}
