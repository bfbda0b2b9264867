// SPDX-License-Identifier: Apache-2.0
import MusubiWire

/// Collects what changes while a room handles one event, and writes it as a frame.
struct TurnBuilder {
  /// The change of one output.
  private enum OutputChange {
    /// Its first value.
    case add(String, Value)
    /// Another value.
    case replace(String, Value)
    /// Changes inside of a list or an object.
    case operations([Operation])
  }

  /// The change of one text.
  private struct TextChange {
    let name: String
    var revision: Int
    var steps: [TextEdit]
    var text: String
  }

  private var outputs: [OutputChange] = []
  private var texts: [TextChange] = []
  private var events: [ServerFrame.Event] = []

  /// Whether nothing has changed.
  var isEmpty: Bool { outputs.isEmpty && texts.isEmpty && events.isEmpty }

  /// Forgets everything but the room that it took.
  mutating func clear() {
    outputs.removeAll(keepingCapacity: true)
    texts.removeAll(keepingCapacity: true)
    if !events.isEmpty { events.removeAll(keepingCapacity: true) }
  }

  /// Adds the change of an output's value, if there is one.
  mutating func change(_ name: String, from previous: Value?, to value: Value) {
    guard let previous else {
      outputs.append(.add(name, value))
      return
    }
    switch (previous, value) {
    case (.array, .array), (.object, .object):
      let operations = Diff.operations(from: previous, to: value, at: JSONPointer([name]))
      if !operations.isEmpty { outputs.append(.operations(operations)) }
    default:
      if previous != value { outputs.append(.replace(name, value)) }
    }
  }

  /// Adds a step of a text; `text` has taken it already.
  mutating func add(_ step: TextEdit, to text: SharedText) {
    if let index = texts.firstIndex(where: { $0.name == text.name }) {
      texts[index].steps.append(step)
      texts[index].revision = text.revision
      texts[index].text = text.text
    } else {
      texts.append(TextChange(name: text.name, revision: text.revision, steps: [step], text: text.text))
    }
  }

  /// Adds something that happens once.
  mutating func add(_ event: String, _ value: Value?) {
    events.append(ServerFrame.Event(name: event, value: value))
  }

  /// Writes the turn.
  func write(to writer: inout FrameWriter, sequence: Int, as encoding: TurnEncoding) {
    writer.beginTurn(sequence: sequence, screen: encoding.screen)
    for change in outputs {
      switch change {
      case .add(let name, let value): writer.add(name, value)
      case .replace(let name, let value): writer.replace(name, with: value)
      case .operations(let operations): writer.operations(operations)
      }
    }
    for change in texts {
      if encoding.followsEdits {
        writer.edits(change.name, revision: change.revision, steps: change.steps)
      } else {
        writer.replace(change.name + ".field", with: .string(change.text))
      }
    }
    for event in events { writer.event(event.name, value: event.value) }
    writer.endTurn()
  }

  /// The turn's payload, for logs.
  func description(sequence: Int) -> String {
    var writer = FrameWriter(hasHeaders: false)
    write(to: &writer, sequence: sequence, as: TurnEncoding(followsEdits: true, screen: 0))
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}
