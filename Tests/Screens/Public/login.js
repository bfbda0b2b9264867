// SPDX-License-Identifier: Apache-2.0
// A log-in that believes everybody: what a server does with a form is here done by the page.
document.forms[0].addEventListener("submit", (event) => {
  event.preventDefault();
  document.cookie = `visitor=${document.forms[0].visitor.value}; path=/`;
  document.cookie = "again=1; path=/";
  location.href = new URLSearchParams(location.search).get("next");
});
