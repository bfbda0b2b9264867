// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { backoffMs } from "./backoff.js";

/** How long a connection may take to open and to bring its first frame, and a ping to be answered; milliseconds. */
const patience = 10_000;
/** The same for a page that was just looked at again: the person is waiting. */
const impatience = 3_000;
/** A connection that lived so long was a good one: the next retry comes at once. */
const stable = 5_000;
/** A server that has the page identify itself sooner than that contradicts itself. */
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
 * Why a connection ended; `isFinal` says that the page stays away, `hadOpened` whether the handshake succeeded.
 *
 * @typedef {{code: number, reason: string, isFinal: boolean, hadOpened: boolean}} Ending
 */

/**
 * Keeps one WebSocket open for as long as the server wants the page, and finds out when it is dead.
 *
 * @param {object} options
 * @param {() => object | undefined} options.open Called before each attempt; the frame to send first, if any.
 * @param {(isResuming: boolean) => string} options.url
 * @param {(frame: Record<string, any>) => void} options.receive
 * @param {(ending: Ending) => void} options.ended
 * @param {Environment} [environment]
 * @param {() => number} [random]
 */
export function createConnection({ open, url, receive, ended }, environment = window, random = Math.random) {
  const { performance } = environment;
  /** @type {WebSocket | undefined} */
  let socket;
  let heartbeat = 20_000;
  let attempt = 0;
  let openedAt = 0;
  let isStopped = false;
  /** @type {any} */
  let timer;

  /**
   * Replaces the one timer: each moment of a connection has exactly one thing to wait for.
   *
   * @param {() => void} run
   * @param {number} ms
   */
  const plan = (run, ms) => {
    environment.clearTimeout(timer);
    timer = environment.setTimeout(run, ms);
  };

  /** @param {object} frame */
  const send = (frame) => {
    if (socket?.readyState !== 1) return false;
    socket.send(JSON.stringify(frame));
    return true;
  };

  /** @param {number} ms How long to wait for any sign of life. */
  const probe = (ms) => {
    if (send({ ping: 1 })) plan(drop, ms);
  };

  /**
   * @param {number} code
   * @param {string} reason
   */
  const finish = (code, reason) => {
    const hadOpened = openedAt > 0;
    const life = hadOpened ? performance.now() - openedAt : 0;
    if (life > stable) attempt = 0;
    socket = undefined;
    openedAt = 0;
    isStopped ||= /^(100[379]|4[5-9]..)$/.test(String(code));
    environment.clearTimeout(timer);
    // The page returns at once to say again who it is. A server that restarts tells each of its pages when to come back: a
    // number of milliseconds comes first.
    const wait = code === 4005 && life > hasty ? 0 : parseInt(reason) || backoffMs(attempt, random);
    if (!isStopped) plan(connect, wait);
    attempt += 1;
    ended({ code, reason, isFinal: isStopped, hadOpened });
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
    /** @type {WebSocket} */
    let current;
    try {
      current = socket = new environment.WebSocket(url(first !== undefined), "musubi.v1");
    } catch (error) {
      isStopped = true;
      return finish(1006, String(error));
    }
    plan(drop, patience);
    current.onopen = () => {
      if (socket !== current) return;
      openedAt = performance.now() || 1;
      if (first) send(first);
    };
    current.onmessage = ({ data }) => {
      if (socket !== current) return;
      const frame = JSON.parse(data);
      if (frame.hello?.heartbeat) heartbeat = 1000 * frame.hello.heartbeat;
      plan(() => probe(patience), heartbeat);
      receive(frame);
    };
    current.onclose = ({ code, reason }) => {
      if (socket === current) finish(code, reason);
    };
  };

  return {
    connect,
    send,
    drop,
    /** Tries no more, until `wake`. */
    rest() {
      if (!socket) environment.clearTimeout(timer);
    },
    /** The page is looked at again, or the network is back: find out at once how things stand. */
    wake() {
      if (isStopped) return;
      if (!socket) connect();
      else probe(impatience);
    },
  };
}
