// SPDX-License-Identifier: Apache-2.0

import MusubiRx
import MusubiTesting
import Testing

/// One case of a table: sources, an operator, and what must be observed at which virtual times.
struct Row: Sendable, CustomTestStringConvertible {
  let name: String
  let sources: [String]
  let events: String
  let subscriptions: String?
  private let observe: @Sendable (Lab) -> String
  private let location: SourceLocation

  /// Creates a case.
  ///
  /// - Parameters:
  ///   - name: The promise.
  ///   - sources: The scripts of the sources.
  ///   - more: Further scripts, from a table.
  ///   - events: What the observer sees.
  ///   - subscriptions: When the sources are subscribed to and let go, separated by semicolons; nil if that is beside the point.
  ///   - disposed: When the observer leaves.
  ///   - location: Where the case is written.
  ///   - make: Builds the sequence under test.
  init<Source: ObservableConvertibleType & SendableMetatype>(
    _ name: String, _ sources: String..., more: [String] = [], gives events: String,
    subscribed subscriptions: String? = nil,
    disposed: Int = 1000, location: SourceLocation = #_sourceLocation,
    _ make: @escaping @Sendable (Lab) -> Source
  ) {
    self.name = name
    self.sources = sources + more
    self.events = events
    self.subscriptions = subscriptions
    self.location = location
    observe = { lab in
      let result = lab.scheduler.start(disposed: disposed) { make(lab) }
      return Script.text(result.events)
    }
  }

  var testDescription: String { name }

  /// Runs the case and compares.
  func check() {
    let lab = Lab(sources)
    let seen = observe(lab)
    #expect(seen == events, "\(name): events", sourceLocation: location)
    if let subscriptions {
      #expect(lab.subscriptions == subscriptions, "\(name): subscriptions", sourceLocation: location)
    }
  }
}

/// Collects cases one by one, so that the type checker meets one at a time.
@resultBuilder enum Rows {
  static func buildBlock(_ rows: Row...) -> [Row] { rows }
}

/// Subscribes at once and tells what came, without times.
func immediate<Source: ObservableConvertibleType>(_ source: Source) -> String {
  var seen: [String] = []
  let subscription = source.asObservable().subscribe { seen.append(Script.text($0)) }
  subscription.dispose()
  return seen.joined(separator: " ")
}

/// Notes what happens, in order.
final class Log {
  private(set) var entries: [String] = []

  func note(_ entry: String) { entries.append(entry) }

  func observer<Element>(_ name: String = "") -> (Event<Element>) -> Void {
    { [self] in note(name + Script.text($0)) }
  }

  var text: String { entries.joined(separator: " ") }
}
