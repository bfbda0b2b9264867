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

    let slot: OutputSlot
    let value: Value
    let kind: Kind
  }

  /// The change of one text.
  private struct TextChange {
    /// Its place among the texts of the room.
    let index: Int
    /// Its steps as they are sent, each with a comma behind it: written at once, they need not be kept as values.
    var steps: [UInt8]
    var revision = 0
    /// The text at that revision.
    var text = ""
  }

  /// Whose inputs the steps of a text are: the last one of each author.
  private struct LastInput {
    /// The place among the texts that the turn changes.
    let text: Int
    let author: String
    var number: Int
  }

  private var outputs: [Output] = []
  private var texts: [TextChange] = []
  /// Lent to the steps of a turn's first text, so that a turn allocates nothing.
  private var spareSteps: [UInt8] = []
  private var inputs: [LastInput] = []
  private var events: [ServerFrame.Event] = []
  /// How many bytes the steps take in a frame.
  private(set) var stepBytes = 0

  /// From so many bytes of steps on, what follows is a turn of its own.
  static let mostStepBytes = 16_384

  /// Whether nothing has changed.
  private var isEmpty: Bool { outputs.isEmpty && texts.isEmpty && events.isEmpty }

  /// What has happened.
  var allEvents: [ServerFrame.Event] { events }

  /// Forgets everything but the room that it took.
  mutating func clear() {
    outputs.removeAll(keepingCapacity: true)
    if !texts.isEmpty {
      swap(&spareSteps, &texts[0].steps)
      texts.removeAll(keepingCapacity: true)
      if spareSteps.capacity <= 4_096 { spareSteps.removeAll(keepingCapacity: true) } else { spareSteps = [] }
    }
    if !inputs.isEmpty { inputs.removeAll(keepingCapacity: true) }
    stepBytes = 0
    if !events.isEmpty { events.removeAll(keepingCapacity: true) }
  }

  /// Adds the change of an output's value, if there is one.
  mutating func take(_ change: OutputChange, of slot: OutputSlot, to value: Value) {
    switch (change, value) {
    case (.whole(previous: nil), _):
      outputs.append(Output(slot: slot, value: value, kind: .add))
    case (.elements(let place, let previous, let count), .array(let elements)):
      patch(
        slot, value,
        Diff.operations(
          from: previous, to: elements[place..<place + count], from: place, at: JSONPointer([slot.name])))
    case (.whole(let previous?), .array), (.whole(let previous?), .object):
      patch(slot, value, Diff.operations(from: previous, to: value, at: JSONPointer([slot.name])))
    case (.whole(let previous?), _):
      if previous != value { outputs.append(Output(slot: slot, value: value, kind: .replace)) }
    case (.elements, _): break
    }
  }

  private mutating func patch(_ slot: OutputSlot, _ value: Value, _ operations: [Operation]) {
    guard !operations.isEmpty else { return }
    outputs.append(Output(slot: slot, value: value, kind: .operations(operations)))
  }

  /// Adds a step of a text.
  ///
  /// - Parameters:
  ///   - step: The step.
  ///   - index: The text's place among those of the room.
  ///   - author: Whose input it is, if pages are to know.
  mutating func add(_ step: TextEdit, to index: Int, by author: SharedText.Author? = nil) {
    var place = 0
    while place < texts.count, texts[place].index != index { place += 1 }
    if place == texts.count {
      var change = TextChange(index: index, steps: [])
      swap(&change.steps, &spareSteps)
      texts.append(change)
    }
    stepBytes += texts[place].steps.append(step: step)
    guard let author else { return }
    if let earlier = inputs.firstIndex(where: { $0.text == place && $0.author == author.name }) {
      inputs[earlier].number = author.input
    } else {
      inputs.append(LastInput(text: place, author: author.name, number: author.input))
    }
  }

  /// Nothing follows: notes where the texts are.
  ///
  /// - Returns: What there is; nil if nothing has changed. To ask for each would copy the builder from its object.
  mutating func finish(_ all: [SharedText]) -> (hasTexts: Bool, hasEvents: Bool)? {
    if isEmpty { return nil }
    for place in texts.indices {
      let index = texts[place].index
      texts[place].revision = all[index].revision
      texts[place].text = all[index].text
    }
    return (!texts.isEmpty, !events.isEmpty)
  }

  /// Adds something that happens once.
  mutating func add(_ event: String, _ value: Value?) {
    events.append(ServerFrame.Event(name: event, value: value))
  }

  /// Writes the turn.
  func write(
    to writer: inout FrameWriter, sequence: Int, as encoding: TurnEncoding, _ schema: SharedSchema
  ) {
    if let most = mostBytes(as: encoding, schema) {
      writer.write(atMost: most) {
        writeQuickly(to: &$0, sequence: sequence, screen: encoding.screen, schema)
      }
      return
    }
    writer.beginTurn(sequence: sequence, screen: encoding.screen)
    for change in outputs {
      switch change.kind {
      case .add: writer.add(change.slot.name, change.value)
      case .replace where change.slot.index < schema.replacements.count:
        writer.operation(schema.replacements[change.slot.index], change.value)
      case .replace: writer.replace(change.slot.name, with: change.value)
      case .operations(let operations): writer.operations(operations)
      }
    }
    for index in texts.indices {
      let change = texts[index]
      let name = schema.schema.outputs[schema.texts[change.index].output]
      if encoding.followsEdits {
        writer.beginEdits(name, revision: change.revision)
        writer.steps(change.steps)
        let own = inputs.filter { $0.text == index }
        writer.endEdits(by: Dictionary(own.map { ($0.author, $0.number) }, uniquingKeysWith: max))
      } else {
        writer.replace(name + ".field", with: .string(change.text))
      }
    }
    for event in events { writer.event(event.name, value: event.value) }
    writer.endTurn()
  }

  /// How many bytes the frame has at most; nil if it has parts that are rare, or may be too long.
  private func mostBytes(as encoding: TurnEncoding, _ schema: SharedSchema) -> Int? {
    guard events.isEmpty, encoding.followsEdits || texts.isEmpty else { return nil }
    var most = 128
    for change in outputs {
      guard case .replace = change.kind, case .string(let text) = change.value,
        change.slot.index < schema.replacements.count
      else { return nil }
      most += schema.replacements[change.slot.index].count + ReservedBytes.mostOfString(text) + 2
    }
    for change in texts { most += schema.texts[change.index].beginning.count + change.steps.count + 50 }
    for input in inputs { most += ReservedBytes.mostOfString(input.author) + ReservedBytes.mostOfInteger + 2 }
    return most <= ReservedBytes.longestFrame ? most : nil
  }

  /// Writes what `mostBytes` has counted.
  private func writeQuickly(
    to writer: inout ReservedBytes, sequence: Int, screen: Int, _ schema: SharedSchema
  ) {
    writer.beginFrame()
    writer.raw(#"{"sequence":"#)
    writer.integer(sequence)
    if !outputs.isEmpty {
      writer.raw(#","patch":["#)
      for change in outputs {
        guard case .string(let text) = change.value else { continue }
        writer.raw(schema.replacements[change.slot.index])
        writer.string(text)
        writer.raw("},")
      }
      writer.replaceLast(by: UInt8(ascii: "]"))
    }
    if !texts.isEmpty {
      writer.raw(#","edits":{"#)
      for place in texts.indices {
        writer.raw(schema.texts[texts[place].index].beginning)
        writer.integer(texts[place].revision)
        writer.raw(#","steps":["#)
        writer.raw(texts[place].steps)
        writer.replaceLast(by: UInt8(ascii: "]"))
        var isFirst = true
        for input in inputs where input.text == place {
          writer.raw(isFirst ? #","by":{"# : ",")
          isFirst = false
          writer.string(input.author)
          writer.byte(UInt8(ascii: ":"))
          writer.integer(input.number)
        }
        if !isFirst { writer.byte(UInt8(ascii: "}")) }
        writer.raw("},")
      }
      writer.replaceLast(by: UInt8(ascii: "}"))
    }
    writer.end(screen)
  }

  /// The turn's payload, for logs.
  func description(sequence: Int, _ schema: SharedSchema) -> String {
    var writer = FrameWriter(hasHeaders: false)
    write(to: &writer, sequence: sequence, as: TurnEncoding(followsEdits: true, screen: 0), schema)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}
