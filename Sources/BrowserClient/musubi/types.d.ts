// SPDX-License-Identifier: Apache-2.0

// What Musubi's client gives to the scripts of a page, for editors and for tsc. Keep a copy beside your scripts, and begin one with:
//   // @ts-check
//   /// <reference path="types.d.ts" />

/** A value of an output or of an input: what JSON can be. */
type MusubiValue = null | boolean | number | string | MusubiValue[] | { [member: string]: MusubiValue };

/**
 * What an event may say in `detail` whose name has a hyphen, and that `data-on-<event>` sends as an input: a value, or nothing, which
 * is a tap. `null` is nothing, too.
 *
 * ```ts
 * const chosen: CustomEvent<MusubiDetail> = new CustomEvent("boat-chosen", { detail: boat.id });
 * ```
 *
 * TypeScript takes an object here whose type is a `type`, and none of an `interface`; of that `{ ...boat }` is one.
 */
type MusubiDetail = MusubiValue | undefined;

/**
 * The outputs that `observe` tells, by name and type. Empty here: name yours in a file of your own, which adds to it. What is not
 * named has any type.
 *
 * ```ts
 * interface MusubiOutputs {
 *   prices: number[];
 * }
 * ```
 */
interface MusubiOutputs {}

/**
 * The inputs that `send` takes, by name and type; `undefined` is a tap. Empty here, as `MusubiOutputs` is. What is not named takes any
 * value.
 *
 * ```ts
 * interface MusubiInputs {
 *   visit: [number, number];
 *   clear: undefined;
 * }
 * ```
 */
interface MusubiInputs {}

/** The type of an output, by its name. */
type MusubiOutput<Name extends string> = Name extends keyof MusubiOutputs ? MusubiOutputs[Name] : any;

/** The type of an input, by its name. */
type MusubiInput<Name extends string> = Name extends keyof MusubiInputs ? MusubiInputs[Name] : MusubiDetail;

/** The connection to the server, as `<html data-link>` says it; undefined before the client has begun. */
type MusubiLink = "live" | "connecting" | "offline" | "resuming" | "expired" | "outdated";

interface HTMLElementEventMap {
  /**
   * An event of the screen, the output of a `Signal`, at the document's element. `detail` is its value; undefined if it has none.
   *
   * ```js
   * document.documentElement.addEventListener("musubi:saved", ({ detail }) => console.log(detail));
   * ```
   *
   * Name the types of yours in a file of your own: `interface HTMLElementEventMap { "musubi:saved": CustomEvent<Saved> }`. What is not
   * named has any type. `CustomEvent<MusubiDetail>` would refuse those whose `Saved` is an interface.
   */
  [event: `musubi:${string}`]: CustomEvent<any>;
}

interface DOMStringMap {
  /** At `<html>`: the connection to the server. */
  link?: MusubiLink;
}

/** A module of the server's: `import { screen } from "/musubi.js"`. */
declare module "*/musubi.js" {
  /** The screen that the page shows, for a script of its own. Its events come as above. */
  export const screen: {
    /**
     * Calls back with the value of an output, now if there is one, and whenever it changes. A name leads into values, as in
     * attributes: `"trip.title"`, and `"."` is the whole state. The value is a copy.
     *
     * ```js
     * const stop = screen.observe("prices", (prices) => chart.update(prices));
     * ```
     *
     * @returns What ends it.
     */
    observe<Name extends string>(name: Name, show: (value: MusubiOutput<Name>) => void): () => void;
    /**
     * Sends an input; without a value it is a tap. It waits while there is no connection, as all inputs do. One that is longer
     * than a frame of the server is not sent, and the page says so.
     *
     * ```js
     * map.on("click", ({ latlng }) => screen.send("visit", [latlng.lat, latlng.lng]));
     * ```
     */
    send<Name extends string>(
      name: Name,
      ...value: undefined extends MusubiInput<Name> ? [value?: MusubiInput<Name>] : [value: MusubiInput<Name>]
    ): void;
  };
}
