// @ts-check
// SPDX-License-Identifier: Apache-2.0
import { follow, title } from "./problem.js";

// The page that `musubi dev` shows at each address while no program runs. It reloads itself when one does.
document.documentElement.lang = navigator.language;
follow((problem) => {
  if (problem?.isRunning !== false) return location.reload();
  document.title = title(problem);
});
