// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { ago, createMeter, linesOf } from "../../Sources/BrowserClient/musubi/musubi-connection.js";
import { sentence } from "../../Sources/BrowserClient/musubi/words.js";

/** A session, its connection and a clock, all by hand. */
function line({ link = "live" } = {}) {
  const world = { link, now: 1000, sent: [], heard: [], changes: 0 };
  const session = { receive: (frame) => world.heard.push(frame), queue: { changes: () => world.changes } };
  const host = { session, status: { link: () => world.link }, connection: { send: (frame) => world.sent.push(frame) } };
  const meter = createMeter(host, { now: () => world.now });
  return { world, meter, receive: (frame) => session.receive(frame) };
}

test("the round trip is the time from a ping to its own answer", () => {
  const { world, meter, receive } = line();
  meter.measure();
  const [{ ping }] = world.sent;
  assert.ok(ping > 1, "the connection's own pings are 0 and 1");

  world.now += 40;
  receive({ pong: 1 });
  assert.equal(meter.read().roundTrip, undefined);
  receive({ pong: ping });
  world.now += 5;
  receive({ pong: ping });

  assert.equal(meter.read().roundTrip, 40);
  assert.deepEqual(world.heard, [{ pong: 1 }, { pong: ping }, { pong: ping }], "the session hears every frame");
});

test("there is one question at a time, and one without an answer is given up", () => {
  const { world, meter, receive } = line();
  meter.measure();
  meter.measure();
  assert.equal(world.sent.length, 1);
  world.now += 11_000;
  assert.equal(meter.read().roundTrip, undefined);
  meter.measure();
  assert.equal(world.sent.length, 2);
  world.now += 30;

  receive({ pong: world.sent[0].ping });
  assert.equal(meter.read().roundTrip, undefined, "the late answer is of the first question");
  receive({ pong: world.sent[1].ping });

  assert.equal(meter.read().roundTrip, 30);
});

test("a page that is not live asks nothing, shows no old round trip, and tells since when it has heard nothing", () => {
  const { world, meter, receive } = line();
  meter.measure();
  receive({ pong: world.sent[0].ping });
  world.link = "offline";
  world.now += 61_000;
  world.changes = 2;

  meter.measure();

  assert.equal(world.sent.length, 1);
  assert.deepEqual(meter.read(), { roundTrip: undefined, sinceHeard: 61_000, waiting: 2 });
  world.link = "live";
  meter.measure();
  assert.equal(world.sent.length, 2);
});

test("a page that was never live has heard nothing yet", () => {
  assert.equal(line({ link: "connecting" }).meter.read().sinceHeard, undefined);
});

test("the panel's words are the client's in the page's language, or the page's own", async () => {
  const { words } = await import("../../Sources/BrowserClient/musubi/words.js");
  globalThis.document = { querySelectorAll: () => [] };
  const { begin } = await import("../../Sources/BrowserClient/musubi/musubi-connection.js");
  begin(undefined, [], words, {}, { session: {}, status: { link: () => "connecting" } });
  const own = { getAttribute: (name) => (name === "data-say-changes-one-de" ? "Eine Änderung" : null) };
  const say = (lang) => (name, count) => sentence(own, lang, name, count);

  assert.deepEqual(linesOf({ roundTrip: 12.4, sinceHeard: 3_100, waiting: 0 }, say("en"), "en"), [
    ["Round trip", "12 ms"], ["Last synchronisation", "3 seconds ago"], ["Waiting to be sent", "Nothing"],
  ]);
  assert.deepEqual(linesOf({ waiting: 1 }, say("en"), "en").map(([, value]) => value), ["No answer", "Not yet", "1 change"]);
  assert.deepEqual(linesOf({ roundTrip: 1200, sinceHeard: 130_000, waiting: 3 }, say("ja"), "ja"), [
    ["往復時間", "1,200ミリ秒"], ["最後の同期", "2 分前"], ["送信待ち", "3件"],
  ]);
  assert.equal(linesOf({ waiting: 1 }, say("de"), "de")[2][1], "Eine Änderung");
  assert.equal(ago(900, "en"), "now");
});
