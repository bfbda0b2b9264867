// @ts-check
// SPDX-License-Identifier: Apache-2.0

/**
 * The sentences of `words.js` in other languages, and those that only the second file tells.
 *
 * @type {import("./words.js").Words}
 */
const more = {
  "connecting": { ja: "サーバーに接続しています。" },
  "offline": { ja: "サーバーに接続できません。再接続しています。" },
  "waiting": { ja: "{}件の変更がまだサーバーに届いていません。" },
  "full": { ja: "未送信の変更が多すぎます。" },
  "lost": { en: "Your last {} actions may not have taken effect. Please check.", ja: "直前の操作{}件が反映されていない可能性があります。ご確認ください。" },
  "lost-one": { en: "Your last action may not have taken effect. Please check." },
  "not-shared": { en: "Not shared: {} characters too long.", ja: "共有されていません（{}文字超過）。" },
  "not-shared-one": { en: "Not shared: {} character too long." },
  "not-sent": { en: "Not sent: {} characters too long.", ja: "送信されていません（{}文字超過）。" },
  "not-sent-one": { en: "Not sent: {} character too long." },
  "changed": { en: "This page has changed. Please reload it.", ja: "このページは新しくなりました。再読み込みしてください。" },
  "ended": { en: "The connection has ended. Please reload this page.", ja: "接続が終了しました。ページを再読み込みしてください。" },
  "taken": { en: "This page is open in another tab, and goes on there.", ja: "このページは別のタブで開かれています。続きはそちらでご覧ください。" },
  "sign-in": { en: "You have to be signed in to open this page.", ja: "このページを開くにはログインが必要です。" },
  "signed-out": {
    en: "You are signed out. Sign in again in another tab, then reload this page.",
    ja: "ログアウトしています。別のタブでログインし直してから、このページを再読み込みしてください。",
  },
  "visitor": {
    en: "Somebody else is signed in now. Everything from before has been removed.",
    ja: "別の人がログインしています。前の人の内容は消去されました。",
  },
  "left": {
    en: "The entry that you were typing in was deleted. Your text is kept here.",
    ja: "入力中の項目が削除されました。入力した文章はここに残っています。",
  },
  "given-up": { en: "Others have begun this text again. Your text is kept here.", ja: "この文章はほかの人が新しく書き始めています。あなたの文章はここに残っています。" },
  "unable": { en: "This browser opens no WebSockets, which this page needs.", ja: "このブラウザでは、このページに必要な WebSocket を使えません。" },
  "blocked": {
    en: "The server answers, but a proxy or firewall on the way blocks the WebSockets that this page needs. Trying again.",
    ja: "サーバーは応答していますが、途中のプロキシやファイアウォールが、このページに必要な WebSocket を遮断しています。再接続しています。",
  },
  "nobody": { en: "Nobody is signed in here now. Everything from before has been removed.", ja: "現在ログインしていません。以前の内容は消去されました。" },
  "nowhere": { en: "There is nothing at this address.", ja: "このアドレスには何もありません。" },
  "gone": { en: "This entry no longer exists.", ja: "この項目はもうありません。" },
  "not-allowed": { en: "You may not do that here.", ja: "ここではその操作はできません。" },
  "forbidden": { en: "You may not open this page. Trying again.", ja: "このページを開く権限がありません。再試行しています。" },
  "refused": { en: "The server did not accept your last change.", ja: "直前の変更はサーバーに受け付けられませんでした。" },
  "failed": { en: "Something went wrong on the server.", ja: "サーバーで問題が発生しました。" },
  "busy": { en: "The server is full at the moment. Trying again.", ja: "サーバーが混み合っています。再接続しています。" },
  "crowded": { en: "Too many pages are open from here. Trying again.", ja: "ここから開いているページが多すぎます。再接続しています。" },
  "deep": { en: "Too many screens are open. Go back first.", ja: "開いている画面が多すぎます。先に前の画面へ戻ってください。" },
  "unavailable": { en: "This page is not available at the moment. Trying again.", ja: "このページは現在表示できません。再試行しています。" },
};

/** @type {(words: import("./words.js").Words) => void} Adds them. */
export function learn(words) {
  for (const name in more) words[name] = { ...words[name], ...more[name] };
}

/**
 * The sentences instead of the server's words, by the code of an error, of a refused handshake or of a close. The
 * server's words speak to the author, and are in the console. For a code that is not here the page tells the server's
 * words.
 *
 * @type {Record<string | number, string>}
 */
export const namesOfCodes = {
  "unknown-input": "refused", "wrong-type": "refused", "malformed": "refused", "too-large": "refused",
  // The second one is of a whole page, and no input of it.
  "not-allowed": "not-allowed", 403: "forbidden",
  "unknown-row": "gone", "unknown-upload": "refused", "not-found": "nowhere",
  "internal": "failed", "full": "busy", "busy": "busy", "timed-out": "busy", "too-many": "crowded", "too-many-screens": "deep",
  "unknown-screen": "unavailable", "bad-request": "unavailable", "origin-not-allowed": "unavailable",
  // With no socket to speak of, the browser could not even begin.
  1006: "unable", 4502: "taken", 4504: "nowhere",
};
