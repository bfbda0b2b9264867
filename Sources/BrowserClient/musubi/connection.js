// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { backoffMs } from "./backoff.js";

/** How long a connection may take to open and to bring its first frame, and a ping to be answered; milliseconds. */
const patience = 10_000;
/** The same for a page that was just looked at again: the person is waiting. */
const impatience = 3_000;
/** A connection that lived so long was a good one: the next retry comes at once. */
const stable = 5_000;
/** A server that has the page come back at once sooner than that contradicts itself. */
const hasty = 1_000;

/**
 * What the connection needs from the world; the browser's window is one.
 *
 * @typedef {object} Environment
 * @property {new (url: string, protocol: string) => WebSocket} WebSocket
 * @property {(run: () => void, ms: number) => any} setTimeout
 * @property {(timer: any) => void} clearTimeout
 * @property {{now: () => number}} performance
 */

/**
 * Learns why a connection ended; `isFinal` says that the page stays away, `hadOpened` whether the handshake succeeded.
 *
 * @typedef {(code: number, reason: string, isFinal: boolean, hadOpened: boolean) => void} Ended
 */

/**
 * Opens a socket, and hears it for as long as it is the current one.
 *
 * @param {Environment} environment
 * @param {string} url
 * @param {(socket: WebSocket) => boolean} isCurrent
 * @param {() => void} opened
 * @param {(frame: Record<string, any>) => void} received
 * @param {(code: number, reason: string) => void} closed
 * @returns {WebSocket}
 */
function openSocket({ WebSocket }, url, isCurrent, opened, received, closed) {
  const socket = new WebSocket(url, "musubi.v1");
  socket.onopen = () => isCurrent(socket) && opened();
  socket.onmessage = ({ data }) => isCurrent(socket) && received(JSON.parse(data));
  socket.onclose = ({ code, reason }) => isCurrent(socket) && closed(code, reason);
  return socket;
}

/** @type {(code: number) => boolean} Whether the server does not want the page to come back. */
const endsForGood = (code) => [1003, 1007, 1009].includes(code) || code >= 4500;

/**
 * Decides when a connection that has ended is tried again.
 *
 * @param {Environment["performance"]} performance
 * @param {() => number} random
 * @returns What to call when a connection has opened; how long to wait when it has ended; and whether it is open.
 */
function createRetries(performance, random) {
  let [attempt, openedAt] = [0, 0];
  const opened = () => void (openedAt = performance.now() || 1);
  const lost = (/** @type {number} */ code, /** @type {string} */ reason) => {
    const life = openedAt && performance.now() - openedAt;
    openedAt = 0;
    // The page returns at once to say again who it is. A server that restarts tells each of its pages when to come back:
    // a number of milliseconds comes first.
    const told = code === 4005 ? 0 : parseInt(reason);
    if (life > stable) attempt = 0;
    // A page that was asked to come back has not failed.
    return told >= (life > hasty ? 0 : 1) ? told : backoffMs(attempt++, random);
  };
  return /** @type {const} */ ([opened, lost, () => openedAt > 0]);
}

/**
 * Keeps one WebSocket open for as long as the server wants the page, and finds out when it is dead.
 *
 * @param {object} options
 * @param {() => object | undefined} options.open Called before each attempt; the frame to send first, if any.
 * @param {(isResuming: boolean) => string} options.url
 * @param {(frame: Record<string, any>) => void} options.receive
 * @param {Ended} options.ended
 * @param {Environment} [environment]
 * @param {() => number} [random]
 */
export function createConnection({ open, url, receive, ended }, environment = window, random = Math.random) {
  const [opened, waitAfter, hasOpened] = createRetries(environment.performance, random);
  /** @type {WebSocket | undefined} */
  let socket;
  let heartbeat = 20_000;
  let isStopped = false;
  /** @type {any} Each moment of a connection has exactly one thing to wait for. */
  let timer;
  const plan = (/** @type {() => void} */ run, /** @type {number} */ ms) => {
    environment.clearTimeout(timer);
    timer = environment.setTimeout(run, ms);
  };
  const send = (/** @type {object} */ frame) => {
    if (socket?.readyState !== 1) return false;
    socket.send(JSON.stringify(frame));
    return true;
  };
  const probe = (/** @type {number} */ ms) => {
    if (send({ ping: 1 })) plan(drop, ms);
  };
  const take = (/** @type {Record<string, any>} */ frame) => {
    if (frame.hello?.heartbeat) heartbeat = 1000 * frame.hello.heartbeat;
    plan(() => probe(patience), heartbeat);
    receive(frame);
  };
  const finish = (/** @type {number} */ code, /** @type {string} */ reason) => {
    const hadOpened = hasOpened();
    const wait = waitAfter(code, reason);
    socket = undefined;
    isStopped ||= endsForGood(code);
    environment.clearTimeout(timer);
    if (!isStopped) plan(connect, wait);
    ended(code, reason, isStopped, hadOpened);
  };
  /** Gives up a connection without its close handshake, which could take minutes if it is a silent one. */
  const drop = (code = 1006, reason = "") => {
    const dead = socket;
    socket = undefined;
    dead?.close();
    finish(code, reason);
  };
  const connect = () => {
    const first = open();
    const greet = () => {
      opened();
      if (first) send(first);
    };
    try {
      socket = openSocket(environment, url(first !== undefined), (one) => one === socket, greet, take, finish);
      plan(drop, patience);
    } catch (error) {
      isStopped = true;
      finish(1006, String(error));
    }
  };
  // `rest` tries no more, until `wake`: the page is looked at again, or the network is back.
  const rest = () => void (socket ?? environment.clearTimeout(timer));
  const wake = () => void (socket ? probe(impatience) : isStopped || connect());
  return { connect, send, drop, rest, wake };
}
