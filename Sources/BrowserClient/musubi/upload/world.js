// @ts-check
// SPDX-License-Identifier: Apache-2.0

/** A request during which nothing happens for so long is lost; milliseconds. */
const patience = 60_000;

/** @type {import("./tus.js").World} A browser. */
export const browser = {
  request: (method, url, fields, body, progress, signal) =>
    new Promise((resolve) => {
      // `abort()` before `send()` is forgotten, and makes `send()` throw in some browsers.
      if (signal.aborted) return resolve({ code: 0, field: () => null });
      // Of these two only this one tells how many bytes have left.
      const asked = new XMLHttpRequest();
      let timer = setTimeout(() => asked.abort(), patience);
      const wait = () => {
        clearTimeout(timer);
        timer = setTimeout(() => asked.abort(), patience);
      };
      const stop = () => asked.abort();
      asked.open(method, url);
      for (const name in fields) asked.setRequestHeader(name, fields[name]);
      asked.upload.onprogress = ({ loaded }) => {
        wait();
        progress(loaded);
      };
      asked.onloadend = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", stop);
        resolve({ code: asked["status"], field: (name) => asked.getResponseHeader(name) });
      };
      signal.addEventListener("abort", stop);
      asked.send(body);
    }),
  pause: (ms, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const done = () => {
        clearTimeout(timer);
        removeEventListener("online", done);
        signal.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      addEventListener("online", done);
      signal.addEventListener("abort", done);
    }),
};
