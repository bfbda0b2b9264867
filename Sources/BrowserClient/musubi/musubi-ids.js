// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { beginning } from "./further-file.js";
import { withOwnIDs } from "./ids/own.js";

/** The file for ids in the rows of lists, which a page with such rows loads. */
export const begin = beginning((outlets) => {
  // From now on no list waits, one in a row of another least of all: a row is to have its height at once.
  outlets.ids = outlets["bind-each"] = withOwnIDs(outlets["bind-each"]);
});
