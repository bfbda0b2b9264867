// SPDX-License-Identifier: Apache-2.0

/** A window without a browser: time that moves by hand, and sockets that remember sent frames. */
export function fakeWindow() {
  let now = 1000;
  let count = 0;
  const timers = new Map();
  const sockets = [];
  class FakeSocket {
    constructor(url, protocol) {
      Object.assign(this, { url, protocol, readyState: 0, sent: [], isClosed: false });
      sockets.push(this);
    }
    send(text) {
      this.sent.push(JSON.parse(text));
    }
    close() {
      this.isClosed = true;
      this.readyState = 3;
    }
    /** The handshake succeeds. */
    accept() {
      this.readyState = 1;
      this.onopen?.({});
    }
    deliver(frame) {
      this.onmessage?.({ data: JSON.stringify(frame) });
    }
    /** The other side, or the network, ends it. */
    end(code = 1006, reason = "") {
      this.readyState = 3;
      this.onclose?.({ code, reason });
    }
  }
  return {
    WebSocket: FakeSocket,
    performance: { now: () => now },
    setTimeout(run, ms = 0) {
      timers.set((count += 1), { run, at: now + ms });
      return count;
    },
    clearTimeout: (timer) => void timers.delete(timer),
    sockets,
    timers: () => timers.size,
    /** The newest socket. */
    socket: () => sockets[sockets.length - 1],
    /** Lets time pass; everything due runs at its moment. */
    advance(ms) {
      const end = now + ms;
      for (;;) {
        const due = [...timers].filter(([, { at }]) => at <= end).sort((a, b) => a[1].at - b[1].at)[0];
        if (!due) break;
        timers.delete(due[0]);
        now = Math.max(now, due[1].at);
        due[1].run();
      }
      now = end;
    },
  };
}
