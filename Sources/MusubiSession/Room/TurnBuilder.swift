// SPDX-License-Identifier: Apache-2.0
import MusubiWire

/// Collects what changes while a room handles one event.
struct TurnBuilder {
  private let sequence: Int
  private var outputs: [Turn.OutputChange] = []
  private var texts: [Turn.TextChange] = []
  private var events: [ServerFrame.Event] = []

  init(sequence: Int) { self.sequence = sequence }

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
      texts.append(
        Turn.TextChange(name: text.name, revision: text.revision, steps: [step], text: text.text))
    }
  }

  /// Adds something that happens once.
  mutating func add(_ event: String, _ value: Value?) {
    events.append(ServerFrame.Event(name: event, value: value))
  }

  /// The turn; nil if nothing has changed.
  func turn() -> Turn? {
    guard !outputs.isEmpty || !texts.isEmpty || !events.isEmpty else { return nil }
    return Turn(sequence: sequence, outputs: outputs, texts: texts, events: events)
  }
}
