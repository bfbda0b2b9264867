// SPDX-License-Identifier: Apache-2.0

/// The status code of a close frame: why a connection ends, and whether the page may come back.
///
/// The range decides for codes that a page does not know: 4000 to 4499 resume, 4500 to 4999 stay away.
package struct CloseCode: RawRepresentable, Hashable, Sendable {
  /// The code on the wire.
  package let rawValue: UInt16

  package init(rawValue: UInt16) { self.rawValue = rawValue }

  /// Nothing is left to say.
  package static let normal = CloseCode(rawValue: 1000)
  /// The page is being left: its tab is closed, or shows another page.
  package static let goingAway = CloseCode(rawValue: 1001)
  /// The peer broke RFC 6455.
  package static let protocolError = CloseCode(rawValue: 1002)
  /// A binary frame; they are reserved.
  package static let unsupportedData = CloseCode(rawValue: 1003)
  /// Text that is not UTF-8.
  package static let invalidText = CloseCode(rawValue: 1007)
  /// A frame over the limit.
  package static let tooLarge = CloseCode(rawValue: 1009)
  /// The client reads too slowly.
  package static let slowConsumer = CloseCode(rawValue: 4001)
  /// The server restarts; come back after a random delay.
  package static let serverRestarting = CloseCode(rawValue: 4002)
  /// The `resume` frame did not come in time.
  package static let resumeTimeout = CloseCode(rawValue: 4003)
  /// The screen could not be opened; it may work later.
  package static let screenFailed = CloseCode(rawValue: 4004)
  /// The visitor's time is about to be over; the page comes back at once and is identified again.
  package static let identifyAgain = CloseCode(rawValue: 4005)
  /// The visitor's pages take more memory than they may.
  package static let overBudget = CloseCode(rawValue: 4006)
  /// The handshake was answered before its visitor was known, and is refused now; a frame has said why.
  package static let refused = CloseCode(rawValue: 4007)
  /// A frame that the protocol does not know.
  package static let protocolMismatch = CloseCode(rawValue: 4501)
  /// Another connection took the session over.
  package static let replaced = CloseCode(rawValue: 4502)
  /// The visitor is no longer authorized: signed out, or not identified again in time.
  package static let notAuthorized = CloseCode(rawValue: 4503)
  /// There is nothing at this address.
  package static let notFound = CloseCode(rawValue: 4504)

  /// Whether the code may stand in a close frame (RFC 6455, section 7.4).
  var isAllowedOnWire: Bool {
    switch rawValue {
    case 1000...1003, 1007...1014, 3000...4999: true
    default: false
    }
  }
}
