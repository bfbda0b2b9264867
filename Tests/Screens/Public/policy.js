// SPDX-License-Identifier: Apache-2.0
// Tries what the policy of the test's server allows, and what it does not; says by attributes of <html> what came of it.
const said = document.documentElement.dataset;

/** What an attempt came to. */
const attempt = (work) => {
  try {
    work();
    return "done";
  } catch {
    return "refused";
  }
};

const { trustedTypes } = window;
said.types = trustedTypes ? "known" : "unknown";
said.text = attempt(() => { document.querySelector("#text").innerHTML = "<b>bold</b>"; });
/** A widget with a policy of its own, which makes markup. */
const draw = (id, name) => {
  const policy = trustedTypes.createPolicy(name, { createHTML: (text) => text });
  document.getElementById(id).innerHTML = policy.createHTML(`<b>${name}</b>`);
};

document.addEventListener("securitypolicyviolation", ({ effectiveDirective, sample }) => {
  if (effectiveDirective === "trusted-types") said.violations = `${said.violations ?? ""}${sample};`;
});
if (trustedTypes) {
  said.first = attempt(() => draw("widget", "test-widget"));
  said.second = attempt(() => draw("chart", "test-chart"));
  said.third = attempt(() => draw("text", "another"));
}

const picture = document.querySelector("img");
picture.onload = () => { said.picture = "done"; };
picture.onerror = () => { said.picture = "refused"; };
const square = "<svg xmlns='http://www.w3.org/2000/svg' width='20' height='20'><rect width='20' height='20'/></svg>";
picture.src = URL.createObjectURL(new Blob([square], { type: "image/svg+xml" }));

// A frame that is refused shows a page of the browser's, which nobody may look into.
const frame = document.querySelector("iframe");
const look = () => { said.frame = frame.contentDocument?.title === "Log in" ? "done" : "refused"; };
if (frame.contentDocument?.readyState === "complete" && frame.contentDocument.URL !== "about:blank") look();
frame.addEventListener("load", look);
