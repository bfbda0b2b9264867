// SPDX-License-Identifier: Apache-2.0

/// A login that has just begun.
public struct LogIn: Sendable {
  /// Who has logged in.
  public let account: Account
  /// The secret for the cookie of this browser; each login has its own, and the store only its hash.
  public let token: String
}
