// SPDX-License-Identifier: Apache-2.0
import MusubiWire

@testable import MusubiClient

/// A session with a transcript in front of it: `<` goes in, `>` is what came out.
struct Page {
  var session: ClientSession

  init(followsEdits: Bool = true, hello: Bool = true, limits: (frame: Int, text: Int)? = nil) throws {
    session = ClientSession(followsEdits: followsEdits)
    session.connectionOpened()
    guard hello else { return }
    try receive(Self.hello("S", limits: limits))
    try receive(
      #"{"snapshot":{"label":"0","number":"0","number.field":"0"},"epoch":"E","sequence":0,"#
        + #""revisions":{"number":0}}"#)
  }

  static func hello(_ session: String, limits: (frame: Int, text: Int)? = nil) -> String {
    #"{"hello":{"protocol":1,"session":"\#(session)","token":"T1","schema":"x","heartbeat":20"#
      + (limits.map { #","limits":{"frame":\#($0.frame),"text":\#($0.text)}"# } ?? "")
      + "}}"
  }

  @discardableResult
  mutating func receive(_ frame: String) throws -> [ClientNotice] { try session.receive(Array(frame.utf8)) }

  mutating func sent() -> [String] { session.takeFrames().map { String(decoding: $0, as: UTF8.self) } }

  mutating func loseConnection() {
    session.connectionLost()
    session.connectionOpened()
  }
}
