// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { screenAddress } from "../../Sources/BrowserClient/musubi/address.js";
import { createConnection } from "../../Sources/BrowserClient/musubi/connection.js";
import { createStore } from "../../Sources/BrowserClient/musubi/store.js";
import { fakeWindow } from "./support/clock.mjs";
import { fakeStorage as storage } from "./support/storage.mjs";

function connected({ first } = {}) {
  const window = fakeWindow();
  const log = { frames: [], endings: [] };
  const connection = createConnection(
    {
      open: () => first,
      url: (isResuming) => `ws://musubi/live/number?edits=1${isResuming ? "&resume=1" : ""}`,
      receive: (frame) => log.frames.push(frame),
      ended: (code, reason, isFinal, hadOpened) => log.endings.push({ code, reason, isFinal, hadOpened }),
    },
    window,
    () => 0.5,
  );
  connection.connect();
  return { window, connection, ...log };
}

test("a page that resumes says so in the address and in its first frame", () => {
  const first = { resume: { session: "s", token: "t", position: ["e", 1] } };
  const { window } = connected({ first });

  window.socket().accept();

  assert.equal(window.socket().url, "ws://musubi/live/number?edits=1&resume=1");
  assert.equal(window.socket().protocol, "musubi.v1");
  assert.deepEqual(window.socket().sent, [first]);
});

test("a lost connection is opened again after a growing wait", () => {
  const { window, endings } = connected();

  for (const wait of [250, 500, 1000, 2000]) {
    window.socket().end();
    const { length } = window.sockets;
    window.advance(wait - 1);
    assert.equal(window.sockets.length, length);
    window.advance(1);
    assert.equal(window.sockets.length, length + 1);
  }
  assert.ok(endings.every(({ isFinal }) => !isFinal));
});

test("a connection that lived for a while starts the waits from the beginning", () => {
  const { window } = connected();
  for (let index = 0; index < 6; index += 1) {
    window.socket().end();
    window.advance(10_000);
  }
  window.socket().accept();
  window.socket().deliver({ hello: { heartbeat: 20 } });
  window.advance(6000);
  window.socket().end();

  const { length } = window.sockets;
  window.advance(250);

  assert.equal(window.sockets.length, length + 1);
});

for (const code of [1003, 1007, 1009, 4501, 4502, 4503]) {
  test(`the page stays away after ${code}`, () => {
    const { window, connection, endings } = connected();
    window.socket().accept();
    window.socket().end(code, "because");

    window.advance(600_000);
    connection.wake();

    assert.equal(window.sockets.length, 1);
    assert.deepEqual(endings, [{ code, reason: "because", isFinal: true, hadOpened: true }]);
    assert.equal(window.timers(), 0);
  });
}

for (const code of [1000, 1001, 1006, 4000, 4001, 4002, 4003]) {
  test(`the page comes back after ${code}`, () => {
    const { window } = connected();
    window.socket().accept();
    window.socket().end(code);

    window.advance(1000);

    assert.equal(window.sockets.length, 2);
  });
}

test("a server that restarts says when the page may come back", () => {
  const { window } = connected();
  window.socket().accept();
  window.socket().end(4002, "2350 ms, then come back: the server restarts");

  window.advance(2349);
  assert.equal(window.sockets.length, 1);
  window.advance(1);

  assert.equal(window.sockets.length, 2);
});

test("a page that was asked to come back, however often, has not failed: a lost connection is tried again soon", () => {
  const { window } = connected();
  for (let moves = 0; moves < 6; moves += 1) {
    window.socket().accept();
    window.advance(500);
    window.socket().end(4002, "100 ms, then come back: the room has moved");
    window.advance(100);
  }
  const { length } = window.sockets;
  window.socket().accept();
  window.advance(500);
  window.socket().end(1006);

  window.advance(500);

  assert.equal(window.sockets.length, length + 1);
});

test("a server that wants the page back at once has it at once, but not again and again", () => {
  const { window } = connected();
  window.socket().accept();
  window.advance(2000);
  window.socket().end(4002, "0 ms, then come back: the server restarts");
  window.advance(0);
  assert.equal(window.sockets.length, 2);

  window.socket().accept();
  window.socket().end(4002, "0 ms, then come back: the server restarts");
  window.advance(0);

  assert.equal(window.sockets.length, 2, "it has just come back");
});

for (const heartbeat of [5, 20, 45]) {
  test(`a server that is silent for its ${heartbeat} seconds is asked, and given up if it does not answer`, () => {
    const { window, endings } = connected();
    window.socket().accept();
    window.socket().deliver({ hello: { heartbeat } });

    window.advance(1000 * heartbeat - 1);
    assert.deepEqual(window.socket().sent, []);
    window.advance(1);
    assert.deepEqual(window.socket().sent, [{ ping: 1 }]);
    window.advance(9_999);
    assert.equal(endings.length, 0);
    window.advance(1);

    assert.equal(endings[0].code, 1006);
    assert.ok(window.sockets[0].isClosed);
  });
}

test("a server that answers is kept", () => {
  const { window, endings } = connected();
  window.socket().accept();
  window.socket().deliver({ hello: { heartbeat: 20 } });

  for (let index = 0; index < 10; index += 1) {
    window.advance(20_000);
    window.socket().deliver({ pong: 1 });
  }

  assert.equal(endings.length, 0);
  assert.equal(window.sockets.length, 1);
});

test("a handshake that hangs is given up", () => {
  const { window } = connected();

  window.advance(11_000);

  assert.ok(window.sockets[0].isClosed);
  assert.equal(window.sockets.length, 2);
});

test("a page that is looked at again does not wait for its turn", () => {
  const { window, connection } = connected();
  for (let index = 0; index < 6; index += 1) {
    window.socket().end();
    if (index < 5) window.advance(10_000);
  }
  const { length } = window.sockets;

  connection.wake();

  assert.equal(window.sockets.length, length + 1);
  window.advance(100);
  assert.equal(window.sockets.length, length + 1, "and the planned attempt is off");
});

test("a connection that died while the page slept is found within seconds", () => {
  const { window, connection, endings } = connected();
  window.socket().accept();
  window.socket().deliver({ hello: { heartbeat: 20 } });

  connection.wake();
  window.advance(3_000);

  assert.equal(endings.length, 1);
});

test("a socket that was given up is not listened to any more", () => {
  const { window, frames } = connected();
  const old = window.socket();
  old.accept();
  window.advance(30_000);

  old.deliver({ snapshot: {} });
  old.end(4502);

  assert.deepEqual(frames, []);
  assert.ok(window.sockets.length > 1);
});

test("the first segment of the path names the screen, unless the page does", () => {
  const at = (href, names = {}) => screenAddress({ href, ...names })(false);

  assert.equal(at("http://h:1/number"), "ws://h:1/live/number?edits=1&path=%2Fnumber&resume=0");
  assert.equal(at("http://h/number.html"), "ws://h/live/number?edits=1&path=%2Fnumber.html&resume=0");
  assert.equal(at("http://h/contents/7"), "ws://h/live/contents?edits=1&path=%2Fcontents%2F7&resume=0");
  assert.equal(
    at("http://h/a", { screen: "number", server: "wss://m:2/" }), "wss://m:2/live/number?edits=1&path=%2Fa&resume=0");
});

test("the parameters of the page's present address go along, but for those that are Musubi's own", () => {
  const shown = { href: "https://h/a?room=x%20y&word=%E9%9B%AA&path=/b&resume=1&edits=0#place" };
  const address = screenAddress(shown);
  assert.equal(address(true), "wss://h/live/a?room=x+y&word=%E9%9B%AA&path=%2Fa&resume=1&edits=1");

  shown.href = "https://h/a?room=&word=%26";

  assert.equal(address(), "wss://h/live/a?word=%26&edits=1&path=%2Fa&resume=0");
});

test("a session is handed to the page that comes next in the tab, and to nobody else", () => {
  const [tab, shared] = [storage(), storage()];
  const first = createStore(tab, shared);
  assert.equal(first.take("k"), undefined);
  first.leave("k", { session: "s" });

  assert.equal(createStore(tab, shared).take("k").session, "s");
  assert.equal(createStore(tab, shared).take("k"), undefined, "a duplicate of the living tab finds nothing");
});

test("of a hidden tab and its duplicate, the first that is looked at has the session", () => {
  for (const isDuplicateFirst of [true, false]) {
    const [tab, shared] = [storage(), storage()];
    const hidden = createStore(tab, shared);
    hidden.take("k");
    hidden.leave("k", { session: "s" });
    const duplicate = createStore(storage(tab), shared);

    const [one, other] = isDuplicateFirst ? [duplicate, hidden] : [hidden, duplicate];
    assert.equal(one.take("k").session, "s");
    assert.equal(hidden.isTaken(), isDuplicateFirst);
    assert.equal(other.take("k"), undefined);

    hidden.leave("k", { session: "s" });
    assert.equal(hidden.isTaken(), false);
    assert.equal(createStore(tab, shared).take("k").session, "s", "and may leave it again");
  }
});

test("what many tabs have taken is not remembered for ever", () => {
  const [tab, shared] = [storage(), storage()];
  for (let round = 0; round < 1000; round += 1) {
    const store = createStore(tab, shared);
    store.take("k");
    store.leave("k", { session: "s" });
  }
  assert.ok(shared.getItem("musubi").length <= 4000);
});

test("a page without storage works, and forgets", () => {
  const forbidden = {
    getItem: () => {
      throw new Error("forbidden");
    },
  };
  const store = createStore(forbidden);
  store.leave("k", { session: "s" });

  assert.equal(store.take("k"), undefined);
});
