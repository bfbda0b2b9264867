// SPDX-License-Identifier: Apache-2.0

/// Whether the library keeps the socket.
enum LWSVerdict {
  case keep, close
}

/// How the library goes on with a wish to upgrade.
enum LWSUpgradeVerdict {
  /// It upgrades.
  case upgrade
  /// The answer has been written; the request is over.
  case answered
  /// It closes without an answer.
  case drop
}
