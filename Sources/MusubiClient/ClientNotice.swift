// SPDX-License-Identifier: Apache-2.0
public import MusubiWire

/// Something that a frame from the server brought, besides a change of the state.
public enum ClientNotice: Equatable, Sendable {
  /// A new session began.
  case began
  /// It is another visitor's: what the first one saw and typed was dropped. `began` follows.
  case visitorChanged
  /// The session went on after a lost connection, and is in step again.
  case resumed(ResumeOutcome)
  /// The whole state was replaced.
  case snapshot
  /// The state changed by one turn.
  case turn(sequence: Int)
  /// The server refused something.
  case error(code: String, message: String, input: Int?)
  /// An output that is an event happened.
  case event(name: String, value: Value?)
  /// The answer to a ping.
  case pong(Int)
  /// A development server's files changed.
  case reload

  /// What came after a resume.
  public enum ResumeOutcome: Equatable, Sendable {
    /// The missing turns, or none because nothing was missed.
    case patches
    /// A snapshot.
    case snapshot
    /// The session was gone; a new one began, and `unconfirmed` of the session lists the inputs that were not
    /// repeated.
    case afresh
  }
}

/// A place in a room's stream of turns.
public struct ClientPosition: Equatable, Sendable {
  /// The identity of the stream.
  public var epoch: String
  /// The number of the last turn that was applied.
  public var sequence: Int
}
