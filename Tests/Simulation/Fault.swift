// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiClient
import MusubiWire

/// A mistake that the server or the Swift client could make, as the other side sees it: a test of the simulator.
///
/// Frames are changed on their way, or the ViewModel says something else. To a page that is the same as a server that
/// writes or takes them so.
package enum Fault: String, CaseIterable, Sendable {
  /// The server does not tell a page that returns which of the missing turns are its own.
  case forgetsOwnEdits
  /// The server takes an input that is sent again for a new one.
  case takesTwice
  /// The server takes an edit for one against the newest revision, and does not transform it.
  case skipsTransformation
  /// The client acknowledges for the server: it forgets inputs as soon as they are sent.
  case forgetsTooEarly
  /// The server takes an `Answer` for one to the newest text, and not to its question.
  case answersTheNewest

  /// The bytes that a page gets instead of a frame; nil if it gets nothing.
  func toPage(_ frame: [UInt8]) -> [UInt8]? {
    let text = String(decoding: frame, as: UTF8.self)
    switch self {
    case .forgetsOwnEdits:
      guard text.hasPrefix(#"{"resumed""#), let start = text.range(of: #""own":["#),
        let end = text.range(of: "]}", range: start.upperBound..<text.endIndex)
      else { return frame }
      return Array((text[..<start.upperBound] + text[end.lowerBound...]).utf8)
    case .takesTwice, .skipsTransformation, .forgetsTooEarly, .answersTheNewest: return frame
    }
  }

  /// What the server gets instead of a frame; nil if it gets nothing.
  ///
  /// - Parameters:
  ///   - frame: The frame.
  ///   - state: The memory of the page's frames.
  /// - Returns: The frame that the server gets.
  /// - Throws: `WireError` if the client's message is no frame.
  func toServer(_ frame: [UInt8], _ state: inout FaultState) throws -> [UInt8]? {
    guard case .input(var input) = try ClientFrame(json: frame) else { return frame }
    switch self {
    case .takesTwice:
      // A number that the server has not seen yet.
      state.offset += state.sent.insert(input.number).inserted ? 0 : 1
      input.number += state.offset
    case .skipsTransformation:
      guard case .edit(let edit, let revision) = input.payload else { return frame }
      input.payload = .edit(edit, revision: max(revision, state.newestRevision))
    case .forgetsTooEarly:
      // What the client forgets it does not send again.
      if !state.sent.insert(input.number).inserted { return nil }
    case .forgetsOwnEdits, .answersTheNewest: return frame
    }
    return [UInt8](writing: { $0.appendJSON(ClientFrame.input(input)) })
  }
}

/// A fault's memory of a page.
struct FaultState {
  /// The numbers of inputs that were sent.
  var sent: Set<Int> = []
  /// By how much numbers are changed.
  var offset = 0
  /// The newest revision of the text that any page has seen.
  var newestRevision = 0
}
