// SPDX-License-Identifier: Apache-2.0
// Ids in the rows of lists: each row has its own, and what names them follows.
import assert from "node:assert/strict";
import { test } from "node:test";
import { useFiles } from "../../Sources/BrowserClient/musubi/further.js";
import { begin } from "../../Sources/BrowserClient/musubi/musubi-ids.js";
import { outlets } from "../../Sources/BrowserClient/musubi/musubi-more.js";
import { attachAll, createListen, createWatchers } from "../../Sources/BrowserClient/musubi/page.js";
import { fakeDocument } from "./support/document.mjs";

/** The files that were loaded; each of them is once. */
const loaded = [];

/** A list `rows`, each of what `make` makes. */
const list = (make, options) => page((element) => [element("template", { "data-bind-each": "rows" }, make(element))], options);

let leave = () => {};

/** A page with the templates that `make` makes; the one before is left. */
function page(make, { isLoaded = true } = {}) {
  leave();
  const document = fakeDocument();
  const element = (name, given, ...children) => document.element(name, given, children);
  const root = element("ul", {}, ...make(element));
  document.body.append(root);
  const all = { ...outlets, ids: () => {}, window: () => {} };
  const load = () => begin(undefined, undefined, undefined, all);
  if (isLoaded) load();
  useFiles(async (file) => {
    loaded.push(file);
    load();
  }, all);
  const watchers = createWatchers();
  const context = {
    watch: watchers.watch,
    listen: createListen(document),
    attach: (row, own) => attachAll(row, own, all),
  };
  const stop = (leave = context.attach(root, context));
  const everything = (node = root) => [node, ...node.querySelectorAll("*")];
  const showAll = async (state) => {
    watchers.show(state);
    await new Promise((run) => setTimeout(run));
  };
  return {
    context,
    root,
    stop,
    showAll,
    show: (...rows) => showAll({ rows }),
    rows: () => root.children.filter(({ localName }) => localName !== "template"),
    /** All values of an attribute, in the order of the page. */
    values: (name) => everything().map((node) => node.getAttribute(name)).filter((value) => value !== null),
  };
}

test("a list without ids loads nothing, and changes no attribute", async () => {
  const it = list((element) =>
    element("li", { for: "page" }, element("template", { "data-bind-each": "tasks" }, element("p", { "data-id": "x" }))),
    { isLoaded: false });

  await it.show({ id: 1, tasks: [{ id: 1 }] });

  assert.deepEqual(loaded, []);
  assert.deepEqual(it.values("for"), ["page"]);
  assert.deepEqual(it.values("data-id"), ["x"]);
});

test("each row has ids of its own, and what names them follows; what names an id of the page does not", async () => {
  const texts = { title: "name", class: "name", value: "name", target: "name", "aria-label": "hint" };
  const it = list((element) =>
    element("li", { id: "dish" },
      element("label", { for: "name" }),
      element("input", { id: "name", "aria-describedby": "hint page\n name", list: "names", ...texts }),
      element("p", { id: "hint" }),
      element("a", { href: "#hint" }),
      element("a", { href: "#page" }),
      element("a", { href: "hint" }),
      element("use", { "xlink:href": "#hint", fill: "url(#hint)", style: "mask: url('#hint'); clip-path: url( \"#page\" )" }),
    ),
  );

  await it.show({ id: 7 }, { id: "b" });

  assert.deepEqual(it.values("id"), ["dish_7", "name_7", "hint_7", "dish_b", "name_b", "hint_b"]);
  assert.deepEqual(it.values("for"), ["name_7", "name_b"]);
  assert.deepEqual(it.values("aria-describedby"), ["hint_7 page\n name_7", "hint_b page\n name_b"]);
  assert.deepEqual(it.values("href"), ["#hint_7", "#page", "hint", "#hint_b", "#page", "hint"]);
  assert.deepEqual(it.values("xlink:href"), ["#hint_7", "#hint_b"]);
  assert.deepEqual(it.values("fill"), ["url(#hint_7)", "url(#hint_b)"]);
  assert.deepEqual(it.values("style"), ["7", "b"].map((key) => `mask: url('#hint_${key}'); clip-path: url( "#page" )`));
  for (const [name, value] of Object.entries({ list: "names", ...texts })) {
    assert.deepEqual(it.values(name), [value, value], name);
  }
});

test("every attribute that names elements follows", async () => {
  const names = [
    "for", "headers", "list", "form", "itemref", "popovertarget", "interesttarget", "commandfor", "interestfor",
    ...["activedescendant", "controls", "describedby", "details", "errormessage", "flowto", "labelledby", "owns"].map((name) => `aria-${name}`),
  ];
  const it = list((element) => element("li", { id: "x", ...Object.fromEntries(names.map((name) => [name, "x y"])) }));

  await it.show({ id: 1 });

  for (const name of names) assert.deepEqual(it.values(name), ["x_1 y"], name);
});

test("a row keeps its ids while rows come, go and change places", async () => {
  const it = list((element) => element("li", { id: "x" }));
  await it.show({ id: 1 }, { id: 2 });
  const [first, second] = it.rows();

  await it.show({ id: 3 }, { id: 2 }, { id: 1 });

  assert.deepEqual(it.values("id"), ["x_3", "x_2", "x_1"]);
  assert.deepEqual(it.rows().slice(1), [second, first]);
});

test("whatever the rows' ids are, no two are alike, and none has a space", async () => {
  const it = list((element) => element("li", { id: "x" }, element("b", { id: "x_1" }), element("b", { id: "x-1" })));
  const keys = ["1", "1-2", "1 2", "1_2", "1_20_2", " 1", "a/b", "a#b", "結", "😀", "", "1"];

  await it.show(...keys.map((id) => ({ id })));

  const ids = it.values("id");
  assert.equal(new Set(ids).size, 3 * keys.length);
  for (const id of ids) assert.match(id, /^[\w-]+$/);
  assert.deepEqual(ids.slice(0, 7), ["x_1", "x_1_1", "x-1_1", "x_1-2", "x_1_1-2", "x-1_1-2", "x_1_20_2"]);
});

test("rows in rows have the ids of both, and name elements of the row around them", async () => {
  const it = list((element) =>
    element("li", { id: "day" },
      element("h2", { id: "title" }),
      element("template", { "data-bind-each": "tasks" },
        element("p", { id: "task", "aria-labelledby": "title task page" },
          element("template", { "data-bind-each": "steps" }, element("i", { id: "step", "aria-owns": "day task step" })))),
      element("template", { "data-bind-each": "notes" }, element("q", { "aria-details": "title" })),
    ),
  );

  const tasks = [{ id: 1, steps: [{ id: 5 }] }, { id: 2 }];
  await it.show({ id: "a", tasks, notes: [{ id: 1 }] }, { id: "b", tasks: [{ id: 1 }] });

  assert.deepEqual(it.values("id"), ["day_a", "title_a", "task_a_1", "step_a_1_5", "task_a_2", "day_b", "title_b", "task_b_1"]);
  assert.deepEqual(it.values("aria-labelledby"), ["title_a task_a_1 page", "title_a task_a_2 page", "title_b task_b_1 page"]);
  assert.deepEqual(it.values("aria-owns"), ["day_a task_a_1 step_a_1_5"]);
  assert.deepEqual(it.values("aria-details"), ["title_a"]);
});

test("ids in the rows of rows are enough", async () => {
  for (const isLoaded of [false, true]) {
    const it = list((element) => element("li", {}, element("template", { "data-bind-each": "tasks" }, element("p", { id: "task" }))), { isLoaded });

    await it.show({ id: "a", tasks: [{ id: 1 }] }, { id: "b", tasks: [{ id: 1 }] });

    assert.deepEqual(it.values("id"), ["task_a_1", "task_b_1"]);
    assert.deepEqual(loaded, ["./musubi-ids.js"]);
  }
});

test("a reference that the server sets names the row's own element", async () => {
  const it = list((element) =>
    element("li", {},
      element("input", { "data-bind-attr-aria-describedby": "says", "data-bind-attr-title": "says" }),
      element("p", { id: "wrong" })));

  await it.show({ id: 1, says: "wrong page" }, { id: 2, says: null });
  assert.deepEqual(it.values("aria-describedby"), ["wrong_1 page"]);
  await it.show({ id: 1, says: null }, { id: 2, says: "wrong" });

  assert.deepEqual(it.values("aria-describedby"), ["wrong_2"]);
  assert.deepEqual(it.values("title"), ["wrong"]);
});

test("what the server sets changes no other attribute of the element", async () => {
  const it = list((element) =>
    element("li", {},
      element("input", { id: "choice", "aria-describedby": "choice_1", "data-bind-attr-title": "says" }),
      element("p", { id: "choice_1" })));

  for (const says of ["a", "b", null]) await it.show({ id: 1, says });

  assert.deepEqual(it.values("id"), ["choice_1", "choice_1_1"]);
  assert.deepEqual(it.values("aria-describedby"), ["choice_1_1"]);
});

test("a part of a long list with ids loads its file at once, not behind the one for ids", () => {
  loaded.length = 0;
  page((element) => [element("template", { "data-bind-each": "rows", "data-window": "" }, element("li", { id: "x" }))], { isLoaded: false });

  assert.deepEqual(loaded, ["./musubi-window.js"]);
});

/** A list with a name and a label for it. */
const named = (element, given) =>
  element("template", given, element("li", {}, element("label", { for: "name" }), element("input", { id: "name" })));

test("rows of several lists have ids of their own, also of two with one name", async () => {
  const lists = ["tasks", "archive", "tasks"];
  const it = page((element) => lists.map((name) => named(element, { "data-bind-each": name })));

  await it.showAll({ tasks: [{ id: 7 }], archive: [{ id: 7 }, { id: 8 }] });

  assert.deepEqual(it.values("id"), ["name_7", "name_7__2", "name_8__2", "name_7__3"]);
  assert.deepEqual(it.values("for"), it.values("id"));
});

test("lists in one row have ids of their own, and each names the row around it", async () => {
  const inner = (element, name) =>
    element("template", { "data-bind-each": name }, element("p", { id: "name", "aria-labelledby": "title name" }));
  const it = list((element) => element("li", { id: "title" }, inner(element, "tasks"), inner(element, "notes")));

  const items = { tasks: [{ id: 1 }], notes: [{ id: 1 }] };
  await it.show({ id: "a", ...items }, { id: "b", ...items });
  assert.deepEqual(it.values("id"), ["title_a", "name_a_1", "name_a_1__2", "title_b", "name_b_1", "name_b_1__2"]);
  assert.deepEqual(it.values("aria-labelledby").slice(0, 2), ["title_a name_a_1", "title_a name_a_1__2"]);
  await it.show({ id: "b", ...items });
  await it.show({ id: "a", ...items }, { id: "b", ...items });

  assert.deepEqual(it.values("id"), ["title_a", "name_a_1", "name_a_1__2", "title_b", "name_b_1", "name_b_1__2"]);
});

test("a list that has gone leaves its ids to the next one", async () => {
  const it = page((element) => [named(element, { "data-bind-each": "tasks" }), named(element, { "data-bind-each": "archive" })]);
  const all = { tasks: [{ id: 7 }], archive: [{ id: 7 }] };
  await it.showAll(all);

  it.stop();
  assert.deepEqual(it.values("id"), []);
  it.context.attach(it.root, it.context);
  await it.showAll(all);

  assert.deepEqual(it.values("id"), ["name_7", "name_7__2"]);
});
