// SPDX-License-Identifier: Apache-2.0
import MusubiBinding

/// A message between loops about shared models; a loop that is a model's home tells itself.
///
/// Each loop numbers its lines: nobody takes a message for a line that has ended.
enum ModelMessage: Sendable {
  /// To the home: a loop follows a relay. The peers pay for the model if it is made for that.
  case watch(RoomKey, line: Int, ModelRelay, [Peer])
  /// To the home: a screen of a loop has sent a command, in an input if it is known which.
  case command(RoomKey, line: Int, ticket: Int, ModelCommand, InputID?, [Peer])
  /// To the home: the input that has sent a command cannot come again.
  case settled(RoomKey, command: String)
  /// To the home: no screen of a loop uses the model any more.
  case close(RoomKey, line: Int)
  /// From the home: a relay has a value, or another one.
  case value(RoomKey, line: Int, relay: Int, any Sendable)
  /// From the home: what came of a command.
  case result(ticket: Int, ModelResult)
  /// From the home: the model cannot be made.
  case unavailable(RoomKey, line: Int)
}
