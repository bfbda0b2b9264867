// SPDX-License-Identifier: Apache-2.0

/// The news for the former address of an account, when the account has another one.
///
/// ```swift
/// "\(notice.displayName), your account's address is \(notice.newAddress) now. If that was not you, write to us."
/// ```
public struct AccountNotice: Equatable, Sendable {
  /// The account's address from now on.
  public let newAddress: String
  /// The account's name for other people.
  public let displayName: String
  /// The language of who changed it, such as `en` or `ja`.
  public let language: String
}
