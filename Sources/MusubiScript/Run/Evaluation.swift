// SPDX-License-Identifier: Apache-2.0
import MusubiClient
import MusubiWire

/// Looks up what expressions and paths of a script mean now.
struct Evaluation {
  let clients: [String: ScriptClient]
  let variables: [String: Value]

  /// The value of an expression; nil if a path leads nowhere.
  func value(of expression: Expression) -> Value? {
    switch expression {
    case .text(let template): return .string(text(of: template))
    case .number(let number): return Int64(exactly: number).map(Value.integer) ?? .number(number)
    case .bool(let flag): return .bool(flag)
    case .null: return .null
    case .variable(let name): return variables[name]
    case .path(let path): return value(at: path)
    case .repeated(let inner, let count):
      return value(of: inner).map { .string(String(repeating: $0.plainText, count: count)) }
    }
  }

  /// A template with its variables filled in.
  func text(of template: Template) -> String {
    template.parts.map { part in
      switch part {
      case .text(let text): text
      case .variable(let name): variables[name]?.plainText ?? ""
      }
    }.joined()
  }

  /// The value that a client sees at a path; nil if there is none.
  func value(at path: Path) -> Value? {
    guard let session = clients[path.client]?.connection.session,
      case .member(let name)? = path.segments.first
    else { return nil }
    if path.segments.count == 1, let property = property(name, of: session) { return property }
    if name == "dialog", session.state["dialog"] == nil {
      return session.stack.last?.dialogValue.flatMap { value(at: path.segments.dropFirst(), in: $0) }
    }
    if let field = field(path, of: session) { return field }
    return value(at: path.segments[...], in: session.state)
  }

  /// The text of a field, or by how much it is too long; nil if the path asks for neither.
  private func field(_ path: Path, of session: ClientSession) -> Value? {
    guard case .member(let asked)? = path.segments.last, asked == "field" || asked == "tooLong" else {
      return nil
    }
    let text = Path(
      location: path.location, client: path.client, segments: Array(path.segments.dropLast()))
    do throws(StepFailure) {
      let (name, row) = try input(at: text)
      guard !row.isEmpty || text.segments.count == 1 else { return nil }
      return asked == "field"
        ? session.text(of: name, row: row).map(Value.string)
        : .integer(Int64(session.charactersTooLong(in: name, row: row)))
    } catch {
      return nil
    }
  }

  private func property(_ name: String, of session: ClientSession) -> Value? {
    switch name {
    case "pending": .integer(Int64(session.unconfirmed.count))
    case "session": session.identifier.map(Value.string)
    case "epoch": session.position.map { .string($0.epoch) }
    case "sequence": session.position.map { .integer(Int64($0.sequence)) }
    case _ where session.state[name] != nil: nil
    case "screen": .integer(Int64(session.shown))
    case "path": session.stack.last.map { .string($0.path) }
    case "dialog": session.stack.last?.dialog.map(Value.string)
    default: nil
    }
  }

  private func value(at segments: ArraySlice<Path.Segment>, in value: Value) -> Value? {
    guard let segment = segments.first else { return value }
    let next: Value?
    switch segment {
    case .member("count"): next = value["count"] ?? value.arrayValue.map { .integer(Int64($0.count)) }
    case .member(let name): next = value[name]
    case .index(let index): next = value[index]
    case .row(let member, let wanted): next = row(of: value, where: member, is: wanted)
    }
    return next.flatMap { self.value(at: segments.dropFirst(), in: $0) }
  }

  private func row(of list: Value, where member: String, is wanted: Expression) -> Value? {
    guard let wanted = value(of: wanted)?.plainText else { return nil }
    return list.arrayValue?.first { $0[member]?.plainText == wanted }
  }

  /// The input's name and the ids of its rows, for a path that names an input.
  func input(at path: Path) throws(StepFailure) -> (name: String, row: [String]) {
    guard case .member(let name)? = path.segments.last else { throw StepFailure("The path names no input.") }
    return (name, try way(of: path).compactMap { $0.isRow ? $0.text : nil })
  }

  /// What a page sends for a row that goes there.
  func move(to destination: RowDestination) throws(StepFailure) -> Value {
    switch destination {
    case .end(let path):
      return ["before": .null, "list": .array(try way(of: path).map { .string($0.text) })]
    case .before(let path):
      let way = try way(of: path).map(\.text)
      return ["before": .string(way.last ?? ""), "list": .array(way.dropLast().map(Value.string))]
    }
  }

  /// The names on a path, and the ids of its rows.
  private func way(of path: Path) throws(StepFailure) -> [(text: String, isRow: Bool)] {
    var way: [(text: String, isRow: Bool)] = []
    for (index, segment) in path.segments.enumerated() {
      if case .member(let name) = segment {
        // The rows of a long list are the list's.
        let list = Path(
          location: path.location, client: path.client, segments: Array(path.segments[..<index]))
        if name == "rows", index > 0, value(at: list)?["count"] != nil { continue }
        way.append((name, false))
        continue
      }
      // A row that has gone can still be named by its id: what the server says to that is worth a test.
      if case .row("id", let id) = segment, let text = value(of: id)?.plainText {
        way.append((text, true))
        continue
      }
      let place = Path(
        location: path.location, client: path.client, segments: Array(path.segments[...index]))
      guard let id = value(at: place)?["id"] else { throw StepFailure("There is no row \(place).") }
      way.append((id.plainText, true))
    }
    return way
  }
}

extension Value {
  /// A text without quotes, anything else as JSON.
  var plainText: String { stringValue ?? description }

  /// The number, also if it is written as a text.
  var comparableNumber: Double? { doubleValue ?? stringValue.flatMap { Double($0) } }
}

extension Path: CustomStringConvertible {
  /// The path as it is written in a script.
  package var description: String {
    client
      + segments.map { segment in
        switch segment {
        case .member(let name): ".\(name)"
        case .index(let index): "[\(index)]"
        case .row(let member, .variable(let name)): "[\(member)=$\(name)]"
        case .row(let member, _): "[\(member)=…]"
        }
      }.joined()
  }
}

extension Comparison {
  /// Whether the operator holds between two values.
  func holds(_ left: Value, _ right: Value) -> Bool {
    switch self {
    case .equal: return left == right
    case .unequal: return left != right
    default: break
    }
    guard let left = left.comparableNumber, let right = right.comparableNumber else { return false }
    return switch self {
    case .less: left < right
    case .greater: left > right
    case .lessOrEqual: left <= right
    case .greaterOrEqual: left >= right
    case .equal, .unequal: false
    }
  }
}
