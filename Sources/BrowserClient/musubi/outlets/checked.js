// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { createAnswer } from "../answers.js";
import { together, whenReset } from "../controls.js";

/**
 * `data-bind-checked`: a box or a switch, in both directions. What the person has done stays until the server has answered it.
 *
 * @type {import("../page.js").Attach}
 */
export const attach = (element, context, { name }) => {
  let view = element.checked;
  /** @type {boolean | undefined} */
  let told;
  const show = () => {
    if (told !== undefined) element.checked = view = told;
  };
  const answer = createAnswer(context, name, show);
  // A page that was reloaded shows what the person had set it to.
  const waiting = answer.sent();
  if (waiting?.value !== undefined) element.checked = view = waiting.value;
  return together([
    answer.stop,
    context.watch(name, (value) => {
      told = Boolean(value);
      answer.heard();
      if (!answer.isAwaited()) show();
    }),
    context.listen("change", element, () => {
      context.input(element, "typed", name, (view = element.checked));
      answer.sent();
    }),
    whenReset(element, context, () => () => (element.checked = view)),
  ]);
};
