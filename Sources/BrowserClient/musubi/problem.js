// @ts-check
// SPDX-License-Identifier: Apache-2.0

/**
 * What keeps the newest sources from being served, as `musubi dev` tells it; `isRunning` says that a process serves the page
 * nevertheless.
 *
 * @typedef {{file?: string, line?: number, message: string}} Finding
 * @typedef {{kind: "build" | "check" | "screens" | "crash" | "end", isRunning: boolean, findings: Finding[]}} Problem
 */

/** How long a page waits before it asks again, in milliseconds. */
const pause = 500;

/** @type {Record<string, Record<string, string>>} */
const words = {
  build: { en: "The program does not build.", ja: "プログラムをビルドできません。" },
  check: { en: "The pages do not fit the new program.", ja: "ページが新しいプログラムに合っていません。" },
  screens: { en: "A screen of the new program cannot be made.", ja: "新しいプログラムの画面を作れません。" },
  crash: { en: "The program has crashed.", ja: "プログラムがクラッシュしました。" },
  end: { en: "The program has ended.", ja: "プログラムが終了しました。" },
  before: { en: "This page goes on with the program before.", ja: "このページは前のプログラムで動いています。" },
  again: { en: "It runs again.", ja: "プログラムは再起動しました。" },
  waiting: { en: "The page goes on after the next change that works.", ja: "正しく動く変更を保存すると、ページは再開します。" },
  hide: { en: "Hide (Escape)", ja: "閉じる（Esc）" },
};

/** @type {(name: string) => string} A sentence in the page's language. */
const say = (name) => words[name][/^ja\b/i.test(document.documentElement.lang) ? "ja" : "en"];

/** @type {(problem: Problem) => string} What has happened. */
export const title = ({ kind }) => say(kind);

/** @type {(problem: Problem) => string} What becomes of the page. */
function outlook({ kind, isRunning }) {
  if (!isRunning) return say("waiting");
  return say(kind === "crash" || kind === "end" ? "again" : "before");
}

/** @type {(tag: string, text: string, style?: Partial<CSSStyleDeclaration>) => HTMLElement} */
function make(tag, text, style = {}) {
  const element = document.createElement(tag);
  element.textContent = text;
  // Property by property, which a strict policy allows.
  Object.assign(element.style, style);
  return element;
}

/** @type {(finding: Finding) => HTMLElement} */
function item({ file, line, message }) {
  const element = make("li", "", { margin: "0.5rem 0 0" });
  if (file) element.append(make("b", line ? `${file}:${line}` : file, { display: "block", overflowWrap: "anywhere" }));
  element.append(make("span", message, { whiteSpace: "pre-wrap", overflowWrap: "anywhere" }));
  return element;
}

/** @type {string} The problem that the page has shown last; a hidden one does not come back until it is another. */
let last = "null";

/** @type {() => void} */
const hide = () => document.getElementById("musubi-problem")?.remove();

/**
 * Lays a problem over the page, or takes the last one away.
 *
 * @param {Problem | null} problem
 */
export function show(problem) {
  const text = JSON.stringify(problem);
  if (text === last) return;
  last = text;
  hide();
  if (!problem) return;
  const overlay = make("section", "", {
    position: "fixed", inset: "auto 1rem 1rem", width: "auto", height: "auto", maxHeight: "calc(100vh - 4rem)", margin: "0",
    overflow: "auto", boxSizing: "border-box", padding: "1rem", border: "3px solid #b3261e", borderRadius: "10px",
    background: "#fff5f4", color: "#2b0a08", font: "1rem/1.5 system-ui, sans-serif", zIndex: "2147483647",
  });
  overlay.id = "musubi-problem";
  overlay.tabIndex = 0;
  // Above a dialog that is open.
  overlay.setAttribute("popover", "manual");
  overlay.setAttribute("role", "alert");
  const list = make("ol", "", { margin: "0.5rem 0", padding: "0", listStyle: "none", fontFamily: "ui-monospace, monospace" });
  list.append(...problem.findings.map(item));
  const button = make("button", say("hide"), { font: "inherit", padding: "0.25rem 0.75rem" });
  button.addEventListener("click", hide);
  overlay.append(make("strong", title(problem)), make("span", ` ${outlook(problem)}`), list, button);
  document.body.append(overlay);
  /** @type {any} */ (overlay).showPopover?.();
}

/**
 * Asks for the problem again and again, and shows it.
 *
 * @param {(problem: Problem | null | undefined) => void} [answered] Is told each answer; undefined if there are none here.
 */
export async function follow(answered = () => {}) {
  document.addEventListener("keydown", ({ key, isComposing }) => key === "Escape" && !isComposing && hide());
  for (;;) {
    try {
      const answer = await fetch(new URL("problem.json", import.meta.url), { cache: "no-store" });
      const problem = answer.status === 200 ? await answer.json() : undefined;
      answered(problem);
      if (problem === undefined) return;
      show(problem);
    } catch {
      // Whoever answers ends at the moment, or has ended.
    }
    await new Promise((run) => setTimeout(run, pause));
  }
}
