// @ts-check
// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { families, known } from "../../Sources/BrowserClient/musubi/dev.js";
import { outlets } from "../../Sources/BrowserClient/musubi/musubi-more.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (/** @type {string} */ path) => readFileSync(join(root, path), "utf8");

/** @type {(folder: string, ending: string) => string[]} The files below a folder, as paths from the root. */
const files = (folder, ending) =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return files(path, ending);
    return path.endsWith(ending) ? [path] : [];
  });

const articles = files("Sources", ".md");
const documents = [...articles, "README.md", "README.ja.md", "CHANGELOG.md"];

const tutorial = "Sources/Musubi/Musubi.docc/Tutorial.md";
/** The documents that are there in two languages. */
const translations = new Map([["README.md", "README.ja.md"], [tutorial, tutorial.replace(".md", "-ja.md")]]);
const isTutorial = (/** @type {string} */ path) => path === tutorial || path === translations.get(tutorial);

/** A text without its code blocks and code words: what looks like a link there is none. */
const prose = (/** @type {string} */ text) => text.replace(/^```[^]*?^```/gm, "").replace(/`[^`\n]*`/g, "");

/** The anchor that a heading gets. */
const anchor = (/** @type {string} */ heading) =>
  heading.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, "").trim().replace(/\s/g, "-");

/**
 * The blocks of an article that are files of the repository: a path in bold, alone on its line or followed by
 * ", a part:", and the code below it.
 *
 * @param {string} text
 */
function fileBlocks(text) {
  const pattern = /^\*\*`([^`]+)`\*\*(, a part:)?\n\n```\w*\n([^]*?)^```/gm;
  return [...text.matchAll(pattern)].map(([, path, part, code]) => ({ path, isPart: Boolean(part), code }));
}

/** The lines without the indentation that they share. */
function outdented(/** @type {string[]} */ lines) {
  const depths = lines.filter((line) => line.trim()).map((line) => line.length - line.trimStart().length);
  return lines.map((line) => line.slice(Math.min(...depths))).join("\n");
}

/** @type {(code: string, text: string) => boolean} Whether a piece of code stands in a file, whatever its depth. */
function isPartOf(code, text) {
  const lines = code.trimEnd().split("\n");
  const all = text.split("\n");
  return all.some((_, index) => outdented(all.slice(index, index + lines.length)) === outdented(lines));
}

for (const article of articles) {
  const blocks = fileBlocks(read(article));
  // The tutorial's paths are those of the reader's own package.
  const base = isTutorial(article) ? "Tests/Guides/Tutorial" : "";
  if (!blocks.length) continue;
  test(`${basename(article)} shows the files that are compiled and run`, () => {
    for (const { path, isPart, code } of blocks) {
      const text = read(join(base, path)).replace(/^\/\/ SPDX.*\n/, "");
      if (isPart) assert.ok(isPartOf(code, text), `${path} has no such part:\n${code}`);
      else assert.equal(code, text, `${path} differs from its block`);
    }
  });
}

for (const path of ["README.md", "README.ja.md"]) {
  test(`${path} begins with the three files of an example that is compiled and run`, () => {
    const blocks = [...read(path).matchAll(/^```\w+\n([^]*?)^```/gm)].slice(0, 3).map(([, code]) => code);
    const example = ["Sources/GreetingViewModel.swift", "Sources/main.swift", "Public/greeting.html"];

    assert.deepEqual(blocks, example.map((path) => read(`Tests/Guides/Greeting/${path}`)));
  });
}

for (const path of articles.filter(isTutorial)) {
  test(`${basename(path)} shows every file of its package`, () => {
    const shown = fileBlocks(read(path)).map(({ path }) => path);

    assert.deepEqual([...shown].sort(), files("Tests/Guides/Tutorial", "").map((path) => relative("Tests/Guides/Tutorial", path)).sort());
  });
}

/** @type {(text: string, pattern: RegExp) => string[]} What a pattern's first group finds in a text, sorted, each once. */
const foundIn = (text, pattern) => [...new Set([...text.matchAll(pattern)].map(([, word]) => word))].sort();

/**
 * What the sections of a document have whatever its language is: the depth of the heading, the blocks of code, the items
 * and rows, the words in code, the links, and the figures.
 *
 * @param {string} text
 */
function sections(text) {
  /** @type {string[]} */
  const blocks = [];
  const bare = text.replace(/^```[^]*?^```/gm, (block) => `@${blocks.push(block) - 1}@`);
  return bare.split(/^(?=#+ )/m).map((section) => ({
    depth: /^#*/.exec(section)?.[0].length,
    blocks: [...section.matchAll(/^@(\d+)@$/gm)].map(([, index]) => blocks[Number(index)]),
    items: section.match(/^- /gm)?.length ?? 0,
    rows: section.match(/^\|/gm)?.length ?? 0,
    words: foundIn(section, /`([^`\n]+)`/g),
    links: foundIn(section, /(?:\]\(|<(?:doc:)?)([^)\s>]+)[)>]/g),
    figures: foundIn(section.replace(/`[^`\n]*`|\]\([^)]*\)|^@\d+@$|<[^>]*>/gm, ""), /(\d+(?:[.,]\d+)*)/g),
  }));
}

for (const [english, japanese] of translations) {
  test(`${basename(japanese)} says what ${basename(english)} says: sections, code, words in code, links and figures`, () => {
    const names = (/** @type {string} */ path) => [basename(path), basename(path, ".md")];
    const [here, there] = [[...translations.keys()].flatMap(names), [...translations.values()].flatMap(names)];
    /** The link to a translated page is one to its other language. */
    const translated = (/** @type {string} */ link) => {
      const name = basename(link);
      const index = here.indexOf(name);
      const other = index < 0 ? here[there.indexOf(name)] : there[index];
      return other === undefined ? link : link.slice(0, -name.length) + other;
    };
    const expected = sections(read(english));
    const actual = sections(read(japanese));

    assert.deepEqual(actual.map(({ depth }) => depth), expected.map(({ depth }) => depth));
    for (const [index, { figures, links, ...rest }] of actual.entries()) {
      const { figures: least, links: original, ...same } = expected[index];
      assert.deepEqual(rest, same);
      assert.deepEqual(links, original.map(translated).sort());
      // A number may be a word in English, and a figure in Japanese.
      assert.deepEqual(least.filter((figure) => !figures.includes(figure)), [], `figures of section ${index}`);
    }
  });

  test(`${basename(japanese)} writes each word in one way, and breaks no line, which browsers show as a space`, () => {
    const text = prose(read(japanese));

    assert.match(text, /[\p{Script=Hiragana}]/u);
    assert.doesNotMatch(text, /(?:サーバ|ユーザ|コンピュータ)(?!ー)|ブラウザー|フォルダー|だ。|である。/);
    assert.doesNotMatch(text, /[^\n|]\n(?! *- |\||#|\n|\*\*)./);
  });
}

test("the README's sizes and figures are those of the client and of the measurements", () => {
  const readme = read("README.md");
  const measured = read("Sources/Musubi/Musubi.docc/Measurements.md");
  /** The numbers of a row of a table, by the cells that it begins with. */
  const row = (/** @type {string} */ table, /** @type {string} */ start) =>
    (measured.slice(measured.indexOf(`<!-- musubi-bench ${table} -->`)).split("\n").find((line) => line.startsWith(start)) ?? "")
      .slice(start.length).split("|").map((cell) => Number(cell.replaceAll(",", "").trim()));
  const kilobytes = Math.ceil(gzipSync(read("Sources/BrowserClient/musubi.js"), { level: 9 }).length / 100) / 10;
  const [rate, , , times] = row("echo", "| 100 | 16 | Musubi |");
  const [, , , broadcast] = row("fanout", "| 100 | 16 | Musubi |");
  const nicegui = /^nicegui==(\d+\.\d+)/m.exec(read("Tests/Peers/requirements.txt"))?.[1];
  const [one, sixteen] = [1, 16].map((flight) => measured.split("\n").find((line) => line.startsWith(`| echo, 1 connection, ${flight} in flight | NiceGUI`))?.split("|")[7].trim());

  assert.ok(readme.includes(`musubi.js (${kilobytes} kB)`), `the client has ${kilobytes} kB`);
  assert.ok(readme.includes(`${times.toFixed(1)} for sixteen (${(Math.round(rate / 10_000) * 10_000).toLocaleString("en")} events a second)`), `${times} times, ${rate} a second`);
  assert.ok(readme.includes(`${broadcast.toFixed(0)} times it for sixteen at once`), `${broadcast} times a broadcast`);
  assert.ok(readme.includes(`NiceGUI ${nicegui}`) && readme.includes(`| ${one} to ${sixteen} |`), `NiceGUI ${nicegui}: ${one} to ${sixteen}`);
});

test("the README begins a package by the commands of its guide", () => {
  const commands = /^apt-get [^`]*/m.exec(read("README.md"))?.[0].trim().split("\n") ?? [];
  const guide = read("Sources/Musubi/Musubi.docc/NewPackage.md").split("\n");

  assert.ok(commands.length > 3);
  for (const command of commands) assert.ok(guide.includes(command), `NewPackage.md does not have: ${command}`);
});

test("the guides show every example", () => {
  const shown = new Set(articles.flatMap((article) => fileBlocks(read(article)).map(({ path }) => path)));
  const hidden = ["GuideExamples.swift", "Scripts/screens.musubi", "Scripts/tea.png"].map((path) => `Tests/Guides/Examples/${path}`);

  assert.deepEqual(files("Tests/Guides/Examples", "").filter((path) => !shown.has(path)).sort(), hidden.sort());
});

test("every link leads somewhere", () => {
  for (const document of documents) {
    const text = prose(read(document));
    const folder = dirname(document);
    for (const [, name] of text.matchAll(/<doc:([\w-]+)>/g)) {
      const article = files(folder.replace(/(\.docc).*/, "$1"), ".md").find((path) => basename(path, ".md") === name);
      assert.ok(article, `${document}: there is no article ${name}`);
    }
    for (const [, target] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(target)) continue;
      const [path, fragment] = target.split("#");
      const file = path ? join(folder, path) : document;
      assert.ok(existsSync(join(root, file)), `${document}: ${target} does not exist`);
      if (!fragment) continue;
      const headings = [...read(file).matchAll(/^#+ (.*)$/gm)].map(([, heading]) => anchor(heading));
      assert.ok(headings.includes(fragment), `${document}: ${target} has no such heading`);
    }
  }
});

test("every article is in the table of its catalogue", () => {
  for (const article of articles) {
    const catalogue = /^.*?(\w+)\.docc/.exec(article);
    const top = catalogue && `${catalogue[0]}/${catalogue[1]}.md`;
    if (!top || article === top) continue;
    assert.ok(read(top).includes(`<doc:${basename(article, ".md")}>`), `${top} does not name ${article}`);
  }
});

test("Architecture.md says what each target is for", () => {
  const table = read("Sources/Musubi/Musubi.docc/Architecture.md").split("| target | purpose |")[1].split("\n\n")[0];
  const named = new Set([...table.matchAll(/`([^`]+)`/g)].map(([, name]) => name));
  const missing = readdirSync(join(root, "Sources")).filter((name) => name !== "BrowserClient" && !named.has(name));

  assert.deepEqual(missing, []);
});

test("deploy/docs makes pages of the libraries of Package.swift, and of what Musubi exports again", () => {
  const libraries = [...read("Package.swift").matchAll(/\.library\(name: "(\w+)"/g)].map(([, name]) => name);
  const exported = [...read("Sources/Musubi/Exports.swift").matchAll(/^@_exported public import (\w+)/gm)].map(([, name]) => name);
  const made = /^modules=\((.*)\)$/m.exec(read("deploy/docs"))?.[1].split(" ") ?? [];

  assert.deepEqual(made.sort(), [...new Set([...libraries, ...exported])].sort());
});

test("every path that the documents name in code exists", () => {
  const folders = /^(Sources|Tests|Public|Client|deploy)\/[\w./+-]*$/;
  for (const document of documents) {
    for (const [, path] of read(document).matchAll(/`([^`\n]+)`/g)) {
      if (!folders.test(path) || isTutorial(document)) continue;
      assert.ok(existsSync(join(root, path)), `${document} names ${path}, which does not exist`);
    }
  }
});

/** The attributes of the reference, with the text of each: `data-bind-class-<name>` is `data-bind-class-`. */
const reference = new Map(
  read("Sources/Musubi/Musubi.docc/DataAttributes.md")
    .split(/^### /m).slice(1)
    .map((section) => {
      const heading = /^`([^`]+)`$/m.exec(section)?.[1] ?? "";
      return [heading.replace(/<.*>/, ""), section];
    }),
);

test("no document holds a template that nobody filled in", () => {
  for (const document of documents) assert.doesNotMatch(prose(read(document)), /\{\{/, document);
});

test("every target declares the targets that it imports", () => {
  // The compiler also finds a neighbour's dependencies, so that its own check misses them.
  const manifest = read("Package.swift").split(/\n {4}\.(?=\w*[tT]arget\()/).slice(1);
  const targets = new Map(manifest.map((text) => {
    const name = /name: "([^"]+)"/.exec(text)?.[1] ?? "";
    const folder = /path: "([^"]+)"/.exec(text)?.[1] ?? ["Sources", "Tests"].map((top) => `${top}/${name}`).find((path) => existsSync(join(root, path)));
    const declared = [.../dependencies: \[([^\]]*)\]/.exec(text)?.[1].matchAll(/"([^"]+)"/g) ?? []].map(([, other]) => other);
    return [name, { folder, declared }];
  }));
  assert.ok(targets.size > 20);
  for (const [name, { folder, declared }] of targets) {
    for (const file of files(folder ?? "", ".swift")) {
      for (const [, module] of read(file).matchAll(/^(?:@\S+ )?(?:\w+ )?import (\w+)/gm)) {
        assert.ok(!targets.has(module) || declared.includes(module) || module === name, `${file}: ${name} does not declare ${module}`);
      }
    }
  }
});

test("the reference and the check of pages know the same attributes", () => {
  assert.deepEqual([...reference.keys()].sort(), [...known, ...families].sort());
});

test("the command check knows the attributes of the client, and no others", () => {
  const rules = read("Sources/Musubi/Check/PageRules.swift");
  const words = (/** @type {string} */ text) => [...text.matchAll(/"([^"]+)"/g)].map(([, word]) => word);
  /** The words of a list in the Swift source, by the name of its constant. */
  const list = (/** @type {string} */ name) => {
    const text = new RegExp(`static let ${name}\\b[^=]*= (?:Set\\()?\\(?\\[([^\\]]*)\\]`).exec(rules)?.[1];
    assert.ok(text, `PageRules.swift has no list ${name}`);
    return words(text).sort();
  };
  const plain = [...list("bound").map((kind) => `data-bind-${kind}`), ...list("others").map((kind) => `data-${kind}`)];
  const client = read("Sources/BrowserClient/musubi/outlets/attr.js");
  /** A list in the client's source. */
  const choices = (/** @type {string} */ name) => words(new RegExp(`const ${name} = \\[([^\\]]*)\\]`).exec(client)?.[1] ?? "").sort();

  assert.deepEqual(plain.sort(), [...known].sort());
  assert.deepEqual(list("families"), [...families].sort());
  assert.deepEqual(list("loading"), choices("refused"));
  // Those of accessibility are a family, here and there.
  assert.deepEqual(list("settable"), choices("allowed"));
});

test("the reference has every attribute that the client's sources mention, and no other", () => {
  const mentioned = new Set(Object.keys(outlets).filter((kind) => !["observe", "send", "typed", "undo", "whole"].includes(kind)).map((kind) => `data-${kind}`));
  for (const file of files("Sources/BrowserClient/musubi", ".js")) {
    if (file.endsWith("/dev.js")) continue;
    const text = read(file);
    for (const [name] of text.matchAll(/data-[a-z]+(-[a-z]+)*-?/g)) mentioned.add(name);
    for (const [, name] of text.matchAll(/dataset\??\.([a-z]+)/g)) mentioned.add(`data-${name}`);
    for (const [, kind] of text.matchAll(/^ {2}"((?:bind|on)-[a-z-]*)": /gm)) mentioned.add(`data-${kind}`);
  }
  // What stands for all of a kind, and examples of those that end in a name.
  const isCovered = (/** @type {string} */ name) =>
    reference.has(name) || ["data-", "data-bind-"].includes(name) || families.some((family) => name.startsWith(family) || name === family.slice(0, -1));

  assert.deepEqual([...mentioned].filter((name) => !isCovered(name)), []);
  assert.deepEqual([...reference.keys()].filter((name) => !mentioned.has(name)), []);
});

test("each attribute of the reference has an example with it", () => {
  for (const [attribute, section] of reference) {
    const examples = [...section.matchAll(/^```\w+\n([^]*?)^```/gm)].map(([, code]) => code).join("");
    assert.ok(examples.includes(attribute), `${attribute} has no example`);
  }
});

test("the pages of the examples name attributes that exist", () => {
  const pages = [...files("Tests/Guides", ".html"), ...files("Public", ".html")];
  // The gallery's own, for its two languages.
  const own = ["data-en", "data-ja", "data-speak", "data-always", "data-language"];
  // The server's, for pages that it puts together.
  const parts = ["data-layout", "data-fragment", "data-use", "data-prefix"];
  for (const page of pages) {
    assert.ok(statSync(join(root, page)).size > 0);
    for (const [, name] of read(page).matchAll(/\s(data-[\w.-]+)/g)) {
      const isKnown = reference.has(name) || [...own, ...parts].includes(name) || families.some((family) => name.startsWith(family));
      assert.ok(isKnown, `${page}: ${name}`);
    }
  }
});

test("each suite of Swift tests that wait has a time limit", () => {
  const endless = files("Tests", "Tests.swift").flatMap((path) => {
    const suites = read(path).split(/(?=@Suite\b)/).filter((text) => /@Test\b[^{]*\basync\b/.test(text));
    return suites.filter((text) => !/^@Suite\([^`]*\.timeLimit\(/.test(text)).map((text) => `${path}: ${text.split("\n")[0]}`);
  });

  assert.deepEqual(endless, []);
});

/** @type {(path: string, pattern: RegExp) => string[]} What a pattern's first group finds in a file. */
const found = (path, pattern) => foundIn(read(path), pattern);

test("Wire.md has the error codes and the close codes of the sources, and no others", () => {
  const wire = read("Sources/Musubi/Musubi.docc/Wire.md");
  const rows = (/** @type {string} */ head) => wire.slice(wire.indexOf(`| ${head} |`)).split("\n\n")[0];
  const errors = [...rows("error code").matchAll(/`([a-z-]+)`(?=[^|]*\|[^|]*\|$)/gm)].map(([, code]) => code);
  const closes = [...rows("code | meaning").matchAll(/\b([14]\d{3})\b(?=[^|]*\|[^|]*\|[^|]*\|$)/gm)].map(([, code]) => code);
  const sources = read("Sources/MusubiWire/ErrorCode.swift").matchAll(/^ {2}case (\w+)(?: = "([a-z-]+)")?$/gm);

  assert.deepEqual(errors.sort(), [...sources].map(([, name, code]) => code ?? name).sort());
  // Nothing is left to say at 1000, and it is no message's meaning.
  const known = found("Sources/MusubiWire/CloseCode.swift", /rawValue: (\d{4})\)/g).filter((code) => code !== "1000");
  assert.deepEqual(closes.sort(), known);
});

test("Operation.md has the metrics of the sources, and no others", () => {
  const table = read("Sources/Musubi/Musubi.docc/Operation.md").split("| metric | labels | meaning |")[1].split("\n\n")[0];
  const metrics = [...table.matchAll(/`((?:musubi|process)_\w+)`/g)].map(([, name]) => name);

  assert.deepEqual(metrics.sort(), found("Sources/MusubiAdmin/MetricsText.swift", /"((?:musubi|process)_\w+)"/g));
});

test("the options that the guides name exist", () => {
  const words = new Set(files("Sources", ".swift").filter((path) => /Command|Options|gallery|Gallery/.test(path))
    .flatMap((path) => found(path, /"(?:--)?([a-z]+(?:-[a-z]+)*)"/g)));
  for (const document of ["Operation", "Guarantees", "Identity", "HTTPRoutes", "SQLite", "Scripts"]) {
    for (const option of found(`Sources/Musubi/Musubi.docc/${document}.md`, /`--([a-z]+(?:-[a-z]+)*)/g)) {
      assert.ok(words.has(option), `${document}.md: there is no option --${option}`);
    }
  }
});

/** Every line of the Swift sources that is no comment, with its place and the comment above it. */
const code = files("Sources", ".swift").flatMap((path) => {
  let comment = "";
  return read(path).split("\n").flatMap((line, index) => {
    const text = line.trim();
    if (text.startsWith("//")) {
      comment += `${text}\n`;
      return [];
    }
    const one = { place: `${path}:${index + 1}`, text, comment };
    comment = "";
    return [one];
  });
});

// What goes around the compiler's checks costs whoever reads it: there may be so many, and no more.
for (const [what, pattern, most] of /** @type {[string, RegExp, number][]} */ ([
  ["properties are not checked for exclusive access", /@exclusivity\(unchecked\)/, 30],
  ["references are not counted or not checked", /Unmanaged|_withUnsafeGuaranteedRef|unsafeDowncast|unowned\(unsafe\)/, 20],
  ["types are said to be safe on several threads", /@unchecked Sendable/, 6],
])) {
  test(`at most ${most} ${what}`, () => {
    const places = code.filter(({ text }) => pattern.test(text)).map(({ place }) => place);

    assert.ok(places.length <= most, `${places.length}:\n${places.join("\n")}`);
  });
}

// What a screen of the gallery takes in Swift, without its tests and texts, is what one like it costs an author; what a cluster
// needs besides is in folders of its own.
for (const [screen, folders, most] of /** @type {[string, string[], number][]} */ ([
  ["board", ["Sources/GalleryAPI/Board", "Sources/GalleryModel/Board", "Sources/GalleryScreens/Board"], 250],
  ["studio", ["Sources/GalleryModel/Studio", "Sources/GalleryScreens/Studio"], 250],
])) {
  test(`the gallery's ${screen} has at most ${most} lines of code`, () => {
    const paths = folders.flatMap((folder) => files(folder, ".swift"));
    const counts = paths.map((path) => read(path).split("\n").filter((line) => !/^\s*(\/\/.*)?$/.test(line)).length);
    const count = counts.reduce((sum, one) => sum + one, 0);

    assert.ok(count > 0 && count <= most, `${count}:\n${paths.map((path, index) => `${path}: ${counts[index]}`).join("\n")}`);
  });
}

test("each comment about unchecked access has its figure, or names the one that has", () => {
  const comments = code.filter(({ text, comment }) => /@exclusivity/.test(text) && /\bUnchecked\b/.test(comment));

  assert.ok(comments.length > 10);
  for (const { place, comment } of comments) assert.match(comment, /Unchecked[^\n]*(\d|see `)/, place);
});

test("each type that is said to be safe on several threads says why", () => {
  const types = code.filter(({ text }) => /@unchecked Sendable/.test(text));

  for (const { place, comment } of types) assert.match(comment, /`@unchecked Sendable`: /, place);
});

/**
 * The public declarations of a Swift file, with what their comment documents.
 *
 * @param {string} path
 */
function declarations(path) {
  const lines = read(path).split("\n");
  const found = [];
  let comment = "";
  for (const [index, line] of lines.entries()) {
    const text = line.trim();
    if (text.startsWith("///")) {
      comment += `${text}\n`;
      continue;
    }
    const kind = /^(?:[@\w()]+ )*(?:public|open) (?:[a-z]+ )*?(func|init|class|struct|enum|protocol)\b/.exec(text)?.[1];
    if (kind) {
      // The signature, up to its body.
      const signature = lines.slice(index, index + 12).join(" ").split(/\{ |\{$|\} |  \/\/\//)[0];
      const isFunction = kind === "func" || kind === "init";
      if (isFunction && /[(] *[\w`]+( \w+)?:/.test(signature)) {
        found.push({ path, line: text, needs: "parameters", has: /- Parameters?\b/.test(comment) });
      }
      // What a closure among the parameters throws is its own affair.
      let outer = signature;
      while (/\([^()]*\)/.test(outer)) outer = outer.replace(/\([^()]*\)/g, "");
      if (isFunction && /\bthrows\b/.test(outer)) {
        found.push({ path, line: text, needs: "throws", has: /- Throws:/.test(comment) });
      }
      if (!isFunction) found.push({ path, line: text, needs: "example", has: /```|\/\/\/ {5}\S/.test(comment) });
    }
    if (!text.startsWith("@")) comment = "";
  }
  return found;
}

// GRDB documents 48, 64 and 56 per cent of them.
for (const [needs, least] of Object.entries({ parameters: 95, throws: 95, example: 85 })) {
  test(`of what authors use, at least ${least} per cent have their ${needs} documented`, () => {
    const all = files("Sources/MusubiBinding", ".swift").flatMap(declarations).filter((one) => one.needs === needs);
    const missing = all.filter((one) => !one.has);
    assert.ok(all.length > 0);
    const percent = 100 * (1 - missing.length / all.length);
    const list = missing.map((one) => `${one.path}: ${one.line}`).join("\n");
    assert.ok(percent >= least, `only ${percent.toFixed(0)} of 100 in ${all.length}; without:\n${list}`);
  });
}

test("the types of the reactive vocabulary that authors use most have an example", () => {
  const names = [
    "Observable", "PublishSubject", "BehaviorSubject", "ReplaySubject", "BehaviorRelay", "PublishRelay", "SharedRelay",
    "Driver", "Signal", "Single", "Infallible", "DisposeBag", "Answer", "RowChange", "RowText", "Reactive",
  ];
  const sources = files("Sources/MusubiRx", ".swift").map(read);
  for (const name of names) {
    const declaration = new RegExp(`((?:^ *///.*\\n)+)^.*public (?:final class|class|struct|enum|typealias) ${name}\\b`, "m");
    const comments = sources.flatMap((source) => declaration.exec(source)?.[1] ?? []);
    assert.equal(comments.length, 1, `${name} is declared once`);
    assert.match(comments[0], /```|\/\/\/ {5}\S/, `${name} has no example`);
  }
});
