// SPDX-License-Identifier: Apache-2.0

// What Musubi's client gives to the scripts of a page, for editors and for tsc. Keep a copy beside your scripts, and begin one with:
//   // @ts-check
//   /// <reference path="types.d.ts" />

/** A value of an output: what JSON can be. */
type MusubiValue = null | boolean | number | string | MusubiValue[] | { [member: string]: MusubiValue };

/** The connection to the server, as `<html data-link>` says it; undefined before the client has begun. */
type MusubiLink = "live" | "connecting" | "offline" | "resuming" | "expired" | "outdated";

interface HTMLElementEventMap {
  /**
   * An event of the screen, the output of a `Signal`, at the document's element. `detail` is its value; undefined if it has none.
   *
   * ```js
   * document.documentElement.addEventListener("musubi:saved", ({ detail }) => console.log(detail));
   * ```
   */
  [event: `musubi:${string}`]: CustomEvent<MusubiValue | undefined>;
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
     * attributes: `"trip.title"`, and `"."` is the whole state.
     *
     * ```js
     * const stop = screen.observe("prices", (prices) => chart.update(prices));
     * ```
     *
     * @returns What ends it.
     */
    observe(name: string, show: (value: any) => void): () => void;
    /**
     * Sends an input; without a value it is a tap. It waits while there is no connection, as all inputs do.
     *
     * ```js
     * map.on("click", ({ latlng }) => screen.send("visit", [latlng.lat, latlng.lng]));
     * ```
     */
    send(name: string, value?: MusubiValue): void;
  };
}
