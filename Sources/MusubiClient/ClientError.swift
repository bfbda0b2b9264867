// SPDX-License-Identifier: Apache-2.0
internal import MusubiWire

/// Something that a client cannot go on with.
public struct ClientError: Error, Equatable, CustomStringConvertible {
  enum Kind: Equatable {
    case address(String)
    case network(String)
    case handshake(String)
    case frame(String)
    case sequenceGap(expected: Int, found: Int)
    case textOutOfStep(name: String)
    case personalOutOfStep
    case visitorChanged
    case notConnected
    case upload(String)
  }

  let kind: Kind

  init(_ kind: Kind) { self.kind = kind }

  init(frame error: WireError) { kind = .frame(String(describing: error)) }

  /// One sentence that says what happened.
  public var description: String {
    switch kind {
    case .address(let text): "'\(text.prefix(80))' is no address; write http://HOST:PORT."
    case .network(let text): text
    case .handshake(let text): "the handshake failed: \(text)"
    case .frame(let text): "the server sent a frame that cannot be read: \(text)"
    case .sequenceGap(let expected, let found): "turn \(found) came instead of turn \(expected)"
    case .textOutOfStep(let name): "an edit of '\(name)' does not fit the text that this client has"
    case .personalOutOfStep: "a change of what this client shows alone does not fit what it has"
    case .visitorChanged: "the server went on with a session for another visitor"
    case .notConnected: "this client is not connected"
    case .upload(let text): "the file was not taken: \(text)"
    }
  }
}
