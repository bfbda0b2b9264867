// SPDX-License-Identifier: Apache-2.0

/// Whether the library keeps the socket.
enum LWSVerdict {
  case keep, close
}
