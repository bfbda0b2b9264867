// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { insertedUnits, split } from "./codec.js";
import { createQueue } from "./queue.js";
import { createScreen } from "./screen.js";

/** @typedef {import("./text-merge.js").Edit} Edit */
/** @typedef {import("./document.js").TextDocument} TextDocument */
/** @typedef {import("./queue.js").Entry} Entry */
/** @typedef {Record<string, import("./screen.js").SavedTexts>} SavedTexts By the screen's number. */
/** @typedef {{session: string, token: string, last: number, entries: Entry[], texts: SavedTexts}} SavedSession */
/** @typedef {{screen: number, name: string, path: string, dialog?: {name: string, value?: any}}} StackEntry */

/**
 * What a session tells the page.
 * @typedef {object} Notify
 * @property {(frame: object) => void} send A frame is to be sent.
 * @property {() => void} live The state is the server's and inputs travel.
 * @property {(state: Record<string, any>, screen: number) => void} state The state has changed.
 * @property {(name: string, change: Edit, before: string, source: unknown, screen: number) => void} text A two-way text
 *   has changed.
 * @property {(ack: number) => void} acknowledged Inputs up to this number have taken effect, or never will.
 * @property {(name: string, value: unknown) => void} event
 * @property {(stack: StackEntry[]) => void} screens The stack of screens; empty if it is screen 0 without a dialog.
 * @property {(code: string, message: string) => unknown} problem Something was refused.
 * @property {(taps: number) => unknown} lost The old session is gone, and with it so many unconfirmed taps.
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
  let acked = 0;
  let isReady = false;
  let isResuming = false;
  let isStale = false;
  let isTold = false; // whether the server has told the stack on this connection
  const queue = createQueue({ entries: saved?.entries, last: saved?.last });
  /** @type {Map<number, import("./screen.js").Screen>} */
  const screens = new Map();
  const openScreen = (/** @type {number | undefined} */ number = 0) => {
    const screen = screens.get(number) ?? createScreen(notify, number, saved?.texts[number]);
    screens.set(number, screen);
    return screen;
  };
  const first = openScreen();
  for (const number in saved?.texts) openScreen(Number(number));
  const texts = () => [...screens.values()].flatMap((screen) => [...screen.texts.values()]);
  /** @type {(place: {name?: string, screen?: number}) => TextDocument | undefined} */
  const textAt = ({ name = "", screen = 0 }) => screens.get(screen)?.texts.get(name);

  /** @param {number} ack */
  const acknowledge = (ack) => {
    acked = Math.max(acked, ack);
    for (const entry of queue.acknowledge(ack)) if (entry.kind === "edit") textAt(entry)?.refuse(entry.input);
    notify.acknowledged(ack);
  };

  /** @type {(input: number, revision?: number) => void} An edit of one's own became this revision. */
  const claim = (input, revision) => {
    if (revision === undefined) return;
    for (const text of texts()) if (text.pending(input)) text.claim(input, revision);
  };

  /** @type {(place: {name: string, screen?: number}, edit: Edit) => void} Queues an edit in pieces that fit into frames. */
  const enqueue = (place, edit) => {
    for (const part of split(edit)) {
      textAt(place)?.change(part, queue.push({ kind: "edit", ...place, bytes: 64 + 3 * insertedUnits(part) }));
    }
  };

  /** Gives refused and handed-over text new numbers, unless an older edit of it is still on its way. */
  const resubmit = () => {
    for (const [number, { texts }] of screens) {
      for (const [name, text] of texts) {
        const isUnderWay = queue.entries().some((entry) => entry.kind === "edit" && textAt(entry) === text);
        if (!text.isStranded() || isUnderWay) continue;
        const edit = text.resubmit();
        if (edit.length) enqueue({ name, screen: number || undefined }, edit);
      }
    }
  };

  /** The old session is gone: what was typed goes into the new one, taps are only reported. */
  const handOver = () => {
    const left = queue.restart();
    acked = 0;
    for (const text of texts()) text.strand();
    for (const { input, sent, ...entry } of left) if (entry.kind === "typed" && !entry.screen) queue.push(entry);
    notify.acknowledged(Infinity);
    notify.lost(left.filter((entry) => entry.kind === "tap").length);
  };

  const flush = () => {
    if (!isReady) return;
    for (let entry = queue.take(); entry; entry = queue.take()) {
      const { kind, sent, bytes, ...frame } = entry;
      const text = kind === "edit" && textAt(entry);
      notify.send(text ? { ...frame, revision: text.revision(), edits: text.pending(entry.input) ?? [] } : frame);
    }
  };

  const go = () => {
    if (!isTold) tell([]);
    isReady = true;
    notify.live();
    resubmit();
    flush();
  };

  /** @param {StackEntry[]} stack */
  const tell = (stack) => {
    isTold = true;
    for (const number of screens.keys()) {
      if (number && !stack.some(({ screen }) => screen === number)) screens.delete(number);
    }
    notify.screens(stack);
  };

  /** @type {Record<string, (frame: any) => void>} */
  const handlers = {
    hello({ hello }) {
      if (identity) handOver();
      ({ session: identity, token } = hello);
      isStale = isResuming = isTold = false;
      notify.hello(hello);
    },
    resumed({ resumed }) {
      ({ session: identity, token } = resumed);
      isResuming = true;
      isTold = false;
      for (const [input, revision] of resumed.own ?? []) claim(input, revision);
      acknowledge(resumed.ack);
      // The answer comes behind the missing turns or the snapshots, so that edits go out against what is known then.
      notify.send({ ping: 0 });
    },
    pong() {
      if (!isReady && first.hasState()) go();
    },
    screens: ({ screens }) => tell(screens),
    snapshot(frame) {
      const screen = openScreen(frame.screen);
      screen.snapshot(frame, acked);
      if (!isReady && !isResuming && screen === first) go();
    },
    sequence(frame) {
      if (screens.get(frame.screen ?? 0)?.turn(frame) === false) broken();
    },
    ack({ ack, revision }) {
      claim(ack, revision);
      acknowledge(ack);
    },
    taken: ({ taken, revision }) => claim(taken, revision),
    error({ error }) {
      for (const text of texts()) text.refuse(error.input);
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
    resubmit,
    identity: () => identity,
    /** @type {(name: string, screen?: number) => TextDocument | undefined} The two-way text, once the state is known. */
    text: (name, screen = 0) => (screens.get(screen)?.hasState() ? textAt({ name, screen }) : undefined),
    /** What the server has not acknowledged. */
    unconfirmed: queue.entries,
    isFull: queue.isFull,
    hasState: (screen = 0) => Boolean(screens.get(screen)?.hasState()),
    /**
     * A connection is about to open.
     *
     * @returns {object | undefined} The frame to send first, if the session is to be resumed.
     */
    open() {
      isReady = false;
      queue.rewind();
      return identity && !isStale ? { resume: { session: identity, token, position: first.position() } } : undefined;
    },
    /** @param {Record<string, any>} frame A frame from the server. */
    receive(frame) {
      const kind = Object.keys(frame)[0];
      if (Object.hasOwn(handlers, kind)) handlers[kind](frame);
    },
    /**
     * Queues an input; `flush` sends it.
     *
     * @param {"tap" | "typed" | "close"} kind
     * @param {Omit<Entry, "input" | "kind" | "bytes">} content The frame's members.
     * @returns {number} Its number, or 0 if the queue is full.
     */
    input(kind, content) {
      const open = queue.open();
      if (kind === "typed" && open?.kind === kind && placeOf(open) === placeOf(content)) {
        open.value = content.value;
        return open.input;
      }
      if (queue.isFull() && kind !== "close") return 0;
      return queue.push({ kind, ...content, bytes: 64 + (JSON.stringify(content.value)?.length ?? 0) });
    },
    /**
     * Queues an edit of a two-way text; `flush` sends it.
     *
     * @param {string} name
     * @param {Edit} edit
     * @param {unknown} [source] Who knows already.
     * @param {number} [number] The screen.
     * @returns {number} The number of its last part.
     */
    edit(name, edit, source, number = 0) {
      const place = { name, screen: number || undefined };
      const text = /** @type {TextDocument} */ (textAt(place));
      const before = text.text();
      const open = queue.open();
      if (text.isStranded()) {
        text.change(edit, 0);
        resubmit();
      } else if (open?.kind === "edit" && textAt(open) === text && text.extend(edit)) {
        open.bytes += 3 * insertedUnits(edit);
      } else {
        enqueue(place, edit);
      }
      notify.text(name, edit, before, source, number);
      return queue.last();
    },
    /** @returns {SavedSession | undefined} What a reload of the page has to know. */
    save() {
      if (!identity || !token || isStale) return undefined;
      const texts = Object.fromEntries([...screens].map(([number, screen]) => [number, screen.save()]));
      return { session: identity, token, last: queue.last(), entries: queue.entries(), texts };
    },
  };
}

/** @type {(input: Pick<Entry, "name" | "screen" | "row">) => string} */
const placeOf = ({ name, screen, row }) => String([name, screen, row]);
