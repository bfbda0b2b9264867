// SPDX-License-Identifier: Apache-2.0
// Long lists in a page with a layout: what they ask the server for, and where they stand.
import assert from "node:assert/strict";
import { test } from "node:test";
import { longList } from "./support/layout.mjs";

/** A list that somebody has scrolled to its middle. */
async function inTheMiddle(context, options) {
  const page = await longList(context, options);
  page.begin();
  page.settle();
  page.box.scrollTop = 2_000_000;
  page.settle();
  page.box.scrollTop += 17;
  page.settle();
  const [row] = page.seen();
  assert.ok(Math.abs(row - 50_000) < 10, row);
  return page;
}

test("a list asks for the rows in view, and where it is scrolled for those there", async (context) => {
  const page = await inTheMiddle(context);

  assert.deepEqual(page.asked[0], { first: 0, count: 48 });
  assert.ok(page.shown().length < 120, page.shown().length);
  assert.deepEqual(page.refused, []);
});

for (const isPage of [false, true]) {
  const name = isPage ? "a list that the page scrolls" : "a list in a box";

  test(`${name} asks for nothing while another screen lies on top of it, and stands where it stood behind it`, async (context) => {
    const page = await inTheMiddle(context, { isPage });
    const [seen, first] = [page.seen(), page.shown()[0]];
    const { length } = page.asked;
    const scrolled = page.box.scrollTop;

    page.show(false);
    page.frame();
    // The screen on top scrolls, its window changes its size, and a row of the list changes.
    page.box.scrollTop = 300;
    page.frame();
    page.resize();
    page.tell(first - 1, page.shown().length);
    assert.equal(page.press("End").defaultPrevented, false);
    page.settle();
    assert.equal(page.asked.length, length);

    page.show(true);
    if (isPage) page.box.scrollTop = scrolled;
    page.settle();
    assert.deepEqual([page.seen(), page.refused], [seen, []]);
  });

  test(`${name} stands where it stood if the connection was lost while another screen lay on top of it`, async (context) => {
    const page = await inTheMiddle(context, { isPage });
    const seen = page.seen();

    page.show(false);
    page.frame();
    page.begin();
    page.settle();
    page.show(true);
    page.settle();

    assert.deepEqual([page.seen(), page.refused], [seen, []]);
    assert.equal(page.asked.at(-1).anchor, seen[0]);
  });
}

test("a list at its beginning knows how high its rows are behind another screen", async (context) => {
  const page = await longList(context, { count: 1_000 });
  page.begin();
  page.settle();

  page.show(false);
  page.frame();
  page.tell(0, 48);
  page.settle();
  page.show(true);
  page.settle();
  assert.equal(page.box.scrollHeight, 40_000);
  page.box.scrollTop = 1_000;
  page.settle();

  assert.deepEqual([page.seen(), page.refused], [[26, 0], []]);
});

test("a list in a section that begins hidden asks for its rows once that is shown", async (context) => {
  const page = await longList(context, { isShown: false });
  page.begin();
  page.settle();
  assert.deepEqual(page.asked, []);

  page.show(true);
  page.settle();

  assert.deepEqual(page.asked[0], { first: 0, count: 48 });
  assert.deepEqual(page.seen(), [1, 0]);
});

test("rows that are hardly high are asked for in numbers that the server takes", async (context) => {
  const page = await longList(context, { count: 1_000, rowHeight: 1 });
  page.begin();
  page.settle();

  assert.deepEqual([page.shown().length, page.refused], [400, []]);
});

test("a list that is higher than a page can be is spread over the room that there is", async (context) => {
  const page = await longList(context, { count: 1_000_000 });
  page.begin();
  page.settle();
  /** The row in view once the box is scrolled to a part of the list. */
  const at = (part) => {
    page.box.scrollTop = part * page.box.scrollHeight;
    page.settle();
    return page.seen()[0];
  };

  for (const part of [0.5, 0.25, 0.9]) assert.ok(Math.abs(at(part) - part * 1_000_000) < 1_000, `${part}: ${page.seen()}`);
  assert.ok(page.box.scrollHeight < 9_000_000, page.box.scrollHeight);
  // Beyond the rows that are here, by five views.
  const row = at(0.3);
  page.box.scrollTop -= 3_000;
  page.settle();
  assert.ok(row - page.seen()[0] >= 75 && row - page.seen()[0] < 400, `${row}: ${page.seen()}`);
  const next = page.seen()[0];
  page.box.scrollTop += 3_000;
  page.settle();
  assert.ok(page.seen()[0] - next >= 75 && page.seen()[0] - next < 400, `${next}: ${page.seen()}`);
  page.press("End");
  page.settle();
  assert.equal(page.shown().at(-1), 1_000_000);
  assert.deepEqual(page.refused, []);
});

for (const isPage of [false, true]) {
  test(`a box that scrolls sideways alone is not taken for what scrolls its rows; ${isPage ? "the page" : "a box"} does`, async (context) => {
    const page = await inTheMiddle(context, { isPage, isSideways: true });

    assert.ok(page.shown().length < 120, page.shown().length);
    assert.ok(page.asked.length > 1);
  });
}

test("a page that is scrolled to its top shows what stands above the list", async (context) => {
  const page = await inTheMiddle(context, { isPage: true, header: 300 });

  page.box.scrollTop = 0;
  page.settle();

  assert.deepEqual([page.box.scrollTop, page.shown()[0]], [0, 1]);
});

test("a box that gets higher asks for the rows that it has room for", async (context) => {
  const page = await inTheMiddle(context);
  const before = page.shown().length;

  page.heighten(1_800);
  page.settle();

  assert.ok(page.shown().length > before, page.shown().length);
});
