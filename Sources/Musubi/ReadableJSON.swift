// SPDX-License-Identifier: Apache-2.0
import MusubiWire

/// Makes JSON short enough to be read in one line of a log.
struct ReadableJSON {
  /// The most characters of a string.
  var maximumCharacters = 80
  /// The most elements of a list or members of an object.
  var maximumElements = 12

  /// The changes of a turn, by path: `{"label":"57","contents/0/title":"Tea","number.field":[[1,0,"2"]]}`.
  ///
  /// A removed path begins with "-"; a text that took several edits, or an event that came twice, is there as often.
  ///
  /// - Parameter frame: The payload of the turn's frame.
  /// - Returns: The turn's number, and a JSON object; the frame itself if it is no turn.
  func turn(_ frame: String) -> (sequence: String, changes: String) {
    guard let turn = parsed(frame)?.objectValue else { return ("", shortened(frame)) }
    var changes: [(name: String, value: Value)] = []
    for operation in turn["patch"]?.arrayValue ?? [] {
      let path = String((operation["path"]?.stringValue ?? "").dropFirst())
      switch operation["op"]?.stringValue {
      case "remove": changes.append(("-" + path, .null))
      case "move": changes.append((path, ["from": operation["from"] ?? .null]))
      default: changes.append((path, operation["value"] ?? .null))
      }
    }
    for text in turn["edits"]?.objectValue ?? Value.Object() {
      for step in text.value["steps"]?.arrayValue ?? [] { changes.append((text.key + ".field", step)) }
    }
    for event in turn["events"]?.arrayValue ?? [] {
      changes.append((event["name"]?.stringValue ?? "", event["value"] ?? .null))
    }
    let members = changes.prefix(maximumElements).map {
      "\(Value.string($0.name)):\(shortened($0.value))"
    }
    let rest = changes.count > maximumElements ? ",\"…\":\(changes.count - maximumElements)" : ""
    let sequence = turn["sequence"]?.intValue.map { "\($0)" } ?? ""
    return (sequence, "{\(members.joined(separator: ","))\(rest)}")
  }

  /// A JSON value with its long strings, lists and objects cut; "…" stands for the rest.
  ///
  /// - Parameter json: The value's text.
  /// - Returns: The shorter text; if it is no JSON, its beginning.
  func shortened(_ json: String) -> String {
    guard let value = parsed(json) else {
      return json.count > 3 * maximumCharacters ? json.prefix(3 * maximumCharacters) + "…" : json
    }
    return "\(shortened(value))"
  }

  private func shortened(_ value: Value) -> Value {
    switch value {
    case .string(let text) where text.count > maximumCharacters:
      return .string(text.prefix(maximumCharacters) + "…")
    case .array(let elements):
      let shown = elements.prefix(maximumElements).map { shortened($0) }
      let rest = elements.count - shown.count
      return .array(rest > 0 ? shown + [.string("… \(rest) more")] : shown)
    case .object(let object):
      var shown = Value.Object()
      for member in object.prefix(maximumElements) { shown[member.key] = shortened(member.value) }
      if object.count > maximumElements { shown["…"] = .null }
      return .object(shown)
    case .null, .bool, .integer, .number, .string:
      return value
    }
  }

  private func parsed(_ json: String) -> Value? {
    do { return try Value(json: json) } catch { return nil }
  }
}
