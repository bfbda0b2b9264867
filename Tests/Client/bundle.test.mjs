// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const root = fileURLToPath(new URL("../../", import.meta.url));
const read = (path) => readFileSync(root + path, "utf8");
const modules = ["Public/musubi", "Public/musubi/outlets"].flatMap((folder) =>
  readdirSync(root + folder)
    .filter((name) => name.endsWith(".js"))
    .map((name) => `${folder}/${name}`),
);

test("what the number page loads is at most 9.5 kB gzipped", () => {
  const size = gzipSync(read("Public/musubi.js")).length;
  assert.ok(size <= 9500, `${size} bytes`);
});

test("the whole client is at most 24 kB gzipped", () => {
  const size = gzipSync(read("Public/musubi.js")).length + gzipSync(read("Public/musubi-more.js")).length;
  assert.ok(size <= 24_000, `${size} bytes`);
});

test("the committed bundles are fresh", () => {
  execFileSync(`${root}deploy/bundle`, ["--check"]);
});

test("no name is shortened that one of the bundles exports to the other, or that the browser gives", () => {
  const exported = ["musubi-more", "recovery"].flatMap((name) => {
    const text = read(`Public/musubi/${name}.js`);
    const lists = [...text.matchAll(/export \{([^}]*)\}/g)].flatMap(([, names]) => names.split(",").map((one) => one.trim()));
    return [...lists, ...[...text.matchAll(/export (?:async )?(?:const|function) (\w+)/g)].map(([, one]) => one)];
  });
  // Of a rectangle: where a dialog is.
  const given = ["left", "top", "right", "bottom"];
  const short = Object.keys(JSON.parse(read("deploy/short-names.json")));
  assert.deepEqual(short.filter((name) => [...exported, ...given].includes(name)), []);
});

test("the types are sound", () => {
  execFileSync("tsc", ["--project", `${root}Tests/Client/tsconfig.json`], { stdio: "pipe" });
});

test("each module is checked, licensed and short", () => {
  for (const path of modules) {
    const lines = read(path).split("\n");
    assert.equal(lines[0], "// @ts-check", path);
    assert.equal(lines[1], "// SPDX-License-Identifier: Apache-2.0", path);
    assert.ok(lines.length <= 251, `${path}: ${lines.length} lines`);
    assert.ok(!lines.some((line) => /innerHTML|export default|\beval\b/.test(line) && !line.includes("test(property)")), path);
    for (const line of lines) assert.ok(line.length <= 130, `${path}: ${line}`);
  }
});

test("what visitors load has fewer than 2,600 lines of code", () => {
  // The inspector is an author's tool; only a development server asks for it.
  const client = modules.filter((path) => !path.endsWith("/dev.js"));
  const isCode = (line) => !/^\s*(\/\/|\/?\*|$)/.test(line);
  const count = client.flatMap((path) => read(path).split("\n")).filter(isCode).length;
  assert.ok(count < 2600, `${count} lines`);
});

test("pages hold no inline script, style or handler, and load nothing from elsewhere", () => {
  for (const page of ["index", "number", "note", "contents", "content", "segments", "greeting", "search", "form", "404"]) {
    const html = read(`Public/${page}.html`);
    assert.doesNotMatch(html, /<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)/i, page);
    assert.doesNotMatch(html, /(?:src|href)="(?:https?:)?\/\//i, page);
  }
});
