// SPDX-License-Identifier: Apache-2.0
// Serves Public/, Sources/BrowserClient/ and stand-ins of the screens without Swift, for looking at the pages:
// node Tests/Client/support/serve.mjs 8099
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer as createHttp } from "node:http";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { createScreenServer } from "./screens.mjs";
import { createServer } from "./server.mjs";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const types = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml" };
const policy =
  "default-src 'self'; connect-src 'self' ws: http:; base-uri 'none'; object-src 'none'; "
  + "trusted-types 'none'; require-trusted-types-for 'script'";
const dev = { screen: "number", inputs: ["number", "roll"], outputs: ["label", "number"] };
const rooms = new Map();
const others = createScreenServer();
const pages = { "": "index", contents: "contents", segments: "segments", greeting: "greeting", search: "search", number: "number" };

/** The file of a path, as the gallery's routes have it. */
function fileOf(path) {
  if (path.startsWith("/contents/")) return "content.html";
  const name = pages[path.slice(1).replace("-alone", "")];
  return name ? `${name}.html` : path.slice(1);
}

/** A page in its layout, without the fragments: what the gallery's server makes of it, roughly. */
async function inLayout(/** @type {string} */ html) {
  const [, name] = /data-layout="([^"]+)"/.exec(html) ?? [];
  if (!name) return html;
  const layout = await readFile(`${root}Public/${name}`, "utf8");
  const content = (tag) => new RegExp(`<${tag}[^>]*>([^]*)</${tag}>`).exec(html)[1];
  return layout.replace("<title>Musubi</title>", () => content("head")).replace("<main></main>", () => content("body"));
}

const http = createHttp(async ({ url }, response) => {
  const path = new URL(url, "http://localhost").pathname.replace(/\.\.+/g, "");
  const file = fileOf(path);
  try {
    const body = await readFile(`${root}Public/${file}`).catch(() => readFile(`${root}Sources/BrowserClient/${file}`));
    response.writeHead(200, { "content-type": types[extname(file)] ?? "text/plain", "content-security-policy": policy });
    response.end(file.endsWith(".html") ? await inLayout(String(body)) : body);
  } catch {
    response.writeHead(404, { "content-type": types[".html"], "content-security-policy": policy });
    response.end(await inLayout(await readFile(`${root}Public/404.html`, "utf8")));
  }
});

http.on("upgrade", (request, socket) => {
  const { searchParams, pathname } = new URL(request.url, "http://localhost");
  const screen = pathname.split("/").pop();
  const name = searchParams.get("room") ?? "lobby";
  if (!rooms.has(name)) rooms.set(name, createServer({ hello: process.argv[3] === "--dev" ? { dev } : {} }));
  const accept = createHash("sha1").update(`${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`);
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
      `Sec-WebSocket-Accept: ${accept.digest("base64")}\r\nSec-WebSocket-Protocol: musubi.v1\r\n\r\n`,
  );
  const send = (opcode, payload) => {
    const { length } = payload;
    const wide = [127, 0, 0, 0, 0, length >>> 24, (length >> 16) & 255, (length >> 8) & 255, length & 255];
    const head = length < 126 ? [length] : length < 65536 ? [126, length >> 8, length & 255] : wide;
    socket.write(Buffer.concat([Buffer.from([0x80 | opcode, ...head]), payload]));
  };
  const deliver = (frame) => send(1, Buffer.from(JSON.stringify(frame)));
  const end = (code, reason) => send(8, Buffer.concat([Buffer.from([code >> 8, code & 255]), Buffer.from(reason)]));
  const isResuming = searchParams.get("resume") === "1";
  const connection = screen.startsWith("number")
    ? rooms.get(name).connect(isResuming, deliver, end)
    : others.connect({ name: screen, path: searchParams.get("path"), isResuming }, deliver, end);
  let buffer = Buffer.alloc(0);
  socket.on("data", (data) => {
    buffer = Buffer.concat([buffer, data]);
    while (buffer.length >= 6) {
      const isLong = (buffer[1] & 127) === 126;
      const length = isLong ? buffer.readUInt16BE(2) : buffer[1] & 127;
      const start = isLong ? 8 : 6;
      if (buffer.length < start + length) return;
      const mask = buffer.subarray(start - 4, start);
      const payload = buffer.subarray(start, start + length).map((byte, index) => byte ^ mask[index % 4]);
      const opcode = buffer[0] & 15;
      buffer = buffer.subarray(start + length);
      if (opcode === 8) return socket.end();
      if (opcode === 1) connection.receive(JSON.parse(Buffer.from(payload).toString()));
    }
  });
  socket.on("close", connection.close);
  socket.on("error", connection.close);
});

http.listen(Number(process.argv[2] ?? 8099), "127.0.0.1", () => console.log(`listening http://127.0.0.1:${http.address().port}`));
