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
if (trustedTypes) {
  said.own = attempt(() => {
    const policy = trustedTypes.createPolicy("test-widget", { createHTML: (text) => text });
    document.querySelector("#widget").innerHTML = policy.createHTML("<b>bold</b>");
  });
  said.other = attempt(() => trustedTypes.createPolicy("another", { createHTML: (text) => text }));
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
