// SPDX-License-Identifier: Apache-2.0

const verbs = {
  getItem(key) {
    return this[key] ?? null;
  },
  setItem(key, value) {
    this[key] = value;
  },
  removeItem(key) {
    delete this[key];
  },
};

/** A storage, with a copy of what another one has; as in a browser its keys are its own, and its verbs are not. */
export const fakeStorage = (items = {}) => Object.assign(Object.create(verbs), items);
