// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiWire

/// Collects what changes while a room handles the events of one turn, and writes it as a frame.
struct TurnBuilder {
  /// The change of one output.
  private struct Output {
    enum Kind {
      /// Its first value.
      case add
      /// Another value.
      case replace
      /// Changes inside of a list or an object.
      case operations([Operation])
    }

    /// Holds the value until the turn is written.
    let slot: OutputSlot
    let kind: Kind
  }

  /// The change of one text.
  private struct TextChange {
    let name: String
    var revision: Int
    var text: String
  }

  private var outputs: [Output] = []
  private var texts: [TextChange] = []
  /// The steps of all texts, in their order, each with the position of its text in `texts`.
  private var steps: [(text: Int, edit: TextEdit)] = []
  private var events: [ServerFrame.Event] = []
  /// About how many bytes the steps take in a frame.
  private(set) var stepBytes = 0

  /// From so many bytes of steps on, what follows is a turn of its own.
  static let mostStepBytes = 16_384

  /// Whether nothing has changed.
  var isEmpty: Bool { outputs.isEmpty && texts.isEmpty && events.isEmpty }

  /// Whether a two-way text has changed.
  var hasTexts: Bool { !texts.isEmpty }

  /// Whether something has happened that is no state.
  var hasEvents: Bool { !events.isEmpty }

  /// What has happened.
  var allEvents: [ServerFrame.Event] { events }

  /// Forgets everything but the room that it took.
  mutating func clear() {
    outputs.removeAll(keepingCapacity: true)
    texts.removeAll(keepingCapacity: true)
    steps.removeAll(keepingCapacity: true)
    stepBytes = 0
    if !events.isEmpty { events.removeAll(keepingCapacity: true) }
  }

  /// Adds the change of an output's value, if there is one.
  mutating func take(_ change: OutputChange, of slot: OutputSlot, to value: Value) {
    switch (change, value) {
    case (.whole(previous: nil), _):
      outputs.append(Output(slot: slot, kind: .add))
    case (.elements(let place, let previous, let count), .array(let elements)):
      patch(
        slot,
        Diff.operations(
          from: previous, to: elements[place..<place + count], from: place, at: JSONPointer([slot.name])))
    case (.whole(let previous?), .array), (.whole(let previous?), .object):
      patch(slot, Diff.operations(from: previous, to: value, at: JSONPointer([slot.name])))
    case (.whole(let previous?), _):
      if previous != value { outputs.append(Output(slot: slot, kind: .replace)) }
    case (.elements, _): break
    }
  }

  private mutating func patch(_ slot: OutputSlot, _ operations: [Operation]) {
    if !operations.isEmpty { outputs.append(Output(slot: slot, kind: .operations(operations))) }
  }

  /// Adds a step of a text; `text` has taken it already.
  mutating func add(_ step: TextEdit, to text: SharedText) {
    for component in step.components { stepBytes += 16 + component.inserted.utf8.count }
    if let index = texts.firstIndex(where: { $0.name == text.name }) {
      texts[index].revision = text.revision
      texts[index].text = text.text
      steps.append((index, step))
    } else {
      steps.append((texts.count, step))
      texts.append(TextChange(name: text.name, revision: text.revision, text: text.text))
    }
  }

  /// Adds something that happens once.
  mutating func add(_ event: String, _ value: Value?) {
    events.append(ServerFrame.Event(name: event, value: value))
  }

  /// Writes the turn.
  func write(
    to writer: inout FrameWriter, sequence: Int, as encoding: TurnEncoding, _ schema: SharedSchema
  ) {
    writer.beginTurn(sequence: sequence, screen: encoding.screen)
    for change in outputs {
      guard let value = change.slot.value else { continue }
      switch change.kind {
      case .add: writer.add(change.slot.name, value)
      case .replace where change.slot.index < schema.replacements.count:
        writer.operation(schema.replacements[change.slot.index], value)
      case .replace: writer.replace(change.slot.name, with: value)
      case .operations(let operations): writer.operations(operations)
      }
    }
    for index in texts.indices {
      let change = texts[index]
      if encoding.followsEdits {
        writer.beginEdits(change.name, revision: change.revision)
        for step in steps where step.text == index { writer.step(step.edit) }
        writer.endEdits()
      } else {
        writer.replace(change.name + ".field", with: .string(change.text))
      }
    }
    for event in events { writer.event(event.name, value: event.value) }
    writer.endTurn()
  }

  /// The turn's payload, for logs.
  func description(sequence: Int, _ schema: SharedSchema) -> String {
    var writer = FrameWriter(hasHeaders: false)
    write(to: &writer, sequence: sequence, as: TurnEncoding(followsEdits: true, screen: 0), schema)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}
