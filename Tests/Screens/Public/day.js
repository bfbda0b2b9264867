// SPDX-License-Identifier: Apache-2.0
// Counts how often it runs.
const said = document.documentElement.dataset;
said.days = String(Number(said.days ?? 0) + 1);
