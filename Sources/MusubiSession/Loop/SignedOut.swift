// SPDX-License-Identifier: Apache-2.0
import MusubiBinding

/// Whose sessions end: a visitor's, or those of one of its log-ins.
package struct SignedOut: Hashable, Sendable {
  /// The visitor's `Visitor.id`.
  package let identity: String
  /// The log-in, as `Visitor.logIn`; nil for all.
  package let logIn: String?

  package init(_ identity: String, logIn: String? = nil) {
    self.identity = identity
    self.logIn = logIn
  }

  /// Whether it includes a visitor; one who is of no known log-in counts as of each.
  func includes(_ visitor: Visitor?) -> Bool {
    guard let visitor, visitor.id == identity else { return false }
    return logIn == nil || visitor.logIn == nil || visitor.logIn == logIn
  }
}
