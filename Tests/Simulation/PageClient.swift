// SPDX-License-Identifier: Apache-2.0
import MusubiClient
import MusubiWire

/// A page's values and waiting inputs, after something has happened to it.
package struct PageReport: Codable {
  /// The text of the field; nil before the first state.
  var text: String?
  /// The caret in UTF-16 units.
  var caret = 0
  /// The output `label`.
  var label: String?
  /// How many inputs wait for their acknowledgement.
  var waiting = 0
  /// The texts of edits that are not part of the server's text as far as the page knows.
  var pending: [String] = []
  /// The revision of the text.
  var revision = 0
  /// The session's name.
  var session: String?
  /// Frames to be sent.
  var send: [String] = []
  /// What went wrong.
  var problem: String?
}

/// A page without network: a client's protocol machine and a caret.
protocol PageClient: AnyObject {
  /// Whether the next connection resumes.
  var resumes: Bool { get }
  /// A connection is open.
  func open() throws -> PageReport
  /// A frame has come.
  func receive(_ frame: [UInt8]) throws -> PageReport
  /// The connection has gone.
  func lost() throws -> PageReport
  /// The person replaces a range of the text.
  func edit(_ position: Int, _ deleted: Int, _ inserted: String, isHeld: Bool) throws -> PageReport
  /// The person moves the caret.
  func move(_ position: Int) throws -> PageReport
  /// The person presses the button.
  func tap() throws -> PageReport
  /// Held-back inputs are sent.
  func flush() throws -> PageReport
  /// The page is reloaded.
  func reload() throws -> PageReport
}

/// A page of the Swift client.
final class SwiftPage: PageClient {
  private var session = ClientSession()

  var resumes: Bool { session.identifier != nil }

  func open() throws -> PageReport {
    session.connectionOpened()
    return report()
  }

  func receive(_ frame: [UInt8]) throws -> PageReport {
    var problem: String?
    for notice in try session.receive(frame) {
      if case .error(let code, let message, _) = notice,
        !["session-unknown", "visitor-changed"].contains(code)
      {
        problem = message
      }
    }
    return report(problem)
  }

  func lost() throws -> PageReport {
    session.connectionLost()
    return report()
  }

  func edit(_ position: Int, _ deleted: Int, _ inserted: String, isHeld: Bool) throws -> PageReport {
    session.select(position..<(position + deleted), in: "text")
    try session.type(inserted, into: "text")
    return report()
  }

  func move(_ position: Int) throws -> PageReport {
    session.select(position..<position, in: "text")
    return report()
  }

  func tap() throws -> PageReport {
    session.tap("draw")
    return report()
  }

  func flush() throws -> PageReport { report() }

  func reload() throws -> PageReport {
    session.forgetState()
    return report()
  }

  private func report(_ problem: String? = nil) -> PageReport {
    PageReport(
      text: session.position == nil ? nil : session.text(of: "text"),
      caret: session.selection(in: "text").upperBound,
      label: session.state["label"]?.stringValue, waiting: session.unconfirmed.count,
      pending: session.pendingInsertions(of: "text"), revision: session.revision(of: "text") ?? 0,
      session: session.identifier, send: session.takeFrames().map { String(decoding: $0, as: UTF8.self) },
      problem: problem)
  }
}
