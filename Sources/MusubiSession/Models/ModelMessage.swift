// SPDX-License-Identifier: Apache-2.0
import MusubiBinding

/// A message between loops about shared models; a loop that is a model's home tells itself.
///
/// Each loop numbers its lines: nobody takes a message for a line that has ended.
enum ModelMessage: Sendable {
  /// To the home: a loop follows a relay. The peers pay for the model if it is made for that.
  case watch(RoomKey, line: Int, ModelRelay, [Peer])
  /// The same to a home on another node, which finds the relay by the name of its property.
  case watchNamed(RoomKey, line: Int, relay: Int, name: String, [Peer])
  /// To the home: a screen of a loop has sent a command.
  case command(ModelOrder)
  /// To the home: the input that has sent a command cannot come again.
  case settled(RoomKey, command: String)
  /// To the home: no screen of a loop uses the model any more.
  case close(RoomKey, line: Int)
  /// From the home: a relay has a value, or another one; from another node as `SentContent`.
  case value(RoomKey, line: Int, relay: Int, any Sendable)
  /// From the home: what came of a command; from another node with a `SentContent`.
  case result(ticket: Int, ModelResult)
  /// From the home: the model cannot be made, or not be followed; the sentence is for the log of the screen's node.
  case unavailable(RoomKey, line: Int, String?)
  /// From where the home was taken to be, over a link: a command was not carried out there, for the slot is not there.
  case elsewhere(ticket: Int)
}

/// A command on its way to a model's home, which may have moved.
struct ModelOrder: Sendable {
  let model: RoomKey
  /// The model's slot.
  let slot: Int
  let command: ModelCommand
  /// The loop of the screen that has sent it, and that gets the result.
  let loop: Int
  /// The line of that loop; nil if it has ended.
  var line: Int?
  /// The loop's number for it, another one each time it is sent.
  var ticket: Int
  /// The input that it was sent in; nil if nobody knows.
  let input: InputID?
  /// What the loop knew of the slot of the input's session.
  ///
  /// A home that knows of a loss since takes none from before: it may have been on its way for long, and the input has come again.
  let origin: SlotMove?
  /// Who pays for the model if it is made for the command.
  let peers: [Peer]
  /// How often the model's slot had moved, as far as that loop knew.
  ///
  /// A home that has not got all of an older one takes none from before: the loop sends it once more.
  var generation: UInt32
  /// Whether it was sent before, to a model that may still be the same one.
  var isAgain = false
}
