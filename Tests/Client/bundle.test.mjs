// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { shared } from "../../Sources/BrowserClient/musubi/shared.js";

// The compiler that `tsc` runs; a package of the system is none that `import` finds by its name.
const tsc = realpathSync(execFileSync("sh", ["-c", "command -v tsc"], { encoding: "utf8" }).trim());
const typescript = createRequire(tsc)("../lib/typescript.js");
const root = fileURLToPath(new URL("../../", import.meta.url));
const read = (path) => readFileSync(root + path, "utf8");
const modules = ["", "/outlets", "/text", "/move", "/select", "/upload", "/carets", "/ids", "/append", "/window"].map((folder) => `Sources/BrowserClient/musubi${folder}`).flatMap((folder) =>
  readdirSync(root + folder)
    .filter((name) => name.endsWith(".js"))
    .map((name) => `${folder}/${name}`),
);

test("what the number page needs to be live is at most 9.5 kB gzipped", () => {
  const size = gzipSync(read("Sources/BrowserClient/musubi.js")).length;
  assert.ok(size <= 9500, `${size} bytes`);
});

test("the two files of every page with forms, lists and dialogs are at most 26.3 kB gzipped", () => {
  const size = gzipSync(read("Sources/BrowserClient/musubi.js")).length + gzipSync(read("Sources/BrowserClient/musubi-more.js")).length;
  assert.ok(size <= 26_300, `${size} bytes`);
});

/** The most bytes of each further file, gzipped; pages load those whose attribute they use. */
const further = { "musubi-append": 1_500, "musubi-carets": 4_050, "musubi-connection": 1_650, "musubi-ids": 850, "musubi-move": 4_800, "musubi-select": 1_500, "musubi-upload": 5_200, "musubi-window": 3_900 };

test("each further file has its bound", () => {
  const files = readdirSync(`${root}Sources/BrowserClient`).filter((name) => /^musubi-(?!more).*\.js$/.test(name));
  assert.deepEqual(files, Object.keys(further).map((name) => `${name}.js`));
  for (const [name, bound] of Object.entries(further)) {
    const size = gzipSync(read(`Sources/BrowserClient/${name}.js`)).length;
    assert.ok(size <= bound, `${name}: ${size} bytes`);
  }
});

test("a page that uses every attribute loads at most 49.6 kB gzipped", () => {
  const files = readdirSync(`${root}Sources/BrowserClient`).filter((name) => /^musubi.*\.js$/.test(name));
  const size = files.reduce((sum, name) => sum + gzipSync(read(`Sources/BrowserClient/${name}`)).length, 0);
  assert.ok(size <= 49_600, `${size} bytes`);
});

test("the second bundle has no copy of what the first one shares", async () => {
  const second = await import(new URL("../../Sources/BrowserClient/musubi-more.js", import.meta.url));
  // Strings and numbers outlive the bundler: of `followCompositions`, `isHigh` and `whenReset`.
  for (const part of ["compositionstart", "55296", "pageshow"]) {
    assert.equal(read("Sources/BrowserClient/musubi.js").split(part).length > 1, true, part);
    assert.equal(read("Sources/BrowserClient/musubi-more.js").split(part).length, 1, part);
  }
  const [words, outlets, helped] = [{}, {}, []];

  // Whatever short names there are: the last one of the way is called.
  const anything = new Proxy({}, { get: () => new Proxy({}, { get: () => (module) => helped.push(module) }) });
  const build = /begin\("(\w{6})",/.exec(read("Sources/BrowserClient/musubi.js"))?.[1];
  second.begin(build, shared, words, outlets, anything);

  assert.deepEqual([outlets, helped], [{ ...second.outlets }, [second.recovery]]);
  assert.equal(words.ended.en, "The connection has ended. Please reload this page.");
  // It shows a value as people read it, with the first bundle's function.
  const documentElement = new EventTarget();
  const element = { ownerDocument: { documentElement }, dataset: { for: "1" } };
  outlets["event-text"](element, {}, { name: "told" });
  documentElement.dispatchEvent(new CustomEvent("musubi:told", { detail: { a: 1 } }));
  assert.equal(element.textContent, '{"a":1}');
});

for (const name of ["musubi-more", ...Object.keys(further)]) test(`a page whose ${name}.js is of another build takes nothing of it, and reloads itself once`, async (context) => {
  const load = (file) => import(new URL(`../../Sources/BrowserClient/${file}.js`, import.meta.url));
  const [own, second] = [await load(name), await load("musubi-more")];
  const [items, outlets] = [new Map(), {}];
  let reloads = 0;
  const globals = { location: globalThis.location, sessionStorage: globalThis.sessionStorage };
  context.after(() => Object.assign(globalThis, globals));
  context.mock.timers.enable({ apis: ["setTimeout"] });
  Object.assign(globalThis, {
    location: { reload: () => (reloads += 1) },
    sessionStorage: { getItem: (key) => items.get(key) ?? null, setItem: (key, value) => void items.set(key, value) },
  });

  for (let time = 0; time < 2; time += 1) {
    // A file loads the second one of its own build, whatever the page has: that of 0.2.0 hands over nothing else.
    const fetchFile = (file) => {
      assert.match(file, /^\.\/musubi-more\.js#\w{6}$/);
      second.begin("older", shared, {}, outlets, { session: {} }, fetchFile);
    };
    assert.throws(() => own.begin("older", shared, {}, outlets, { session: {} }, fetchFile), /older/);
    context.mock.timers.tick(5_000);
  }

  assert.deepEqual([reloads, outlets], [1, {}]);
});

for (const name of Object.keys(further)) test(`a page that a cache gives an older second file beside ${name}.js goes on without the latter`, async (context) => {
  const { begin } = await import(new URL(`../../Sources/BrowserClient/${name}.js`, import.meta.url));
  const [words, outlets] = [{}, {}];
  let reloads = 0;
  const { location } = globalThis;
  context.after(() => Object.assign(globalThis, { location }));
  globalThis.location = { reload: () => (reloads += 1) };

  // The older one begins as it did before. Each reload would find the same files.
  begin("older", shared, words, outlets, { session: {} }, () => {});

  assert.deepEqual([reloads, words, outlets], [0, {}, {}]);
});

test("the committed bundles are fresh", () => {
  execFileSync(`${root}deploy/bundle`, ["--check"]);
});

test("no name is shortened that one bundle exports to the other, the browser gives, or a reload keeps", () => {
  const exported = ["musubi-more", ...Object.keys(further)].flatMap((name) => {
    const text = read(`Sources/BrowserClient/musubi/${name}.js`);
    const lists = [...text.matchAll(/export \{([^}]*)\}/g)].flatMap(([, names]) => names.split(",").map((one) => one.trim()));
    return [...lists, ...[...text.matchAll(/export (?:async )?(?:const|function) (\w+)/g)].map(([, one]) => one)];
  });
  // Of a rectangle: where a dialog is.
  const given = ["left", "top", "right", "bottom"];
  // Another version of the client, with other short names, may read what this one has left.
  const kept = ["session", "token", "visitor", "texts", "known", "last", "entries", "limits", "unsent", "chosen", "server",
    "revision", "pending", "isBlocked", "isRefused", "address", "name", "row", "key", "kind", "sent", "bytes", "position", "lineage", "files", "top"];
  const short = read("deploy/short-names").trim().split("\n");
  assert.deepEqual(short.filter((name) => [...exported, ...given, ...kept].includes(name)), []);
});

test("no name is shortened that a frame has", () => {
  // The client reads no status of a refusal; it has a status of its own.
  const frames = [...read("Sources/Musubi/Musubi.docc/Wire.md").matchAll(/"(?!status)(\w+)":/g)].map(([, name]) => name);
  const told = [...read("Sources/MusubiWire/ClientFrame+Decoding.swift").matchAll(/case \.(\w+):/g)].map(([, name]) => name);
  assert.ok(["input", "shown", "sequence"].every((name) => frames.includes(name) && told.includes(name)));
  const short = read("deploy/short-names").trim().split("\n");
  assert.deepEqual(short.filter((name) => frames.includes(name) || told.includes(name)), []);
});

/** The functions of a module with their lines, and the lines of its comma expressions. */
function shape(path) {
  const source = typescript.createSourceFile(path, read(path), typescript.ScriptTarget.Latest, true);
  const lineOf = (place) => source.getLineAndCharacterOfPosition(place).line + 1;
  const [functions, commas] = [[], []];
  const visit = (node) => {
    if (typescript.isFunctionLike(node) && node.body) {
      const name = (node.name ?? node.parent.name)?.getText();
      functions.push({ path, name, lines: lineOf(node.end) - lineOf(node.getStart()) + 1 });
    }
    const isComma = typescript.isBinaryExpression(node) && node.operatorToken.kind === typescript.SyntaxKind.CommaToken;
    if (isComma) commas.push(`${path}:${lineOf(node.getStart())}`);
    typescript.forEachChild(node, visit);
  };
  visit(source);
  return { functions, commas };
}

test("each function of the client has at most 60 lines", () => {
  // Its parts would hand each other a dozen values that change: measured, 200 bytes more in a file of 2.8 kB.
  const excepted = { path: "Sources/BrowserClient/musubi/window/attach.js", name: "attach" };
  const long = modules.flatMap((path) => shape(path).functions).filter(({ lines }) => lines > 60);
  assert.deepEqual(long.map(({ lines, ...about }) => about), [excepted]);
  assert.ok(long[0].lines <= 190, `${long[0].lines} lines`);
});

test("there are no comma expressions", () => {
  assert.deepEqual(modules.flatMap((path) => shape(path).commas), []);
});

test("the types for pages' scripts name the states of the connection that the client shows", () => {
  const states = (path) => /type \w*Link = (.+);|typedef \{(.+)\} Link/.exec(read(path)).slice(1).find(Boolean).match(/\w+/g).sort();

  assert.deepEqual(states("Sources/BrowserClient/musubi/types.d.ts"), states("Sources/BrowserClient/musubi/status.js"));
});

test("the types for pages' scripts are right, and find what is wrong", () => {
  const options = "--noEmit --allowJs --checkJs --strict --target es2022 --module es2022 --moduleResolution node --lib es2022,dom,dom.iterable";
  execFileSync("tsc", [...options.split(" "), `${root}Tests/Client/types/page-script.js`], { stdio: "pipe" });
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

test("what visitors load has fewer than 2,990 lines of code", () => {
  // Tools of authors, for which only a development server asks; and further files, which few pages need.
  const client = modules.filter((path) => !/\/(dev|shapes|problem|problem-page|styled|further-\w+|musubi-(?!more)\w+|(append|carets|ids|move|select|upload|window)\/\w+)\.js$/.test(path));
  const isCode = (line) => !/^\s*(\/\/|\/?\*|$)/.test(line);
  const count = client.flatMap((path) => read(path).split("\n")).filter(isCode).length;
  assert.ok(count < 2990, `${count} lines`);
});

test("pages hold no inline script, style or handler, and load nothing from elsewhere", () => {
  for (const page of ["index", "number", "note", "contents", "content", "segments", "greeting", "search", "form", "board", "studio", "play", "quiz", "log-in", "pane", "source", "404", "_layout"]) {
    const html = read(`Public/${page}.html`);
    assert.doesNotMatch(html, /<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)/i, page);
    assert.doesNotMatch(html, /(?:src|href)="(?:https?:)?\/\//i, page);
  }
});
