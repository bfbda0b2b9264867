// SPDX-License-Identifier: Apache-2.0
/** A boat, as the output `boats` tells it. */
interface Boat {
  id: number;
  name: string;
  place: [latitude: number, longitude: number];
}

interface MusubiOutputs {
  boats: Boat[];
  arrivals: number[];
  chosen: string;
}

interface MusubiInputs {
  choose: number;
  arrive: undefined;
  hour: number;
}
