// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiText
import MusubiWire

/// Collects what changes while a room handles the events of one turn, and writes it as frames.
///
/// An object that a room is lent, so that a turn allocates nothing.
final class TurnBuilder {
  // Unchecked: the checks would be 4 % of an event.
  @exclusivity(unchecked) private var pieces = TurnPieces()
  /// Where its frames are written, one after the other.
  @exclusivity(unchecked) private var frame = ByteBuffer()
  /// What has happened.
  private(set) var events: [ServerFrame.Event] = []
  /// The rows' texts that it tells of, numbered behind those of the room; replaced, never changed in place.
  private(set) var rows: [RowDocument] = []

  /// How many bytes the steps take in a frame.
  var stepBytes: Int { pieces.stepBytes }

  /// From so many bytes of steps on, what follows is a turn of its own.
  static let maxStepBytes = 16_384

  /// Whether some text has changed.
  var hasTexts: Bool { pieces.hasTexts }

  /// Whether nothing has changed.
  var isEmpty: Bool { pieces.isEmpty }

  /// Forgets everything but the memory that it took.
  func clear() {
    pieces.removeAll()
    frame.removeAll()
    if !events.isEmpty { events = [] }
    forgetRows()
  }

  /// The steps of its rows are written.
  func forgetRows() {
    guard !rows.isEmpty else { return }
    for row in rows { (row.number, row.beginning) = (nil, nil) }
    rows = []
  }

  /// Adds the change of an output's value, if there is one.
  ///
  /// - Returns: The operations, if the value is a list or an object.
  func take(
    _ change: OutputChange, of slot: OutputSlot, to value: Value, _ schema: SharedSchema
  ) -> [Operation] {
    switch change {
    case .whole(previous: nil):
      return add([.add(path: JSONPointer([slot.name]), value: value)])
    case .whole(let previous?):
      switch value {
      case .array, .object:
        return add(Diff.operations(from: previous, to: value, at: JSONPointer([slot.name])))
      default:
        if previous != value { pieces.replace(schema.replacements[slot.index], with: value) }
        return []
      }
    case .elements(let change):
      guard case .array(let elements) = value else { return [] }
      let range = change.place..<change.place + change.count
      return add(
        Diff.operations(
          from: change.previous, to: elements[range], from: change.place, in: elements,
          at: JSONPointer([slot.name])))
    }
  }

  private func add(_ operations: [Operation]) -> [Operation] {
    for operation in operations { pieces.add(operation) }
    return operations
  }

  /// Tells what the field of a row's text holds, to pages that take texts as values.
  ///
  /// - Parameters:
  ///   - row: The text.
  ///   - texts: How many texts the room has besides.
  /// - Returns: Its number among the texts of the turn.
  @discardableResult func include(_ row: RowDocument, behind texts: Int) -> Int {
    if let number = row.number { return number }
    let number = texts + rows.count
    row.number = number
    rows = rows + [row]
    return number
  }

  /// Adds that the document of a row's text begins.
  func begin(_ row: RowDocument, behind texts: Int) {
    row.beginning = row.text.text
    pieces.begin(include(row, behind: texts))
  }

  /// Adds a step of a text.
  ///
  /// - Parameters:
  ///   - step: The step.
  ///   - text: The text's place among those of the room.
  func add(_ step: TextEdit, to text: Int) { pieces.add(step, to: text) }

  /// Adds something that happens once.
  func add(_ event: String, _ value: Value?) {
    pieces.add(event, value)
    events.append(ServerFrame.Event(name: event, value: value))
  }

  /// Appends the turn's frame to bytes.
  ///
  /// - Parameters:
  ///   - bytes: Where to append.
  ///   - sequence: The turn's number.
  ///   - encoding: How texts are told.
  ///   - texts: The texts of the room, as they are after the turn.
  ///   - schema: The names.
  func write(
    to bytes: inout [UInt8], sequence: Int, as encoding: TurnEncoding, _ texts: [SharedText],
    _ schema: SharedSchema
  ) {
    frame.removeAll()
    if encoding.followsEdits {
      pieces.write(to: &frame, sequence: sequence, screen: encoding.screen) { text, frame in
        guard text < texts.count else { return rows[text - texts.count].writeHead(to: &frame) }
        frame.append(contentsOf: schema.beginnings[text])
        frame.appendJSON(texts[text].revision)
      }
    } else {
      var fields = ByteBuffer()
      for index in texts.indices where pieces.isChanged(index) {
        fields.append(contentsOf: schema.fields[index])
        fields.appendJSON(texts[index].text)
        fields.appendRaw("},")
      }
      for row in rows { row.appendField(to: &fields) }
      pieces.write(to: &frame, sequence: sequence, screen: encoding.screen, texts: fields)
    }
    bytes.append(contentsOf: frame.bytes)
  }

  /// The turn's payload, for logs.
  func description(sequence: Int, _ texts: [SharedText], _ schema: SharedSchema) -> String {
    var frame: [UInt8] = []
    write(to: &frame, sequence: sequence, as: TurnEncoding(followsEdits: true, screen: 0), texts, schema)
    return String(decoding: WebSocketFrame.payload(ofUnmasked: frame), as: UTF8.self)
  }
}
