// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { check, editDistance, nearestNames, sentence, whoIs } from "../../Sources/BrowserClient/musubi/dev.js";
import { outward } from "../../Sources/BrowserClient/musubi/text/field.js";
import * as attr from "../../Sources/BrowserClient/musubi/outlets/attr.js";
import * as back from "../../Sources/BrowserClient/musubi/outlets/back.js";
import * as class_ from "../../Sources/BrowserClient/musubi/outlets/class.js";
import * as on from "../../Sources/BrowserClient/musubi/outlets/on.js";
import * as prop from "../../Sources/BrowserClient/musubi/outlets/prop.js";
import * as text from "../../Sources/BrowserClient/musubi/outlets/text.js";
import * as value from "../../Sources/BrowserClient/musubi/outlets/value.js";
import { recovery } from "../../Sources/BrowserClient/musubi/musubi-more.js";
import { createPace } from "../../Sources/BrowserClient/musubi/pace.js";
import { attachAll, createWatchers } from "../../Sources/BrowserClient/musubi/page.js";
import { createPendingMarks } from "../../Sources/BrowserClient/musubi/pending.js";
import { fakeWindow } from "./support/clock.mjs";
import { fakeElement, fakeField } from "./support/dom.mjs";
import { page, typing } from "./support/typing.mjs";

test("a field shows the text and sends typing as edits", () => {
  const it = typing();

  it.type(3, "d");

  assert.equal(it.field.value, "abcd");
  assert.deepEqual(it.edits(), [[[3, 0, "d"]]]);
});

test("another page's edit moves the caret along and is written piece by piece", () => {
  const it = typing();
  it.field.setSelectionRange(2, 2);
  const { writes } = it.field;

  it.step([[0, 0, "xy"]]);

  assert.equal(it.field.value, "xyabc");
  assert.equal(it.field.selectionStart, 4);
  assert.equal(it.field.writes, writes + 1);
});

test("nothing is written to a field while a composition goes on, and nothing is lost", () => {
  const it = typing();
  it.context.fire(it.field, "compositionstart");
  it.type(3, "に");
  it.step([[0, 0, "X"]]);
  it.type(3, "にほん", 1);
  assert.equal(it.field.value, "abcにほん");

  it.field.replace(3, 6, "日本");
  it.context.fire(it.field, "input");
  it.context.fire(it.field, "compositionend");
  assert.equal(it.field.value, "abc日本", "the browser may still have something to say");
  it.context.runLater();

  assert.equal(it.field.value, "Xabc日本");
  assert.equal(it.session.text("number").text(), "Xabc日本");
  assert.equal(it.field.selectionStart, 6);
});

test("Safari's last change after the end of a composition is sent once", () => {
  const it = typing();
  it.context.fire(it.field, "compositionstart");
  it.type(3, "nihon");
  it.context.fire(it.field, "compositionend");
  it.type(3, "日本", 5);
  it.context.runLater();

  assert.equal(it.session.text("number").text(), "abc日本");
});

test("a field with data-compose=final sends a composition when it is over", () => {
  const it = typing({ field: fakeField({ "data-compose": "final" }) });
  it.context.fire(it.field, "compositionstart");
  it.type(3, "に");
  it.type(3, "日", 1);
  assert.deepEqual(it.edits(), []);
  it.step([[0, 1, ""]]);

  it.context.fire(it.field, "compositionend");
  it.context.runLater();

  assert.deepEqual(it.edits(), [[[2, 0, "日"]]]);
  assert.equal(it.field.value, "bc日");
});

test("a tap behind a composition in the same task comes after its text, in a two-way text and in a whole value", (context) => {
  context.mock.timers.enable({ apis: ["setInterval"] });
  for (const name of ["number", "title"]) {
    const it = page({ field: fakeField({ "data-compose": "final" }) });
    Object.assign(it.context, { isQueueing: true });
    it.session.help(recovery);
    value.attach(it.field, it.context, { argument: "", name });
    it.start();
    it.context.fire(it.field, "compositionstart");
    it.field.replace(it.field.value.length, it.field.value.length, "日本");
    it.context.fire(it.field, "input");
    assert.deepEqual(it.session.queue.entries(), []);

    it.context.fire(it.field, "compositionend");
    it.context.fire(it.field, "blur");
    it.session.input("tap", { name: "save" });
    it.context.runLater();

    assert.deepEqual(it.session.queue.entries().map((entry) => entry.name), [name, "save"]);
    assert.ok(it.field.value.endsWith("日本"));
  }
});

test("a whole value is sent behind a composition that Safari changes after its end, and not by one that changed nothing", () => {
  const it = page({ field: fakeField({ "data-compose": "final" }) });
  value.attach(it.field, it.context, { argument: "", name: "title" });
  it.start();
  const compose = (...texts) => {
    it.context.fire(it.field, "compositionstart");
    for (const text of texts) {
      it.field.replace(0, it.field.value.length, text);
      it.context.fire(it.field, "input");
    }
    it.context.fire(it.field, "compositionend");
  };

  compose("k", "か", "");
  it.context.runLater();
  assert.deepEqual(it.context.inputs, []);
  compose("かき");
  it.field.replace(0, 2, "柿");
  it.context.fire(it.field, "input");
  it.context.runLater();

  assert.equal(it.context.inputs.at(-1).value, "柿");
});

test("a control that only sends waits for the end of a composition, too, and sends what was composed once", () => {
  const it = page({ field: fakeField({ "data-compose": "final" }) });
  on.attach(it.field, it.context, { argument: "input", name: "word" });
  on.attach(it.field, it.context, { argument: "change", name: "done" });
  const input = (from, to, text) => {
    it.field.replace(from, to, text);
    it.context.fire(it.field, "input");
  };

  input(0, 0, "a");
  it.context.fire(it.field, "compositionstart");
  input(1, 1, "k");
  input(1, 2, "か");
  it.context.fire(it.field, "compositionend");
  // Firefox tells of the input behind the end.
  it.context.fire(it.field, "input");
  it.context.fire(it.field, "change");
  it.context.runLater();

  assert.deepEqual(it.context.inputs.map(({ name, value }) => [name, value]), [["word", "a"], ["word", "aか"], ["done", "aか"]]);
});

test("typing before the first state is not lost", () => {
  const it = page();
  value.attach(it.field, it.context, { argument: "", name: "number" });
  it.field.replace(0, 0, "!");
  it.context.fire(it.field, "input");

  it.start();

  assert.equal(it.session.text("number").text(), it.field.value);
  assert.equal([...it.field.value].sort().join(""), "!abc");
});

test("line ends that a control hides stay in the text", () => {
  assert.deepEqual(outward("a\r\nb", [[2, 0, "x"]], false), [[3, 0, "x"]]);
  assert.deepEqual(outward("a\r\nb", [[1, 1, ""]], false), [[1, 2, ""]]);
  assert.deepEqual(outward("a\nb", [[1, 0, "x"]], true), [[1, 0, "x"]]);
  const it = typing({ initial: "a\r\nb", field: fakeField({}, "textarea") });
  assert.equal(it.field.value, "a\nb");
  it.type(3, "c");
  assert.equal(it.session.text("number").text(), "a\r\nbc");
});

test("a control whose name is no two-way text sends whole values and shows the server's", () => {
  const it = page();
  value.attach(it.field, it.context, { argument: "", name: "title" });
  it.start();
  it.watchers.show({ title: "from the server" });
  assert.equal(it.field.value, "from the server");

  it.field.replace(0, 15, "typed");
  it.context.fire(it.field, "input");

  assert.deepEqual(it.context.inputs, [{ kind: "typed", name: "title", value: "typed" }]);
});

const shown = (attach, element, argument, next) => {
  const watchers = createWatchers();
  attach(element, { watch: watchers.watch }, { argument, name: "x" });
  watchers.show({ x: next });
  return element;
};

test("text is shown as text", () => {
  assert.equal(shown(text.attach, fakeElement("p"), "", "<b>&amp;").textContent, "<b>&amp;");
  assert.equal(shown(text.attach, fakeElement("p"), "", 0).textContent, "0");
  assert.equal(shown(text.attach, fakeElement("p"), "", null).textContent, "");
});

test("what changes is spoken once it rests, also the first value of an output that begins without one", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  for (const [first, isBefore] of [[{ found: "" }, false], [{}, false], [{ found: "7 found" }, true]]) {
    const { watch, show } = createWatchers();
    const element = { textContent: "" };
    const ready = [];
    if (isBefore) show(first);
    const stop = text.attachSpoken(element, { watch, whenReady: (run) => (isBefore ? run() : ready.push(run)) }, { name: "found" });
    show(first);
    for (const run of ready.splice(0)) run();
    context.mock.timers.tick(5_000);
    assert.equal(element.textContent, "");

    show({ found: "12 found" });
    context.mock.timers.tick(900);
    assert.equal(element.textContent, "");
    context.mock.timers.tick(100);
    assert.equal(element.textContent, "12 found");

    show({ found: "13 found" });
    context.mock.timers.tick(900);
    show({ found: "14 found" });
    context.mock.timers.tick(900);
    assert.equal(element.textContent, "12 found");
    stop();
  }
});

test("a class follows a value", () => {
  assert.ok(shown(class_.attach, fakeElement("p"), "warm", true).classList.contains("warm"));
});

test("addresses that run scripts are refused", () => {
  for (const address of ["javascript:alert(1)", " JaVaScRiPt:alert(1)", "java\nscript:alert(1)", "data:text/html,x", "blob:x"]) {
    assert.equal(shown(attr.attach, fakeElement("a"), "href", address).getAttribute("href"), null, address);
  }
  for (const address of ["/number", "?a=1", "https://else.where/", "mailto:a@b", "#top"]) {
    assert.equal(shown(attr.attach, fakeElement("a"), "href", address).getAttribute("href"), address);
  }
});

test("attributes that run scripts or styles are never set", () => {
  for (const name of ["onclick", "style", "srcdoc", "id", "action", "formaction", "http-equiv", "target"]) {
    assert.equal(shown(attr.attach, fakeElement("a"), name, "x").getAttribute(name), null, name);
  }
  assert.equal(shown(attr.attach, fakeElement("script"), "src", "/x.js").getAttribute("src"), null);
});

test("false takes an attribute away, but is a value for assistive technology", () => {
  assert.equal(shown(attr.attach, fakeElement("a", { title: "t" }), "title", false).hasAttribute("title"), false);
  assert.equal(shown(attr.attach, fakeElement("a"), "aria-expanded", false).getAttribute("aria-expanded"), "false");
});

test("properties are set on custom elements only, once they have their class", async () => {
  let define = () => {};
  const defined = new Promise((done) => (define = () => done(undefined)));
  Object.defineProperty(globalThis, "customElements", { value: { whenDefined: () => defined }, configurable: true });
  const rows = [1];
  const chart = shown(prop.attach, fakeElement("bar-chart"), "bar-rows", rows);
  const others = [["div", "title"], ["bar-chart", "inner-html"]].map(([tag, name]) => shown(prop.attach, fakeElement(tag), name, "x"));
  await null;
  assert.equal(chart.barRows, undefined);

  define();
  await defined;
  await null;

  assert.deepEqual(chart.barRows, [1]);
  assert.notEqual(chart.barRows, rows, "A widget that sorts its rows changes none of the page's.");
  assert.deepEqual(others.map(({ title, innerHTML }) => [title, innerHTML]), [[undefined, undefined], [undefined, undefined]]);
});

test("Enter that confirms a composition is no input", () => {
  const it = page();
  on.attach(it.field, it.context, { argument: "keydown.enter", name: "post" });

  it.context.fire(it.field, "keydown", { key: "Enter", isComposing: true });
  it.context.fire(it.field, "keydown", { key: "Enter", keyCode: 229 });
  it.context.fire(it.field, "keydown", { key: "a" });
  assert.deepEqual(it.context.inputs, []);
  it.context.fire(it.field, "keydown", { key: "Enter", keyCode: 13 });

  assert.equal(it.context.inputs.length, 1);
});

test("attributes find their outlets", () => {
  const found = [];
  const outlet = (kind) => (_element, _context, binding) => void found.push([kind, binding.argument, binding.name]);
  const attributes = { "data-bind-text": "a", "data-bind-class-is-warm": "b", "data-on-keydown.enter": "c", "data-other": "d" };

  const names = ["bind-text", "bind-class-", "on-"];
  attachAll(fakeElement("p", attributes), {}, Object.fromEntries(names.map((name) => [name, outlet(name)])));

  assert.deepEqual(found, [["bind-text", "", "a"], ["bind-class-", "is-warm", "b"], ["on-", "keydown.enter", "c"]]);
});

test("a name in the address may make entries of the browser's history", () => {
  const found = [];
  const query = (_element, _context, { argument, name }) => void found.push([argument, name]);
  attachAll(fakeElement("main", { "data-bind-query": "word", "data-bind-query-push": "page" }), {}, { "bind-query": query });
  assert.deepEqual(found, [["", "word"], ["-push", "page"]]);
});

test("an attribute of the page's own that begins with data-back is no way back", () => {
  const { watch } = createWatchers();
  const context = { watch, listen: (type) => void listened.push(type) };
  const listened = [];

  attachAll(fakeElement("section", { "data-background": "sea.jpg", "data-backdrop": "" }), context, { back: back.attach });
  assert.deepEqual(listened, []);
  attachAll(fakeElement("a", { "data-back": "" }), context, { back: back.attach });

  assert.deepEqual(listened, ["click"]);
});

test("a debounce sends after a pause, a throttle at once and then once in a while", () => {
  const window = fakeWindow();
  let count = 0;
  const debounced = createPace({ debounce: "100" }, () => (count += 1), window);
  for (let index = 0; index < 5; index += 1) debounced(), window.advance(60);
  assert.equal(count, 0);
  window.advance(40);
  assert.equal(count, 1);

  count = 0;
  const throttled = createPace({ throttle: "100" }, () => (count += 1), window);
  for (let index = 0; index < 9; index += 1) throttled(), window.advance(20);
  assert.equal(count, 2);
  window.advance(500);
  assert.equal(count, 3);
});

test("an element is pending after 200 ms without acknowledgement", () => {
  const window = fakeWindow();
  const marks = createPendingMarks(window);
  const element = fakeElement("button");
  marks.add(element, 1);
  window.advance(199);
  marks.add(element, 2);
  assert.ok(!element.hasAttribute("data-pending"));
  window.advance(1);
  assert.ok(element.hasAttribute("data-pending"));
  marks.acknowledge(1);
  assert.ok(element.hasAttribute("data-pending"));
  marks.acknowledge(2);
  assert.ok(!element.hasAttribute("data-pending"));
});

test("the inspector says who the page is", () => {
  assert.equal(whoIs({ id: null, displayName: null, roles: [] }), "Nobody is signed in.");
  assert.equal(whoIs({ id: "u-1", displayName: "Ann", roles: ["host", "editor"] }), "Ann (u-1): host, editor");
  assert.equal(whoIs({ id: "ann", displayName: "ann", roles: [] }), "ann, without roles");
  assert.equal(whoIs({ id: "ann", displayName: null, roles: [] }), "ann, without roles");
});

test("the inspector finds misspelt names of lists that are filtered, events and dialogs, also in a row", () => {
  const names = { screen: "number", inputs: [], outputs: ["cards"], events: ["saved", "askDelete"] };
  const sentences = (tag, attributes, told = names) =>
    check(fakeElement(tag, attributes), told, true).map((finding) => sentence(finding, "number"));

  assert.deepEqual(sentences("input", { "data-window-filter": "card" }), [
    '<input> data-window-filter="card": the screen "number" has no output of that name. Did you mean cards?',
  ]);
  assert.deepEqual(sentences("p", { "data-event-text": "saves" }), [
    '<p> data-event-text="saves": the screen "number" has no event of that name. Did you mean saved?',
  ]);
  assert.deepEqual(sentences("dialog", { "data-dialog": "askDelet" }), [
    '<dialog> data-dialog="askDelet": the screen "number" has no question of that name. Did you mean askDelete?',
  ]);
  assert.deepEqual(sentences("input", { "data-window-filter": "cards" }), []);
  assert.deepEqual(sentences("dialog", { "data-event-text": "saved", "data-dialog": "askDelete" }), []);
  const none = { ...names, events: [] };
  assert.equal(sentences("p", { "data-event-text": "saved" }, none).length, 1);
  // A View asks by names that it does not declare.
  assert.deepEqual(sentences("dialog", { "data-dialog": "ask" }, none), []);
  const { events: _, ...older } = names;
  assert.deepEqual(sentences("dialog", { "data-event-text": "saves", "data-dialog": "ask" }, older), []);
});

test("the inspector finds misspelt names and attributes, and the right ones", () => {
  const names = { screen: "number", inputs: ["number", "roll"], outputs: ["label", "number"] };
  const sentences = (attributes) => check(fakeElement("p", attributes, { id: "x" }), names).map((finding) => sentence(finding, "number"));

  assert.deepEqual(sentences({ "data-bind-text": "label", "data-on-click": "roll", "data-testid": "x" }), []);
  assert.deepEqual(sentences({ "data-bind-text": "lable" }), [
    '<p id="x"> data-bind-text="lable": the screen "number" has no output of that name. Did you mean label?',
  ]);
  assert.deepEqual(sentences({ "data-on-click": "label" }), [
    '<p id="x"> data-on-click="label": the screen "number" has no input of that name.',
  ]);
  assert.deepEqual(sentences({ "data-bind-txt": "label" }), [
    '<p id="x">: there is no attribute data-bind-txt. Did you mean data-bind-text?',
  ]);
  assert.deepEqual(sentences({ "data-on-clik": "roll" }), [
    '<p id="x">: there is no attribute data-on-clik. Did you mean data-on-click?',
  ]);
  assert.deepEqual(sentences({ "data-bind-value": "number" }), [
    '<p id="x"> data-bind-value="number" does nothing: only form controls have a value that is bound.',
  ]);
  assert.deepEqual(sentences({ "data-bind-prop-rows": "label", "data-bind-each": "label" }), [
    '<p id="x"> data-bind-prop-rows="label" does nothing: only custom elements have properties that are bound.',
    '<p id="x"> data-bind-each="label" does nothing: rows are made from a <template>.',
  ]);
  assert.deepEqual(nearestNames("Rol", ["label", "roll"]), ["roll"]);
  assert.equal(editDistance("kitten", "sitting"), 3);
});
