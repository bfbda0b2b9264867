// @ts-check
// SPDX-License-Identifier: Apache-2.0
// @ts-expect-error Leaflet has no types
import { circleMarker, layerGroup, map, tileLayer } from "/leaflet/leaflet.esm.js";

/** A map of boats: `data-bind-prop-boats` binds them, and the event `boat-chosen` tells the id of one. */
class BoatMap extends HTMLElement {
  /** @type {Boat[]} */
  #boats = [];
  /** @type {any} */
  #map;
  #layer = layerGroup();

  connectedCallback() {
    // What Leaflet writes as markup, the strict policy refuses: its buttons and its attribution stay away.
    this.#map ??= map(this, { center: [35.455, 139.66], zoom: 13, zoomControl: false, attributionControl: false })
      .addLayer(tileLayer("/tiles/sea.svg?{z}-{x}-{y}"))
      .addLayer(this.#layer);
    this.#draw();
  }

  /** @param {Boat[] | undefined} boats */
  set boats(boats) {
    this.#boats = boats ?? [];
    this.#draw();
  }

  #draw() {
    this.#layer.clearLayers();
    for (const { id, place } of this.#boats) {
      const chosen = () => {
        /** @type {CustomEvent<MusubiDetail>} */
        const event = new CustomEvent("boat-chosen", { detail: id });
        this.dispatchEvent(event);
      };
      this.#layer.addLayer(circleMarker(place, { radius: 9, className: `boat-${id}` }).on("click", chosen));
    }
  }
}

customElements.define("boat-map", BoatMap);
