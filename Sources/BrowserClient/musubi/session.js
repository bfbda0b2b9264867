// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { bytesOf, createQueue } from "./queue.js";
import { createScreen, isOfRow } from "./screen.js";
import { isStranded, sizeOf } from "./text/texts.js";

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
 * A session as its page knows it.
 *
 * @typedef {object} State
 * @property {import("./screen.js").Notify} notify
 * @property {{session?: string, token?: string, visitor?: string}} identity The session's name, the secret to come back with, and
 *   whose it is, as the server said last. Without a token the page cannot come back, because its stream had a gap.
 * @property {import("./queue.js").Queue} queue
 * @property {Map<number, import("./screen.js").Screen>} screensByNumber
 * @property {(number?: number) => import("./screen.js").Screen} openScreen
 * @property {import("./screen.js").StackEntry[]} stack
 * @property {import("./recovery.js").Recovery} [helper] The second file, once it is there.
 * @property {boolean} [isReady] Whether inputs travel.
 * @property {any} [missing] How many turns follow a resume; undefined while a snapshot is to come.
 * @property {boolean} [isWaiting] Whether a page that returns with several screens waits for those that are left.
 * @property {any} [greeting] A new session's first frame, while the server has not answered the hand-over.
 * @property {Record<string, any>[]} held Frames that wait for the second file.
 */

/** @type {(session: State) => import("./text/document.js").Pending[]} The edits that no server's text has yet. */
const pending = ({ screensByNumber }) => [...screensByNumber.values()].flatMap(({ texts }) => texts.pending());

/** @type {(session: State, frame: any) => void} The server has named the session, in `hello` or `resumed`. */
function adopt(session, frame) {
  session.identity = frame;
  session.notify.hello(frame);
}

/**
 * The server has taken one's inputs up to a number.
 *
 * @param {State} session
 * @param {number} ack
 * @param {[input: number, revision?: number][]} [taken] Edits, and the revisions of their texts that they became.
 */
function acknowledge(session, ack, taken = []) {
  for (const [input, revision] of taken) for (const own of pending(session)) if (own.input === input) own.revision = revision;
  session.queue.acknowledge(ack);
  session.notify.acknowledged(ack);
}

/** @type {(session: State) => void} Refused edits get new numbers, if the server is ready and they fit. */
function resubmit(session) {
  if (!pending(session).some(isStranded)) return;
  session.notify.recover((module) => {
    module.resubmit(session.screensByNumber);
    flush(session);
  });
}

/** @type {(session: State) => void} Sends what waits. */
function flush(session) {
  for (let entry; session.isReady && (entry = session.queue.take()); ) {
    const { kind, sent, bytes, key, ...frame } = entry;
    const edit = kind === "edit" && session.screensByNumber.get(entry.screen ?? 0)?.edit(entry);
    // Without a connection what comes next waits, and is joined.
    session.isReady = session.notify.send(edit ? { ...frame, ...edit } : frame);
  }
}

/** @type {(session: State) => void} Sends what waits, once all is known that was missed. */
function goLive(session) {
  if (session.isReady || session.isWaiting || session.missing !== 0) return;
  session.isReady = true;
  session.notify.live();
  resubmit(session);
  flush(session);
}

/** @type {(session: State, stack: import("./screen.js").StackEntry[]) => void} The server has told which screens are open. */
function keepScreens(session, stack) {
  session.stack = stack;
  session.helper?.leave(session);
  session.notify.screens(stack);
}

/** @type {(session: State) => void} Connects again, for a new session. */
function leaveSession({ identity, notify }) {
  identity.token = undefined;
  notify.broken();
}

/** @type {Record<string, (session: State, frame: any) => void>} What a frame from the server does, by its first member. */
const handlers = {
  hello(session, { hello }) {
    session.greeting = hello;
    if (!session.identity.session || !session.helper?.renew(session, hello)) handlers.handedOver(session, {});
  },
  handedOver(session, { handedOver, ack = 0 }) {
    const { identity, helper, queue, greeting } = session;
    queue.acknowledge(ack);
    if (identity.session) helper?.carryOver(session, ack, handedOver);
    Object.assign(queue.limits, greeting.limits);
    adopt(session, greeting);
    session.greeting = undefined;
    keepScreens(session, []);
  },
  resumed(session, { resumed }) {
    const { identity, notify } = session;
    if (identity.visitor && identity.visitor !== resumed.visitor) return leaveSession(session);
    adopt(session, resumed);
    session.missing = resumed.turns;
    acknowledge(session, resumed.ack, resumed.own);
    // The answer comes behind the stack of screens, if there is one, and the snapshots of the further screens.
    session.isWaiting = session.screensByNumber.size > 1 || session.stack.length > 0;
    session.stack = [];
    if (session.isWaiting) notify.send({ ping: 0 });
    else notify.screens([]);
    goLive(session);
  },
  pong(session) {
    if (session.isWaiting) keepScreens(session, session.stack);
    session.isWaiting = false;
    goLive(session);
  },
  screens: (session, { screens, after = 0 }) => keepScreens(session, [...session.stack.slice(0, after), ...screens]),
  snapshot(session, frame) {
    session.openScreen(frame.screen).snapshot(frame, session.queue.acked(), session.helper);
    if (!frame.screen) session.missing = 0;
    goLive(session);
  },
  sequence(session, frame) {
    if (session.screensByNumber.get(frame.screen ?? 0)?.turn(frame, session.helper) === false) return leaveSession(session);
    if (!frame.screen && session.missing) session.missing -= 1;
    goLive(session);
    // A text that was too long may fit now, or wait for nothing on its way any longer.
    if (session.isReady) resubmit(session);
  },
  ack: (session, { ack, revision }) => acknowledge(session, ack, [[ack, revision]]),
  error: (session, { error }) => session.helper?.refuse(session, error),
};

/** @type {(session: State, frame: any) => unknown} Whether the second file has to be there before the frame is heard. */
const needsHelp = (session, { snapshot, error, hello, revisions, edits, screens }) =>
  error || screens || session.isWaiting ||
  (snapshot && pending(session).length) ||
  (hello && session.identity.session) ||
  Object.keys(revisions ?? edits ?? {}).some(isOfRow);

/** @type {(session: State, frame: Record<string, any>) => void} */
function receive(session, frame) {
  const { held, helper, greeting, notify } = session;
  if (held.length || (!helper && needsHelp(session, frame))) {
    if (held.push(frame) > 1) return;
    return notify.recover((module) => {
      session.helper = module;
      for (const next of session.held.splice(0)) receive(session, next);
    });
  }
  if (greeting && !frame.handedOver) return;
  const handle = handlers[Object.keys(frame)[0]];
  if (handle) handle(session, frame);
  else notify.more(frame);
}

/** @type {(session: State) => object | undefined} Returns the first frame of a connection, if the session is to be resumed. */
function open(session) {
  const { identity, queue, openScreen } = session;
  session.missing = session.greeting = undefined;
  session.held = [];
  session.isReady = session.isWaiting = false;
  queue.rewind();
  const { session: name, token } = identity;
  return token ? { resume: { session: name, token, position: openScreen().position() } } : undefined;
}

/** @type {(session: State) => SavedSession | undefined} The values that a reload of the page needs. */
function save({ identity: { session, token, visitor }, queue, screensByNumber }) {
  if (!session || !token) return undefined;
  const record = /** @type {any} */ ({ session, token, visitor, texts: {}, known: {}, ...queue.save() });
  for (const [number, screen] of screensByNumber) {
    record.texts[number] = screen.texts.save();
    record.known[number] = screen.known();
  }
  return record;
}

/**
 * The protocol of Wire.md from the page's side, without socket, clock and document.
 *
 * @param {import("./screen.js").Notify} notify
 * @param {SavedSession} [saved] What the page kept over a reload.
 */
export function createSession(notify, saved) {
  const queue = createQueue(saved ?? {});
  /** @type {Map<number, import("./screen.js").Screen>} */
  const screens = new Map();
  const openScreen = (number = 0) => {
    const screen = screens.get(number) ?? createScreen(notify, queue, number, saved?.texts[number], saved?.known?.[number]);
    screens.set(number, screen);
    return screen;
  };
  for (const number in { 0: 0, ...saved?.texts }) openScreen(Number(number));
  /** @type {State} */
  const session = { notify, queue, screensByNumber: screens, openScreen, identity: saved ?? {}, stack: [], held: [] };
  return {
    queue, openScreen,
    flush: () => flush(session),
    receive: (/** @type {Record<string, any>} */ frame) => receive(session, frame),
    identity: () => session.identity.session,
    /** @type {(name: string, screen?: number) => TextDocument | undefined} */
    text: (name, screen = 0) => screens.get(screen)?.texts.documents.get(name),
    hasState: (screen = 0) => Boolean(screens.get(screen)?.state()),
    open: () => open(session),
    /** @type {(kind: "tap" | "typed" | "close", content: any) => number} Queues an input; with a value the second file does. */
    input(kind, content) {
      if (content.value !== undefined) return session.helper?.[/** @type {"tap"} */ (kind)](queue, content, notify) ?? 0;
      if (kind === "tap" && queue.isFull()) return 0;
      return queue.push({ kind, ...content, bytes: kind === "tap" ? bytesOf(content) : 0 });
    },
    /** @param {import("./recovery.js").Recovery} module The second file is there, and with it what it knows of sessions. */
    help: (module) => (session.helper ??= module),
    /** @type {(text: TextDocument) => number} By how many bytes it is too long to be shared. */
    excess: (text) => (text.save().pending.some(isStranded) ? sizeOf(text.text()) - queue.limits.text : 0),
    /**
     * Queues an edit of a two-way text; `source` knows of it already. Returns the number of its last part, or 0 if it stays here.
     *
     * @type {(key: string, edit: import("./text/edit.js").Edit, source?: unknown, screen?: number) => number}
     */
    edit(key, edit, source, screen = 0) {
      const isSent = screens.get(screen)?.texts.edit(key, edit, source);
      resubmit(session);
      return isSent ? queue.last() : 0;
    },
    save: () => save(session),
  };
}
