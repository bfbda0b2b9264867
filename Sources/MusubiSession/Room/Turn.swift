// SPDX-License-Identifier: Apache-2.0
import MusubiWire

/// One change of a room: what is sent to all its connections, encoded at most twice.
///
/// ```
/// following edits   {"sequence":14,"patch":[…],"edits":{"number":{"revision":16,"steps":[…]}}}
/// plain             {"sequence":14,"patch":[…,{"op":"replace","path":"/number.field","value":"12"}]}
/// ```
///
/// The bytes are whole WebSocket frames, made when the first connection needs them and shared by all.
final class Turn {
  /// The change of one output.
  enum OutputChange {
    /// Its first value.
    case add(String, Value)
    /// Another value.
    case replace(String, Value)
    /// Changes inside of a list or an object.
    case operations([Operation])
  }

  /// The change of one text.
  struct TextChange {
    let name: String
    var revision: Int
    var steps: [TextEdit]
    var text: String
  }

  let sequence: Int
  /// About how many bytes the turn holds on to.
  let cost: Int
  private let outputs: [OutputChange]
  private let texts: [TextChange]
  private let events: [ServerFrame.Event]
  private let frameWithEdits: [UInt8]
  private var plainFrame: [UInt8]?

  init(
    sequence: Int, outputs: [OutputChange], texts: [TextChange], events: [ServerFrame.Event]
  ) {
    self.sequence = sequence
    self.outputs = outputs
    self.texts = texts
    self.events = events
    // Encoded here, since somebody always follows the room: the cost is then the bytes, not a guess.
    let frame = Self.encode(
      sequence, outputs, texts, events, followingEdits: true, screen: 0, hasHeader: true)
    frameWithEdits = frame
    cost = 128 + frame.count + texts.reduce(0) { $0 + $1.text.utf8.count }
  }

  /// Whether both encodings are the same bytes.
  var hasOneEncoding: Bool { texts.isEmpty }

  /// The turn as one WebSocket frame.
  func frame(followingEdits: Bool, screen: Int) -> [UInt8] {
    guard screen == 0 else {
      return Self.encode(
        sequence, outputs, texts, events, followingEdits: followingEdits, screen: screen, hasHeader: true)
    }
    if followingEdits || hasOneEncoding { return frameWithEdits }
    let frame =
      plainFrame
      ?? Self.encode(sequence, outputs, texts, events, followingEdits: false, screen: 0, hasHeader: true)
    plainFrame = frame
    return frame
  }

  /// The turn's payload, for logs.
  var description: String {
    let payload = Self.encode(
      sequence, outputs, texts, events, followingEdits: true, screen: 0, hasHeader: false)
    return String(decoding: payload, as: UTF8.self)
  }

  private static func encode(
    _ sequence: Int, _ outputs: [OutputChange], _ texts: [TextChange], _ events: [ServerFrame.Event],
    followingEdits: Bool, screen: Int,
    hasHeader: Bool
  ) -> [UInt8] {
    var writer = FrameWriter(hasHeaders: hasHeader, capacity: 64 + 64 * (outputs.count + texts.count))
    writer.beginTurn(sequence: sequence, screen: screen)
    for change in outputs {
      switch change {
      case .add(let name, let value): writer.add(name, value)
      case .replace(let name, let value): writer.replace(name, with: value)
      case .operations(let operations): writer.operations(operations)
      }
    }
    for change in texts {
      if followingEdits {
        writer.edits(change.name, revision: change.revision, steps: change.steps)
      } else {
        writer.replace(change.name + ".field", with: .string(change.text))
      }
    }
    for event in events { writer.event(event.name, value: event.value) }
    writer.endTurn()
    return writer.takeBytes()
  }
}
