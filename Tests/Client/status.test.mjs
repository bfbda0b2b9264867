// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { learn, namesOfCodes } from "../../Sources/BrowserClient/musubi/more-words.js";
import { createStatus } from "../../Sources/BrowserClient/musubi/status.js";
import { words } from "../../Sources/BrowserClient/musubi/words.js";
import { fakeWindow } from "./support/clock.mjs";
import { fakeElement } from "./support/dom.mjs";

// As the page does once the second file is there.
learn(words);

/** A status line with attributes, on a page in a language. */
function statusLine(lang = "en", attributes = {}) {
  const window = fakeWindow();
  const line = fakeElement("p", attributes);
  line.textContent = "";
  const root = { dataset: {}, lang };
  return { window, line, root, status: createStatus(line, root, window) };
}

test("the status line tells what lasts, and messages at once", () => {
  const { window, line, root, status } = statusLine();
  status.setLink("offline");
  status.setLink("live");
  window.advance(5000);
  assert.equal(line.textContent, "", "a short gap is not worth a word");

  status.setLink("offline");
  status.setWaiting(3, false);
  window.advance(1000);
  assert.equal(line.textContent, "No connection to the server. Trying again. 3 changes have not reached the server yet.");
  assert.equal(root.dataset.link, "offline");

  status.setWaiting(0, false);
  status.setLink("live");
  assert.equal(line.textContent, "");
  status.say("gone");
  assert.equal(line.textContent, "This entry no longer exists.");
  window.advance(10_000);
  assert.equal(line.textContent, "");
});

test("a page that is back says so at once, also while something still waits", () => {
  const { window, line, status } = statusLine();
  status.setLink("offline");
  status.setWaiting(2, false);
  window.advance(1000);

  status.setLink("live");

  assert.equal(line.textContent, "2 changes have not reached the server yet.");
});

test("a page that opens slowly is connecting, and not without a connection", () => {
  const { window, line, status } = statusLine();
  status.setLink("connecting");
  window.advance(1000);
  assert.equal(line.textContent, "Connecting to the server.");

  status.setLink("offline");
  status.setLink("connecting");
  window.advance(1000);
  assert.equal(line.textContent, "No connection to the server. Trying again.");
});

test("why a page is not let in is told at once, as the server said it or in the page's language", () => {
  const { line, root, status } = statusLine();
  status.setLink("expired", "Closed for the night.");
  assert.equal(line.textContent, "Closed for the night.");

  status.setLink("expired", "taken");
  assert.equal(line.textContent, "This page is open in another tab, and goes on there.");
  root.lang = "ja";
  status.translate();
  assert.equal(line.textContent, "このページは別のタブで開かれています。続きはそちらでご覧ください。");
});

test("sentences have the form for one, and numbers are written as in the page's language", () => {
  const text = (lang, ...rest) => statusLine(lang, { "data-say-lost-pl": "{} zmian", "data-say-lost-few-pl": "{} zmiany" }).status.text(...rest);

  assert.equal(text("en", "waiting", 1), "1 change has not reached the server yet.");
  assert.equal(text("en-GB", "waiting", 2000), "2,000 changes have not reached the server yet.");
  assert.equal(text("en", "lost", 1), "Your last action may not have taken effect. Please check.");
  assert.equal(text("ja-JP", "waiting", 1), "1件の変更がまだサーバーに届いていません。");
  assert.deepEqual([text("pl", "lost", 5), text("pl", "lost", 3)], ["5 zmian", "3 zmiany"]);
  assert.equal(text("", "waiting", 1), "1 change has not reached the server yet.", "a page without a language");
});

test("the status line has the page's own words, in its language", () => {
  const own = { "data-say-waiting-ja": "送信待ち: {}件", "data-say-waiting-de": "{} warten", "data-say-waiting-en": "Waiting: {}" };
  const { window, line, root, status } = statusLine("ja", own);
  status.setLink("live");
  status.setWaiting(3, false);
  window.advance(1000);
  assert.equal(line.textContent, "送信待ち: 3件");

  root.lang = "de-AT";
  status.translate();
  assert.equal(line.textContent, "3 warten");
  root.lang = "en";
  status.setWaiting(1, false);
  window.advance(1000);
  assert.equal(line.textContent, "Waiting: 1", "the page has no form for one");
  root.lang = "fr";
  status.setWaiting(4, false);
  window.advance(1000);
  assert.equal(line.textContent, "4 changes have not reached the server yet.");
});

test("every sentence is there in English and Japanese, and its name is documented", () => {
  const reference = readFileSync(new URL("../../Sources/Musubi/Musubi.docc/DataAttributes.md", import.meta.url), "utf8");
  const names = Object.keys(words).filter((name) => !name.endsWith("-one"));
  for (const name of names) {
    assert.match(words[name].en, /^([A-Z]|\{}).*\.$/, name);
    assert.match(words[name].ja, /[。）]$/, name);
    assert.ok(reference.includes(`| \`${name}\` |`), `DataAttributes.md does not tell of ${name}`);
    assert.equal(words[name].en.includes("{}"), words[name].ja.includes("{}"), name);
    assert.equal(words[name].en.includes("{}"), `${name}-one` in words, `${name}: a number needs the form for one`);
  }
  for (const name of Object.values(namesOfCodes)) assert.ok(names.includes(name), name);
});
