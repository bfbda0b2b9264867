// @ts-check
// SPDX-License-Identifier: Apache-2.0

/**
 * Whether a visitor may have another one's values and texts: everybody their own, and text that was typed in the same
 * tab before anybody had signed in. The names are the server's, from `hello` and `resumed`.
 *
 * @param {string | undefined} visitor
 * @param {string | undefined} before Whose it was; nothing, if nobody knows, and then it is handed to nobody.
 */
export const inherits = (visitor, before) => visitor === before || before === "anonymous";
