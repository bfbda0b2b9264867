// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { createQueue } from "./queue.js";
import { createScreen } from "./screen.js";
import { isStranded } from "./texts.js";

/** @typedef {import("./text-merge.js").Edit} Edit */
/** @typedef {import("./queue.js").Entry} Entry */
/** @typedef {Record<string, import("./texts.js").SavedTexts>} SavedTexts By the screen's number. */
/**
 * @typedef {{session: string, token: string, author?: string, epoch?: string, last: number, entries: Entry[], texts: SavedTexts}}
 *   SavedSession
 */

/**
 * The protocol of Wire.md from the page's side, without socket, clock and document.
 * @param {import("./screen.js").Notify} notify
 * @param {SavedSession} [saved] What the page kept over a reload.
 */
export function createSession(notify, saved) {
  let identity = saved?.session;
  /** Without one the page cannot come back, because its stream had a gap. */
  let token = saved?.token;
  /** Which session names the page among those who edit texts: the first of those whose texts were handed on. */
  let author = saved?.author;
  let acked = 0;
  let isReady = false;
  /** @type {any} How many turns follow a resume; undefined while a snapshot is to come. */
  let missing;
  /** @type {import("./screen.js").StackEntry[]} */
  let stack = [];
  /** Whether a page that returns with several screens waits for those that are left. */
  let isWaiting = false;
  /** Whether the page tells a new session the texts that the old one had. */
  let isRestoring = false;
  /** @type {import("./recovery.js").Recovery | undefined} */
  let recovery;
  /** @type {Record<string, any>[] | undefined} Frames that wait for it. */
  let held;
  const queue = createQueue({ entries: saved?.entries, last: saved?.last });
  /** @type {Map<number, import("./screen.js").Screen>} */
  const screens = new Map();
  const openScreen = (/** @type {number | undefined} */ number = 0) => {
    const screen = screens.get(number) ?? createScreen(notify, queue, number, saved?.texts[number]);
    screens.set(number, screen);
    return screen;
  };
  const first = openScreen();
  for (const number in saved?.texts) openScreen(Number(number));
  /** @param {{name?: string, screen?: number}} place */
  const textAt = ({ name = "", screen = 0 }) => screens.get(screen)?.texts.documents.get(name);
  /** @type {(run: (texts: import("./texts.js").Texts) => void) => void} */
  const forTexts = (run) => screens.forEach(({ texts }) => run(texts));
  /** The stream that the first screen's texts come from. */
  let epoch = saved?.epoch;
  const pending = () => [...screens.values()].flatMap(({ texts }) => texts.pending());
  /** @type {(step: [input: number, revision?: number]) => void} An own edit became this revision. */
  const claim = ([input, revision]) => {
    for (const own of pending()) if (own.input === input) own.revision = revision;
  };

  /** @type {(ack: number) => void} Inputs up to here were taken, or refused. */
  const acknowledge = (ack) => {
    acked = ack;
    queue.forget((entry) => entry.input <= ack);
    notify.acknowledged(ack);
  };

  /** Gives what was refused new numbers, unless the server is not ready for it or it still does not fit. */
  const resubmit = () =>
    pending().some(isStranded) && notify.recover((module) => (forTexts((texts) => module.resubmit(texts, queue)), flush()));

  const flush = () => {
    for (let entry; isReady && (entry = queue.take()); ) {
      const { kind, sent, bytes, ...frame } = entry;
      const text = kind === "edit" && textAt(entry)?.save();
      const own = text && text.pending.find(({ input }) => input === frame.input);
      // Without a connection what comes next waits, and is joined.
      isReady = notify.send(text ? { ...frame, revision: text.revision, edits: own ? own.edit : [] } : frame);
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

  /** @param {import("./screen.js").StackEntry[]} next */
  const tell = (next) => {
    stack = next;
    for (const number of screens.keys()) {
      if (number && !stack.some(({ screen }) => screen === number)) screens.delete(number);
    }
    notify.screens(stack);
  };

  /** @type {Record<string, ((frame: any) => void) | undefined>} */
  let handlers = {
    hello({ hello }) {
      // What still comes is for a page that is about to go.
      if (identity && notify.moves()) return void (handlers = {});
      if (token && !isRestoring && first.texts.documents.size) {
        isRestoring = true;
        return recovery?.restore(first.texts, queue, epoch, (author ??= identity), notify.send);
      }
      isRestoring = false;
      if (identity) {
        // What was typed goes into the new session, taps are only reported.
        acked = 0;
        tell([]);
        notify.acknowledged(Infinity);
        notify.lost(recovery?.handOver(first.texts, queue, hello.restored));
      }
      ({ session: identity, token } = hello);
      queue.mostTextBytes = hello.limits?.text ?? queue.mostTextBytes;
      notify.hello(hello);
      notify.screens(stack);
    },
    resumed({ resumed }) {
      ({ session: identity, token } = resumed);
      missing = resumed.turns;
      resumed.own?.forEach(claim);
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
      screen.snapshot(frame, acked, recovery);
      if (screen === first) [missing, epoch] = [0, frame.epoch];
      go();
    },
    sequence(frame) {
      if (screens.get(frame.screen ?? 0)?.turn(frame) === false) {
        token = undefined;
        return notify.broken();
      }
      if (!frame.screen && missing) missing -= 1;
      go();
    },
    ack({ ack, revision }) {
      claim([ack, revision]);
      acknowledge(ack);
    },
    error({ error }) {
      forTexts((texts) => recovery?.refuse(texts, queue, error.input));
      notify.problem(error.code, error.message);
    },
    reload: () => notify.reload(),
  };

  /** @returns {SavedSession | undefined} What a reload of the page has to know. */
  const save = () => {
    if (!identity || !token) return;
    const texts = Object.fromEntries([...screens].map(([number, screen]) => [number, screen.texts.save()]));
    return { session: identity, token, author, epoch, last: queue.last(), entries: queue.entries(), texts };
  };

  /** @param {Record<string, any>} frame A frame from the server. */
  const receive = (frame) => {
    if (held) return void held.push(frame);
    if (!recovery && (frame.snapshot ? pending().length : frame.error || (frame.hello && identity))) {
      const frames = (held = [frame]);
      return notify.recover((module) => {
        recovery = module;
        if (held !== frames) return;
        held = undefined;
        frames.forEach(receive);
      });
    }
    if (!isRestoring || frame.hello) handlers[Object.keys(frame)[0]]?.(frame);
  };

  return {
    flush,
    receive,
    identity: () => identity,
    /** @type {(name: string, screen?: number) => import("./document.js").TextDocument | undefined} */
    text: (name, screen) => textAt({ name, screen }),
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
      isReady = isWaiting = isRestoring = false;
      missing = held = undefined;
      queue.rewind();
      return token ? { resume: { session: identity, token, position: first.position() } } : undefined;
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
      return queue.push({ kind, ...content, bytes: 64 + JSON.stringify(content).length });
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
      const limit = screens.get(number)?.texts.edit(name, edit, source);
      resubmit();
      if (limit) notify.problem("too-large", limit);
      return queue.last();
    },
    save,
  };
}

/** @type {(input: Pick<Entry, "name" | "screen" | "row">) => string} */
const placeOf = ({ name, screen, row }) => [name, screen, row].join();
