// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { createQueue } from "./queue.js";
import { createScreen } from "./screen.js";

/** @typedef {import("./text-merge.js").Edit} Edit */
/** @typedef {import("./queue.js").Entry} Entry */
/** @typedef {Record<string, import("./texts.js").SavedTexts>} SavedTexts By the screen's number. */
/** @typedef {{session: string, token: string, last: number, entries: Entry[], texts: SavedTexts}} SavedSession */
/** @typedef {{screen: number, name: string, path: string, dialog?: {name: string, value?: any}}} StackEntry */

/**
 * What a session tells the page.
 * @typedef {object} Notify
 * @property {(frame: object) => void} send A frame is to be sent.
 * @property {() => unknown} live The state is the server's and inputs travel.
 * @property {(state: Record<string, any>, screen: number) => void} state The state has changed.
 * @property {(name: string, change: Edit, before: string, source: unknown, screen: number) => void} text A two-way text
 *   has changed.
 * @property {(ack: number) => void} acknowledged Inputs up to this number have taken effect, or never will.
 * @property {(name: string, value: unknown) => void} event
 * @property {(stack: StackEntry[]) => void} screens The stack of screens; empty if it is screen 0 without a dialog.
 * @property {(code: string, message: string) => unknown} problem Something was refused.
 * @property {(save: () => SavedSession | undefined) => unknown} moves The old session is gone; whether the page leaves, too.
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
  let isStale = false;
  /** @type {any} How many turns follow a resume; undefined while a snapshot is to come. */
  let missing;
  /** @type {StackEntry[]} */
  let stack = [];
  /** Whether a page that returns with several screens waits for those that are left. */
  let isWaiting = false;
  /** @type {any} */
  let limits;
  const queue = createQueue({ entries: saved?.entries, last: saved?.last });
  /** @type {Map<number, import("./screen.js").Screen>} */
  const screens = new Map();
  const openScreen = (/** @type {number | undefined} */ number = 0) => {
    const screen = screens.get(number) ?? createScreen(notify, queue, number, saved?.texts[number]);
    screens.set(number, screen);
    screen.texts.limit(limits);
    return screen;
  };
  const first = openScreen();
  for (const number in saved?.texts) openScreen(Number(number));
  /** @type {(place: {name?: string, screen?: number}) => import("./document.js").TextDocument | undefined} */
  const textAt = ({ name = "", screen = 0 }) => screens.get(screen)?.texts.documents.get(name);
  /** @type {(run: (texts: ReturnType<typeof import("./texts.js").createTexts>) => void) => void} */
  const forTexts = (run) => screens.forEach(({ texts }) => run(texts));
  const resubmit = () => forTexts((texts) => texts.resubmit());
  /** @type {(input: number, revision?: number) => void} */
  const claim = (input, revision) => forTexts((texts) => texts.claim(input, revision));
  const refuse = (/** @type {number} */ input) => forTexts((texts) => texts.refuse(input));

  /** @type {(ack: number) => void} Inputs up to here were taken; an edit among them that became nothing was refused. */
  const acknowledge = (ack) => {
    acked = Math.max(acked, ack);
    for (const entry of queue.acknowledge(ack)) {
      // While a snapshot is to come nobody knows what became of an edit: the snapshot has it, or not.
      const isKnown = entry.screen ? isReady : missing !== undefined;
      if (isKnown && entry.kind === "edit" && !textAt(entry)?.pending(entry.input)?.revision) refuse(entry.input);
    }
    notify.acknowledged(ack);
  };

  /** The old session is gone: what was typed goes into the new one, taps are only reported. */
  const handOver = () => {
    const left = queue.restart();
    acked = 0;
    tell([]);
    first.texts.renumber();
    for (const { input, sent, ...entry } of left) if (entry.kind === "typed" && !entry.screen) queue.push(entry);
    notify.acknowledged(Infinity);
    notify.lost(left.filter((entry) => entry.kind === "tap").length);
  };

  const flush = () => {
    if (!isReady) return;
    for (let entry = queue.take(); entry; entry = queue.take()) {
      const { kind, sent, bytes, ...frame } = entry;
      const text = kind === "edit" && textAt(entry);
      notify.send(text ? { ...frame, revision: text.revision(), edits: text.pending(entry.input)?.edit ?? [] } : frame);
    }
  };

  /** Sends what waits, once all is known that was missed. */
  const go = () => {
    if (isReady || isWaiting || missing !== 0) return;
    isReady = true;
    notify.live();
    resubmit();
    flush();
  };

  /** @param {StackEntry[]} next */
  const tell = (next) => {
    stack = next;
    for (const number of screens.keys()) {
      if (number && !stack.some(({ screen }) => screen === number)) screens.delete(number);
    }
    notify.screens(stack);
  };

  /** @type {Record<string, (frame: any) => void>} */
  let handlers = {
    hello({ hello }) {
      // What still comes is for a page that is about to go.
      if (identity && notify.moves(save)) return void (handlers = {});
      if (identity) handOver();
      ({ session: identity, token } = hello);
      forTexts((texts) => texts.limit((limits = hello.limits)));
      isStale = false;
      notify.hello(hello);
      notify.screens(stack);
    },
    resumed({ resumed }) {
      ({ session: identity, token } = resumed);
      missing = resumed.turns;
      for (const [input, revision] of resumed.own ?? []) claim(input, revision);
      acknowledge(resumed.ack);
      notify.hello(resumed);
      // The answer comes behind the stack of screens, if there is one, and the snapshots of the further screens.
      isWaiting = screens.size > 1 || stack.length > 0;
      stack = [];
      if (isWaiting) notify.send({ ping: 0 });
      else notify.screens(stack);
      go();
    },
    pong() {
      if (isWaiting) tell(stack);
      isWaiting = false;
      go();
    },
    screens: ({ screens }) => tell(screens),
    snapshot(frame) {
      const screen = openScreen(frame.screen);
      screen.snapshot(frame, acked);
      if (screen === first) missing = 0;
      go();
    },
    sequence(frame) {
      if (screens.get(frame.screen ?? 0)?.turn(frame) === false) return broken();
      if (!frame.screen && missing) missing -= 1;
      go();
    },
    ack({ ack, revision }) {
      claim(ack, revision);
      acknowledge(ack);
    },
    taken: ({ taken, revision }) => claim(taken, revision),
    error({ error }) {
      refuse(error.input);
      notify.problem(error.code, error.message);
    },
    reload: () => notify.reload(),
  };

  /** @returns {SavedSession | undefined} What a reload of the page has to know. */
  const save = () => {
    if (!identity || !token || isStale) return undefined;
    const texts = Object.fromEntries([...screens].map(([number, screen]) => [number, screen.texts.save()]));
    return { session: identity, token, last: queue.last(), entries: queue.entries(), texts };
  };

  const broken = () => {
    isStale = true;
    notify.broken();
  };

  return {
    flush,
    resubmit,
    identity: () => identity,
    /** @param {string} name The two-way text of this name, once the state is known. */
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
      isReady = isWaiting = false;
      missing = undefined;
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
      const before = textAt({ name, screen: number })?.text() ?? "";
      const limit = screens.get(number)?.texts.edit(name, edit);
      notify.text(name, edit, before, source, number);
      if (limit) notify.problem("too-large", `Too long: at most ${limit} bytes.`);
      return queue.last();
    },
    save,
  };
}

/** @type {(input: Pick<Entry, "name" | "screen" | "row">) => string} */
const placeOf = ({ name, screen, row }) => [name, screen, row].join();
