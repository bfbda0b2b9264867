// SPDX-License-Identifier: Apache-2.0

/** A small reproducible generator (mulberry32). */
export function seeded(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const letters = ["a", "b", "a", "c", "é", "結", "😀", "😁", "\n"];

/** A short text with repetitions and surrogate pairs. */
export function randomText(random, longest = 10) {
  const length = Math.floor(random() * longest);
  return Array.from({ length }, () => letters[Math.floor(random() * letters.length)]).join("");
}

/** An edit of the text with up to three components; never splits a pair. */
export function randomEdit(text, random) {
  const boundaries = [0];
  for (const character of text) boundaries.push(boundaries[boundaries.length - 1] + character.length);
  const pick = () => boundaries[Math.floor(random() * boundaries.length)];
  const places = Array.from({ length: 2 * (1 + Math.floor(random() * 3)) }, pick).sort((a, b) => a - b);
  const edit = [];
  for (let index = 0; index < places.length; index += 2) {
    const deleted = random() < 0.5 ? 0 : places[index + 1] - places[index];
    const inserted = random() < 0.7 ? randomText(random, 4) : "";
    if (deleted && random() < 0.3) edit.push([places[index], 0, inserted], [places[index], deleted, ""]);
    else if (deleted || inserted) edit.push([places[index], deleted, inserted]);
  }
  return edit;
}
