// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { colorOf } from "../../Sources/BrowserClient/musubi/carets/layer.js";

/** The relative luminance (WCAG 2.2) of a colour in OKLCH, as a screen with sRGB shows it. */
function luminance(lightness, chroma, hue) {
  const [a, b] = [chroma * Math.cos((hue * Math.PI) / 180), chroma * Math.sin((hue * Math.PI) / 180)];
  const [l, m, s] = [
    lightness + 0.3963377774 * a + 0.2158037573 * b,
    lightness - 0.1055613458 * a - 0.0638541728 * b,
    lightness - 0.0894841775 * a - 1.291485548 * b,
  ].map((root) => root ** 3);
  const parts = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ].map((part) => Math.min(1, Math.max(0, part)));
  return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
}

const contrast = (one, other) => (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
/** Of fields on light and dark pages: white and a light grey, black and a dark grey. */
const [lightPaper, darkPaper] = [[1, 0.85], [0, 0.03]];

test("each page's colour is read with the name on it, and seen on light and dark paper", () => {
  for (let page = 1; page <= 400; page += 1) {
    const [dark, light] = [...colorOf(page).matchAll(/oklch\(([\d.]+) ([\d.]+) (\d+)\)/g)].map(([, ...parts]) => luminance(...parts.map(Number)));
    assert.ok(contrast(dark, 1) >= 4.5, `${page}: white on ${dark}`);
    assert.ok(contrast(light, 0) >= 4.5, `${page}: black on ${light}`);
    for (const paper of lightPaper) assert.ok(contrast(dark, paper) >= 3, `${page}: ${dark} on ${paper}`);
    for (const paper of darkPaper) assert.ok(contrast(light, paper) >= 3, `${page}: ${light} on ${paper}`);
  }
});

test("the first twenty pages have colours of their own", () => {
  const hues = Array.from({ length: 20 }, (_, page) => Number(/(\d+)\)/.exec(colorOf(page + 1))[1])).sort((a, b) => a - b);
  hues.forEach((hue, index) => assert.ok(index === 0 || hue - hues[index - 1] >= 7, `${hues}`));
});
