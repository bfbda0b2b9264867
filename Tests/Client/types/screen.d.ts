// SPDX-License-Identifier: Apache-2.0
// What a page's author says of a screen: its outputs, its inputs, its events, and those of a widget.

interface MusubiOutputs {
  prices: number[];
}

interface MusubiInputs {
  visit: [latitude: number, longitude: number];
  clear: undefined;
}

/** A struct of the server as an interface, which has no index signature, and as a type. */
interface Saved {
  id: number;
  by?: { name: string };
}
type Moved = { id: number; place: [row: number, column: number] };

interface HTMLElementEventMap {
  "musubi:welcome": CustomEvent<string>;
  "musubi:saved": CustomEvent<Saved>;
  "musubi:moved": CustomEvent<Moved>;
  "boat-chosen": CustomEvent<number>;
}
