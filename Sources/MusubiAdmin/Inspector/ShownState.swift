// SPDX-License-Identifier: Apache-2.0
import MusubiClient
import MusubiSession
import MusubiText
import MusubiWire

/// What the pages of a room show, made of what they were told.
struct ShownState: Sendable {
  /// The outputs.
  private(set) var outputs = Value.object(Value.Object())
  /// What the fields of two-way texts hold that somebody has edited, by the texts' keys.
  private(set) var fields: [String: String] = [:]
  /// What the last turn has changed: the ways to it.
  private(set) var changes: [[String]] = []
  /// Why something of it is missing; nil if nothing is.
  private(set) var problem: String?

  /// Goes on by a line of the room's record.
  mutating func apply(_ line: RecordLine) {
    if let start = line.start { self = ShownState(outputs: start) }
    guard let turn = line.turn, turn["sequence"] != nil else { return }
    do {
      guard case .turn(let turn) = try ReceivedFrame(json: Array(turn.description.utf8)).content else {
        return
      }
      changes = turn.patch.compactMap(\.changedPath) + turn.edits.map { [$0.name] }
      try outputs.apply(turn.patch)
      for change in turn.edits {
        let before = change.text ?? fields[change.name] ?? outputs[change.name]?.stringValue ?? ""
        fields[change.name] = try change.steps.reduce(before) { try $1.applied(to: $0) }
      }
    } catch {
      // A rule has left out what this changes.
      problem = "\(error)"
    }
  }

  /// What a page has to be told that shows this and takes no input: the outputs, with what the fields hold.
  var page: Value {
    var page = outputs
    for (key, text) in fields {
      do {
        let way = key.hasPrefix("/") ? try JSONPointer(parsing: key).tokens : [key]
        guard let name = way.first, let places = way.count == 1 ? [] : page[name]?.places(of: way.dropFirst())
        else { continue }
        try page.apply([.replace(path: JSONPointer([name] + places), value: .string(text))])
      } catch {
        // The row has gone, and its field with it.
        continue
      }
    }
    return page
  }

  init(outputs: Value = .object(Value.Object())) { self.outputs = outputs }
}

extension Operation {
  /// The way to what it changes; nil if it changes nothing.
  fileprivate var changedPath: [String]? {
    switch self {
    case .add(let path, _), .remove(let path), .replace(let path, _), .move(_, let path), .copy(_, let path):
      path.tokens
    case .test: nil
    }
  }
}
