// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { isElsewhere } from "../../Sources/BrowserClient/musubi/outlets/file.js";
import { problem } from "../../Sources/BrowserClient/musubi/upload/desk.js";
import { end, Refusal, send, tokenOf } from "../../Sources/BrowserClient/musubi/upload/tus.js";
import { sentences } from "../../Sources/BrowserClient/musubi/upload/words.js";
import { browser } from "../../Sources/BrowserClient/musubi/upload/world.js";
import { sentence, words } from "../../Sources/BrowserClient/musubi/words.js";

const place = { to: "/musubi/uploads/grant", bytes: 65_536, types: ["image/*", "application/pdf"] };

/** A server that keeps bytes, and fails as the test says; `answers` are the codes of its next answers, 0 for none. */
function createServer(answers = []) {
  const server = { bytes: [], asked: [], pauses: [], answers, isThere: false, part: Infinity };
  const fields = (values) => (name) => values[name] ?? null;
  server.world = {
    async request(method, url, sent, body, progress) {
      server.asked.push(`${method} ${url} ${sent["Upload-Offset"] ?? ""}`.trim());
      const code = server.answers.shift() ?? 200;
      const bytes = body ? [...new Uint8Array(await body.arrayBuffer())] : [];
      if (code !== 200 && code !== "cut") return { code, field: fields({}) };
      if (method === "POST") {
        server.isThere = true;
        server.metadata = sent["Upload-Metadata"];
        return { code: 201, field: fields({ Location: "/musubi/uploads/token" }) };
      }
      if (!server.isThere) return { code: 404, field: fields({}) };
      const offset = () => fields({ "Upload-Offset": String(server.bytes.length) });
      if (method === "HEAD") return { code: 200, field: offset() };
      if (method === "DELETE") return { code: 204, field: fields({}) };
      if (Number(sent["Upload-Offset"]) !== server.bytes.length) return { code: 409, field: fields({}) };
      server.bytes.push(...(code === "cut" ? bytes.slice(0, 2) : bytes));
      progress(bytes.length);
      return code === "cut" ? { code: 0, field: fields({}) } : { code: 204, field: offset() };
    },
    async pause(ms) {
      server.pauses.push(ms);
    },
  };
  return server;
}

/** A file on its way, and what is told of it. */
function createJob(bytes = [1, 2, 3, 4, 5]) {
  const job = { file: new Blob([new Uint8Array(bytes)]), name: "tea 茶.png", size: bytes.length, offset: 0 };
  const told = [];
  let renewals = 0;
  const listener = {
    address: () => place.to + (renewals || ""),
    reconnect: () => void (renewals += 1),
    changed: (isOnline) => told.push(isOnline ? job.offset : "offline"),
  };
  return { job, listener, told };
}

const run = ({ job, listener }, { world }, signal = new AbortController().signal) => send(job, listener, world, signal);

test("a file begins, arrives, and has a name", async () => {
  const [server, sent] = [createServer(), createJob()];
  await run(sent, server);

  assert.deepEqual(server.asked, ["POST /musubi/uploads/grant", "PATCH /musubi/uploads/token 0"]);
  assert.deepEqual(server.bytes, [1, 2, 3, 4, 5]);
  assert.equal(server.metadata, `filename ${Buffer.from("tea 茶.png").toString("base64")}`);
  assert.equal(tokenOf(sent.job.place), "token");
});

test("after a cut the server says where to go on, after longer and longer pauses", async () => {
  const [server, sent] = [createServer([200, "cut", 0, 503, 200, 0, 200]), createJob()];
  await run(sent, server);

  assert.deepEqual(server.bytes, [1, 2, 3, 4, 5]);
  assert.deepEqual(server.asked.slice(1), [
    "PATCH /musubi/uploads/token 0", "HEAD /musubi/uploads/token", "HEAD /musubi/uploads/token", "HEAD /musubi/uploads/token",
    "PATCH /musubi/uploads/token 2", "HEAD /musubi/uploads/token", "PATCH /musubi/uploads/token 2",
  ]);
  assert.deepEqual(server.pauses, [1_000, 2_000, 4_000, 1_000]);
  assert.ok(sent.told.includes("offline") && sent.told.at(-1) === 5);
});

test("bytes that another request has written are not sent twice", async () => {
  const [server, sent] = [createServer(), createJob()];
  Object.assign(server, { isThere: true, bytes: [1, 2, 3] });
  Object.assign(sent.job, { place: "/musubi/uploads/token" });
  await run(sent, server);

  assert.deepEqual(server.asked, ["HEAD /musubi/uploads/token", "PATCH /musubi/uploads/token 3"]);
  assert.deepEqual(server.bytes, [1, 2, 3, 4, 5]);
});

test("a file that another page sends, too, is asked for after longer and longer pauses", async () => {
  const [server, sent] = [createServer([200, 409, 200, 409, 200, 409, 200, 409, 200]), createJob()];
  await run(sent, server);

  assert.deepEqual(server.bytes, [1, 2, 3, 4, 5]);
  assert.deepEqual(server.pauses, [1_000, 2_000, 4_000]);
});

test("a file that is there already, all of it, is not sent again", async () => {
  const [server, sent] = [createServer(), createJob()];
  Object.assign(server, { isThere: true, bytes: [1, 2, 3, 4, 5] });
  Object.assign(sent.job, { place: "/musubi/uploads/token", file: undefined });
  await run(sent, server);

  assert.deepEqual(server.asked, ["HEAD /musubi/uploads/token"]);
});

test("an upload that has gone begins again, and an address that has ended is asked for again", async () => {
  const [server, sent] = [createServer([200, 410]), createJob()];
  await run(sent, server);
  assert.deepEqual(server.bytes, [1, 2, 3, 4, 5]);
  assert.equal(server.asked.filter((one) => one.startsWith("POST")).length, 2);

  const [other, again] = [createServer([404]), createJob()];
  await run(again, other);
  assert.deepEqual(other.asked.slice(0, 2), ["POST /musubi/uploads/grant", "POST /musubi/uploads/grant1"]);
  const [gone, lost] = [createServer(Array(9).fill(404)), createJob()];
  await assert.rejects(run(lost, gone), (error) => error instanceof Refusal && error.name === "file-refused");
  assert.equal(gone.asked.length, 3);
});

test("an address that has ended is asked once, however long the next one takes", async () => {
  const [server, sent] = [createServer([404]), createJob()];
  let reconnections = 0;
  sent.listener.reconnect = () => void (reconnections += 1);
  // A phone takes its time.
  sent.listener.address = () => (server.pauses.length < 40 ? "/musubi/uploads/old" : "/musubi/uploads/new");

  await run(sent, server);

  assert.deepEqual(server.asked.slice(0, 2), ["POST /musubi/uploads/old", "POST /musubi/uploads/new"]);
  assert.deepEqual([reconnections, server.bytes], [1, [1, 2, 3, 4, 5]]);
});

test("a page of another origin than its server's cannot send files, and asks nobody", () => {
  const href = "https://here.example/page";
  assert.equal(isElsewhere(undefined), false);
  assert.equal(isElsewhere({ href }), false);
  assert.equal(isElsewhere({ href, server: "" }), false);
  assert.equal(isElsewhere({ href, server: "wss://here.example/" }), false);
  assert.equal(isElsewhere({ href, server: "wss://there.example" }), true);
  assert.equal(isElsewhere({ href, server: "https://here.example:8443" }), true);
});

for (const [code, name] of [[413, "file-large"], [415, "file-type"], [429, "file-many"], [507, "file-space"], [403, "file-forbidden"]]) {
  test(`${code} is final: ${name}`, async () => {
    await assert.rejects(run(createJob(), createServer([200, code])), (error) => error.name === name);
  });
}

test("a file that the browser cannot read is refused, and no other one waits for a connection", async () => {
  const [server, sent, control] = [createServer([200, 0]), createJob(), new AbortController()];
  const pauses = [];
  server.world.pause = async (ms) => void (pauses.push(ms) > 1 && control.abort());
  // A folder has a size, and a part of it; only who reads it hears that there is nothing.
  sent.job.file = { slice: () => ({ arrayBuffer: () => Promise.reject(new DOMException("", "NotReadableError")) }) };
  server.world.request = ((request) => (method, url, fields, _, ...rest) => request(method, url, fields, undefined, ...rest))(server.world.request);

  await assert.rejects(run(sent, server, control.signal), (error) => error instanceof Refusal && error.name === "file-unreadable");

  assert.deepEqual(server.asked, ["POST /musubi/uploads/grant", "PATCH /musubi/uploads/token 0"]);
  // A page that ends cannot read it either, and comes no further than the pause.
  assert.deepEqual(pauses, [1_000]);
});

test("whoever stops a file keeps what has arrived", async () => {
  const [server, sent, control] = [createServer(), createJob(), new AbortController()];
  sent.listener.changed = () => control.abort();
  await run(sent, server, control.signal);
  assert.deepEqual(server.asked, ["POST /musubi/uploads/grant"]);
  end(sent.job, server.world);
  assert.equal(server.asked.at(-1), "DELETE /musubi/uploads/token");
});

test("whoever stops a file before a request leaves has none sent, and waits for nothing", async (context) => {
  const sent = [];
  context.mock.timers.enable({ apis: ["setTimeout"] });
  Object.assign(globalThis, {
    addEventListener() {},
    removeEventListener() {},
    // As the standard has it: an abort before the request leaves is no event, and does not stop it.
    XMLHttpRequest: class {
      upload = {};
      open(method) {
        this.method = method;
      }
      setRequestHeader() {}
      abort() {
        if (this.isSent) this.onloadend();
      }
      send() {
        this.isSent = true;
        sent.push(this.method);
      }
      status = 0;
    },
  });
  const request = (signal) => browser.request("PATCH", "/musubi/uploads/token", {}, undefined, () => {}, signal);

  const early = await Promise.race([request(AbortSignal.abort()), new Promise((run) => setImmediate(run, "hangs"))]);

  assert.deepEqual([early.code, early.field?.("Upload-Offset"), sent], [0, null, []]);
  assert.equal(await Promise.race([browser.pause(30_000, AbortSignal.abort()), new Promise((run) => setImmediate(run, "hangs"))]), undefined);
  const control = new AbortController();
  const late = request(control.signal);
  control.abort();
  assert.deepEqual([(await late).code, sent], [0, ["PATCH"]]);
});

test("what the server would refuse is not sent; a name alone proves nothing", () => {
  assert.equal(problem({ size: 65_536, type: "image/png" }, place), undefined);
  assert.deepEqual(problem({ size: 0, type: "image/png" }, place), ["file-empty"]);
  assert.deepEqual(problem({ size: 65_537, type: "image/png" }, place), ["file-large-kb", 64]);
  assert.deepEqual(problem({ size: 10, type: "" }, { ...place, bytes: 9 }), ["file-large", 9]);
  assert.deepEqual(problem({ size: 3e6, type: "" }, { ...place, bytes: 2_621_440 }), ["file-large-mb", 2.5]);
  assert.deepEqual(problem({ size: 1, type: "image/png" }, { ...place, types: ["application/pdf"] }), ["file-type"]);
  // What a browser calls text by its name, the server may find to be a picture.
  assert.equal(problem({ size: 1, type: "text/plain" }, place), undefined);
  assert.equal(problem({ size: 1, type: "image/png" }, { ...place, types: ["*/*"] }), undefined);
});

test("sentences are the page's own, or in its language", () => {
  const line = { getAttribute: (name) => (name === "data-say-file-pause-de" ? "Anhalten" : null) };
  Object.assign(words, sentences);
  assert.equal(sentence(line, "ja", "file-large-kb", 1_024.5), "ファイルが大きすぎます。1,024.5 KBまでです。");
  assert.equal(sentence(line, "en-GB", "file-pause"), "Pause");
  assert.equal(sentence(line, "de-AT", "file-pause"), "Anhalten");
});
