// SPDX-License-Identifier: Apache-2.0
package import MusubiBinding
import MusubiWire

/// The answer to the sender of an input.
package enum RoomOutcome: Equatable {
  /// It has taken effect.
  case taken
  /// It was an edit, and has become a revision.
  case edited(revision: Int)
  /// It was a hand-over; the names of what the page has to give up.
  case handedOver([String])
  /// It has changed nothing, and counts as taken.
  case refused(BindingError)
  /// It refers to a past that is no longer kept: the page must resume; nothing was taken.
  case behind
  /// It breaks the protocol; nothing was taken.
  case violation(String)
}

extension BindingError {
  /// The refusal of an input that has ended the process before.
  static let deadly = BindingError(
    .internalFailure, "The screen failed when it was given this, so it is not given it again.")
}
