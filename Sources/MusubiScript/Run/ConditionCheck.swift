// SPDX-License-Identifier: Apache-2.0
import MusubiClient
import MusubiWire

/// Checks one condition again and again, and remembers the values.
final class ConditionCheck {
  private let condition: Condition
  private let pattern: Regex<AnyRegexOutput>?
  private var seen: [String] = []

  private static let keptValues = 6

  init(_ condition: Condition) throws(StepFailure) {
    self.condition = condition
    guard case .matches(_, let text) = condition else {
      pattern = nil
      return
    }
    do {
      pattern = try Regex(text)
    } catch {
      throw StepFailure("The regular expression cannot be read: \(error).")
    }
  }

  /// Whether the condition holds now; an error or event that fulfils it is used up.
  func holds(_ now: Evaluation) -> Bool {
    switch condition {
    case .comparison(let left, let comparison, let right):
      let values = (now.value(of: left), now.value(of: right))
      note(values.0, right.isLive ? values.1 : nil, isPair: right.isLive)
      guard let left = values.0, let right = values.1 else { return false }
      return comparison.holds(left, right)
    case .matches(let left, _):
      let value = now.value(of: left)
      note(value, nil, isPair: false)
      guard let text = value?.plainText, let pattern else { return false }
      return text.firstMatch(of: pattern) != nil
    case .presence(let path, let isPresent):
      let value = now.value(at: path)
      note(value, nil, isPair: false)
      return (value != nil) == isPresent
    case .error(let client, let code): return takeError(now.clients[client], code)
    case .event(let client, let name, let comparison, let right):
      return takeEvent(now.clients[client], name, comparison, right.flatMap { now.value(of: $0) })
    case .close(let client, let code):
      guard case .closed(let actual, _)? = now.clients[client]?.connection.status else { return false }
      return actual == code
    case .resumed(let client, let kind): return now.clients[client]?.resumed == kind
    }
  }

  private func takeError(_ client: ScriptClient?, _ code: String) -> Bool {
    guard let client, let index = client.errors.firstIndex(where: { $0.code == code }) else { return false }
    client.errors.remove(at: index)
    return true
  }

  private func takeEvent(
    _ client: ScriptClient?, _ name: String, _ comparison: Comparison?, _ right: Value?
  ) -> Bool {
    let index = client?.events.firstIndex { event in
      guard event.name == name else { return false }
      guard let comparison else { return true }
      return comparison.holds(event.value ?? .null, right ?? .null)
    }
    guard let index else { return false }
    client?.events.remove(at: index)
    return true
  }

  private func note(_ left: Value?, _ right: Value?, isPair: Bool) {
    let first = left?.description ?? "missing"
    let line = isPair ? "\(first) against \(right?.description ?? "missing")" : first
    guard seen.last != line else { return }
    seen.append(line)
    if seen.count > Self.keptValues { seen.removeFirst() }
  }

  /// The seen values, and the last frames of the condition's clients.
  func report(_ now: Evaluation) -> [String] {
    var lines: [String] = []
    if !seen.isEmpty { lines.append("last values: \(seen.map(\.clipped).joined(separator: ", then "))") }
    if case .event(let name, _, _, _) = condition, let events = now.clients[name]?.events {
      let list = events.map { "\($0.name) \($0.value?.description ?? "")" }.joined(separator: ", ")
      lines.append("events: \(list.isEmpty ? "none" : list)")
    }
    if case .resumed(let name, _) = condition {
      lines.append("resumed: \(now.clients[name]?.resumed?.rawValue ?? "not yet")")
    }
    for name in condition.clients { lines += now.clients[name]?.report ?? [] }
    return lines
  }
}

extension Condition {
  /// The clients that the condition looks at, each once.
  var clients: [String] {
    switch self {
    case .comparison(let left, _, let right):
      return left.clients + right.clients.filter { !left.clients.contains($0) }
    case .matches(let left, _): return left.clients
    case .presence(let path, _): return [path.client]
    case .error(let client, _), .close(let client, _), .event(let client, _, _, _), .resumed(let client, _):
      return [client]
    }
  }
}

extension Expression {
  /// Whether the value can change while a step waits.
  var isLive: Bool { !clients.isEmpty }

  var clients: [String] {
    switch self {
    case .path(let path): [path.client]
    case .repeated(let inner, _): inner.clients
    case .text, .number, .bool, .null, .variable: []
    }
  }
}
