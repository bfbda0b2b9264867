// @ts-check
// SPDX-License-Identifier: Apache-2.0

/**
 * The sentences about files; `DataAttributes.md` says when each is told. `{}` stands for a number.
 *
 * @type {import("../words.js").Words}
 */
export const sentences = {
  "files": { en: "Files that are being sent", ja: "送信中のファイル" },
  "file-pause": { en: "Pause", ja: "一時停止" },
  "file-continue": { en: "Continue", ja: "再開" },
  "file-cancel": { en: "Cancel", ja: "キャンセル" },
  "file-again": { en: "Try again", ja: "再試行" },
  "file-remove": { en: "Remove", ja: "閉じる" },
  "file-waiting": { en: "Waiting", ja: "待機中" },
  "file-paused": { en: "Paused", ja: "一時停止中" },
  "file-offline": { en: "No connection. Trying again.", ja: "接続できません。再接続しています。" },
  "file-choose": { en: "Choose this file again to go on.", ja: "続けるには、同じファイルをもう一度選んでください。" },
  "file-sent": { en: "Sent.", ja: "送信しました。" },
  "file-empty": { en: "This file is empty.", ja: "このファイルは空です。" },
  "file-large": { en: "This file is too large. At most {} bytes.", ja: "ファイルが大きすぎます。{}バイトまでです。" },
  "file-large-kb": { en: "This file is too large. At most {} KB.", ja: "ファイルが大きすぎます。{} KBまでです。" },
  "file-large-mb": { en: "This file is too large. At most {} MB.", ja: "ファイルが大きすぎます。{} MBまでです。" },
  "file-type": { en: "Files of this kind are not taken here.", ja: "この種類のファイルは送信できません。" },
  "file-unreadable": {
    en: "The browser cannot read this file. Was it moved or changed? Choose it again.",
    ja: "ファイルを読み取れません。移動または変更された可能性があります。もう一度選んでください。",
  },
  "file-many": { en: "Too many files are on their way. Try again later.", ja: "送信中のファイルが多すぎます。後でもう一度お試しください。" },
  "file-space": { en: "The server has no room for this file now.", ja: "サーバーの空き容量が足りません。" },
  "file-forbidden": { en: "You may not send files here.", ja: "ここにファイルを送信することはできません。" },
  "file-refused": { en: "The server did not take this file.", ja: "このファイルはサーバーに受け付けられませんでした。" },
};
