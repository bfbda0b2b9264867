// @ts-check
// SPDX-License-Identifier: Apache-2.0
// @ts-expect-error Chart.js has no types here
import { Chart, registerables } from "/chart.js/chart.esm.js";
import { screen } from "/musubi.js";

Chart.register(...registerables);
const canvas = /** @type {HTMLCanvasElement} */ (document.getElementById("arrivals"));
const chart = new Chart(canvas, {
  type: "bar",
  data: { labels: [], datasets: [{ label: "Arrivals", data: [], backgroundColor: "#36688a" }] },
  options: {
    maintainAspectRatio: false,
    animation: false,
    onClick: (/** @type {Event} */ _, /** @type {{index: number}[]} */ [bar]) => bar && screen.send("hour", bar.index),
  },
});

screen.observe("arrivals", (counts) => {
  chart.data.labels = counts.map((_, hour) => `${hour + 1}`);
  chart.data.datasets[0].data = counts;
  chart.update();
  canvas.ariaLabel = `Arrivals by hour: ${counts.join(", ")}`;
});
