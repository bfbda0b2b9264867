// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { bytesOf, createQueue } from "./queue.js";
import { createScreen, isOfRow } from "./screen.js";
import { isStranded, sizeOf } from "./text/texts.js";
import { inherits } from "./visitor.js";

/** @typedef {import("./text/document.js").TextDocument} TextDocument */
/** @typedef {import("./queue.js").Contents} Contents */

/**
 * What a page keeps of a session over a reload; texts and places in the stream by the screen's number.
 *
 * @typedef {{session: string, token: string, visitor?: string, last: number, entries: import("./queue.js").Entry[],
 *   limits?: {frame: number, text: number}, unsent?: Contents, chosen?: Contents,
 *   texts: Record<string, import("./text/texts.js").SavedTexts>,
 *   known?: Record<string, import("./screen.js").Known | undefined>}} SavedSession
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
  /** Whose session it is, and whatever the page shows and keeps. */
  let visitor = saved?.visitor;
  let isReady = false;
  /** @type {any} How many turns follow a resume; undefined while a snapshot is to come. */
  let missing;
  /** @type {import("./screen.js").StackEntry[]} */
  let stack = [];
  /** Whether a page that returns with several screens waits for those that are left. */
  let isWaiting = false;
  /** @type {any} A new session's first frame, while the server has not answered the hand-over. */
  let greeting;
  /** @type {import("./recovery.js").Recovery | undefined} */
  let recovery;
  /** @type {Record<string, any>[] | undefined} Frames that wait for it. */
  let held;
  const queue = createQueue(saved ?? {});
  /** @type {Map<number, import("./screen.js").Screen>} */
  const screens = new Map();
  const openScreen = (/** @type {number | undefined} */ number = 0) => {
    const screen = screens.get(number) ?? createScreen(notify, queue, number, saved?.texts[number], saved?.known?.[number]);
    screens.set(number, screen);
    return screen;
  };
  const first = openScreen();
  for (const number in saved?.texts) openScreen(Number(number));
  const pending = () => [...screens.values()].flatMap(({ texts }) => texts.pending());
  const claim = (/** @type {[input: number, revision?: number]} */ [input, revision]) => {
    for (const own of pending()) if (own.input === input) own.revision = revision;
  };

  /** @type {(frame: any) => void} The server has named the session, in `hello` or `resumed`. */
  const adopt = (frame) => {
    ({ session: identity, token, visitor } = frame);
    notify.hello(frame);
  };

  /** @type {(ack: number) => void} */
  const acknowledge = (ack) => {
    queue.acknowledge(ack);
    notify.acknowledged(ack);
  };

  /** Refused edits get new numbers, if the server is ready and they fit. */
  const resubmit = () => {
    if (!pending().some(isStranded)) return;
    notify.recover((module) => {
      module.resubmit(screens);
      flush();
    });
  };

  const flush = () => {
    for (let entry; isReady && (entry = queue.take()); ) {
      const { kind, sent, bytes, key, ...frame } = entry;
      const edit = kind === "edit" && screens.get(entry.screen ?? 0)?.edit(entry);
      // Without a connection what comes next waits, and is joined.
      isReady = notify.send(edit ? { ...frame, ...edit } : frame);
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

  /** Connects again, for a new session. */
  const begin = () => {
    token = undefined;
    notify.broken();
  };

  /** @type {Record<string, (frame: any) => void>} */
  const handlers = {
    hello({ hello }) {
      greeting = hello;
      const leave = inherits(hello.visitor, visitor) ? notify.moves : notify.changed;
      // The page is about to go.
      if (identity && leave(hello.visitor)) return;
      // If the connection is lost before the answer, the next one asks for the old session again.
      if (!token || !recovery?.handOver(first, queue, hello, notify.send)) handlers.handedOver({});
    },
    handedOver({ handedOver, ack = 0 }) {
      queue.acknowledge(ack);
      if (identity) {
        // Typed text goes into the new session, taps are only reported.
        notify.acknowledged(Infinity);
        notify.lost(recovery?.carryOver(first.texts, queue, ack, handedOver));
      }
      Object.assign(queue.limits, greeting.limits);
      adopt(greeting);
      greeting = undefined;
      tell([]);
    },
    resumed({ resumed }) {
      if (visitor && visitor !== resumed.visitor) return begin();
      adopt(resumed);
      missing = resumed.turns;
      resumed.own?.forEach(claim);
      acknowledge(resumed.ack);
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
    screens: ({ screens, after = 0 }) => tell([...stack.slice(0, after), ...screens]),
    snapshot(frame) {
      openScreen(frame.screen).snapshot(frame, queue.acked(), recovery);
      if (!frame.screen) missing = 0;
      go();
    },
    sequence(frame) {
      if (screens.get(frame.screen ?? 0)?.turn(frame, recovery) === false) return begin();
      if (!frame.screen && missing) missing -= 1;
      go();
      // A text that was too long may fit now, or wait for nothing on its way any longer.
      if (isReady) resubmit();
    },
    ack({ ack, revision }) {
      claim([ack, revision]);
      acknowledge(ack);
    },
    error({ error }) {
      if (!recovery?.refuse(screens, queue, error)) notify.problem(error.code, error.message);
    },
  };

  /** @returns {SavedSession | undefined} The values that a reload of the page needs. */
  const save = () => {
    if (!identity || !token) return undefined;
    const record = /** @type {any} */ ({ session: identity, token, visitor, texts: {}, known: {}, ...queue.save() });
    for (const [number, screen] of screens) {
      [record.texts[number], record.known[number]] = [screen.texts.save(), screen.known()];
    }
    return record;
  };

  /** @param {Record<string, any>} frame A frame from the server. */
  const receive = (frame) => {
    if (held) return void held.push(frame);
    const needsHelp = () => (frame.snapshot ? pending().length : frame.error || (frame.hello && identity));
    if (!recovery && (needsHelp() || Object.keys(frame.revisions ?? frame.edits ?? {}).some(isOfRow))) {
      const frames = (held = [frame]);
      return notify.recover((module) => {
        recovery = module;
        if (held !== frames) return;
        held = undefined;
        frames.forEach(receive);
      });
    }
    if (!greeting || frame.handedOver) (handlers[Object.keys(frame)[0]] ?? notify.more)(frame);
  };

  return {
    flush,
    receive,
    identity: () => identity,
    /** @type {(name: string, screen?: number) => TextDocument | undefined} */
    text: (name, screen = 0) => screens.get(screen)?.texts.documents.get(name),
    openScreen,
    queue,
    hasState: (screen = 0) => Boolean(screens.get(screen)?.state()),
    /** @returns {object | undefined} The frame to send first on a new connection, if the session is to be resumed. */
    open() {
      missing = held = greeting = undefined;
      isReady = isWaiting = false;
      queue.rewind();
      return token ? { resume: { session: identity, token, position: first.position() } } : undefined;
    },
    /** @type {(kind: "tap" | "typed" | "close", content: any) => number} Queues an input; `flush` sends it. */
    input(kind, content) {
      if (kind === "typed") return recovery?.queueValue(queue, content) ?? 0;
      if (kind === "tap" && queue.isFull()) return 0;
      return queue.push({ kind, ...content, bytes: bytesOf(content) });
    },
    /** @param {import("./recovery.js").Recovery} module The second file is there, and with it what it knows of sessions. */
    help: (module) => void (recovery ??= module),
    /** @type {(text: TextDocument) => number} By how many bytes it is too long to be shared. */
    excess: (text) => (text.save().pending.some(isStranded) ? sizeOf(text.text()) - queue.limits.text : 0),
    /**
     * Queues an edit of a two-way text; `flush` sends it.
     *
     * @param {string} name
     * @param {import("./text/edit.js").Edit} edit
     * @param {unknown} [source] Who knows already.
     * @param {number} [number] The screen.
     * @returns {number} The number of its last part, or 0 if it is not sent.
     */
    edit(name, edit, source, number = 0) {
      const isSent = screens.get(number)?.texts.edit(name, edit, source);
      resubmit();
      return isSent ? queue.last() : 0;
    },
    save,
  };
}
