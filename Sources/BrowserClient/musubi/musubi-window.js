// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { beginning } from "./further-file.js";
import { onceStyled } from "./styled.js";
import { attach } from "./window/attach.js";
import { useVisitor } from "./window/memory.js";

/** The file for `data-window`, which a page with such a list loads. */
export const begin = beginning((outlets, { session }) => {
  useVisitor(() => session.save()?.visitor);
  outlets.window = (...parameters) => {
    /** @type {(() => void) | void} */
    let stop;
    const giveUp = onceStyled(() => void (stop = attach(...parameters)));
    return () => {
      giveUp();
      stop?.();
    };
  };
});
