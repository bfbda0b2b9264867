// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { isForBrowser } from "./keyed.js";
import { adopt } from "./query.js";

/**
 * `data-back` on a link: goes back to the screen below, as the browser's own button does. If there is none, because the
 * page was opened by its address, the link is an ordinary one.
 *
 * @type {import("../page.js").Attach}
 */
export const attach = (element, context, { argument }) => {
  // With more behind it, it is an attribute of the page's own.
  if (argument) return;
  return context.listen("click", element, (event) => {
    adopt();
    if (isForBrowser(event) || !(history.state?.musubi?.length > 2)) return;
    event.preventDefault();
    history.go(-1 - (history.state.depth ?? 0));
  });
};
