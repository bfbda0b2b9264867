// SPDX-License-Identifier: Apache-2.0
// What a page's author says of a screen: its outputs, its inputs, its events, and those of a widget.

interface MusubiOutputs {
  prices: number[];
}

interface MusubiInputs {
  visit: [latitude: number, longitude: number];
  clear: undefined;
}

interface HTMLElementEventMap {
  "musubi:welcome": CustomEvent<string>;
  "boat-chosen": CustomEvent<number>;
}
