// SPDX-License-Identifier: Apache-2.0

/// A log-in that has just begun.
public struct LogIn: Sendable {
  /// Who has logged in.
  public let account: Account
  /// The secret for the cookie of this browser; each log-in has its own, and the store only its hash.
  public let token: String
}
