// SPDX-License-Identifier: Apache-2.0
public import Musubi
import Foundation

/// An account: somebody who can log in.
public struct Account: Equatable, Sendable {
  /// Names the account among all and for ever; it becomes the `Visitor.id`.
  public let id: String
  /// The e-mail address, in lower case.
  public var address: String
  /// The name for other people.
  public var displayName: String
  /// The owner's roles in the application.
  public var roles: Set<Role>
  /// When it was made, in seconds since 1970.
  public let created: Double
}

/// An account as the store has it.
package struct StoredAccount: Equatable, Sendable {
  package var account: Account
  /// The hash of the password.
  package var hash: String
}

/// A browser in which somebody is logged in, as the store has it.
package struct StoredLogin: Equatable, Sendable {
  /// The SHA-256 of its token.
  package var token: [UInt8]
  /// The account's id.
  package var account: String
  /// When it ends if it is not used, in seconds since 1970.
  package var expires: Double
  /// When it was used last.
  package var used: Double

  /// Names it among the open pages, which end with it; a part of the hash, which opens nothing.
  var name: String { Data(token.prefix(12)).base64EncodedString() }
}

/// A link that was sent, as the store has it; it can be used once.
package struct StoredLink: Equatable, Sendable {
  /// What it does.
  package enum Purpose: String, Sendable {
    /// Makes an account with a password that is chosen on its page.
    case signUp
    /// Sets a password that is chosen on its page.
    case reset
    /// Gives an account a new address.
    case change
  }

  /// The SHA-256 of its token.
  package var token: [UInt8]
  package var purpose: Purpose
  /// The account's id; nil if it makes one.
  package var account: String?
  /// Where it was sent.
  package var address: String
  /// The name of the account that it makes.
  package var name: String?
  /// When it ends, in seconds since 1970.
  package var expires: Double
}
