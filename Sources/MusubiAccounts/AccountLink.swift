// SPDX-License-Identifier: Apache-2.0

/// A link that is to be sent to somebody; as text it is the address to open.
///
/// Whoever has it may use it once, until it is an hour old: send it to its address alone, and write it to no log.
public struct AccountLink: Sendable, CustomStringConvertible {
  /// Its purpose, so that the message can say it.
  public enum Purpose: Sendable {
    /// Somebody wants an account with this address; the page of the link has the password chosen.
    case confirmSignUp
    /// Somebody wants an account with this address, which has one; the link is the page to log in.
    case alreadySignedUp
    /// Somebody has forgotten the password of this address; the page of the link has a new one chosen.
    case choosePassword
    /// Somebody wants this to be the new address of an account; the page of the link has it confirmed.
    case confirmAddress
  }

  /// Its purpose.
  public let purpose: Purpose
  /// The address to open, `https://tea.example/link?token=…`.
  public let url: String
  /// The language of who asked for it, such as `en` or `ja`.
  public let language: String

  /// The address to open.
  public var description: String { url }
}
