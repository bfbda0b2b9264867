// SPDX-License-Identifier: Apache-2.0

import MusubiRx
import MusubiTesting

/// What sources in the tests fail with.
enum TestError: String, Error {
  case a
  case b
}

/// Reads and writes recorded events as text, so that a table of cases stays readable.
///
/// `210:1` is the element 1 at 210, `250|` the end, `250#` the error `a`, `250#b` the error `b`; `cold` in front
/// makes times count from the subscription.
enum Script {
  static func events(_ text: String) -> [Recorded<Event<Int>>] {
    text.split(separator: " ").compactMap { event(String($0)) }
  }

  private static func event(_ token: String) -> Recorded<Event<Int>>? {
    let digits = token.prefix { $0.isNumber || $0 == "-" }
    let rest = token.dropFirst(digits.count)
    guard let time = Int(digits), let mark = rest.first else { return nil }
    switch mark {
    case ":": return Int(rest.dropFirst()).map { .next(time, $0) }
    case "|": return .completed(time)
    case "#": return .error(time, TestError(rawValue: String(rest.dropFirst())) ?? .a)
    default: return nil
    }
  }

  static func text<Element>(_ events: [Recorded<Event<Element>>]) -> String {
    events.map { "\($0.time)" + (isElement($0.value) ? ":" : "") + text($0.value) }.joined(separator: " ")
  }

  static func text<Element>(_ events: [Event<Element>]) -> String {
    events.map { text($0) }.joined(separator: " ")
  }

  static func text<Element>(_ event: Event<Element>) -> String {
    switch event {
    case .next(let element): "\(element)".filter { $0 != " " }
    case .error(let error): "#" + text(error)
    case .completed: "|"
    }
  }

  static func text(_ error: any Error) -> String {
    switch error {
    case TestError.a: ""
    case RxError.timeout: "timeout"
    case RxError.noElements: "noElements"
    case RxError.moreThanOneElement: "moreThanOneElement"
    case RxError.argumentOutOfRange: "argumentOutOfRange"
    case RxError.overflow: "overflow"
    case RxError.unknown: "unknown"
    case RxError.disposed: "disposed"
    default: "\(error)"
    }
  }

  static func text(_ subscriptions: [Subscription]) -> String {
    subscriptions.map { "\($0.subscribe)-" + ($0.unsubscribe == .max ? "" : "\($0.unsubscribe)") }
      .joined(separator: " ")
  }

  private static func isElement<Element>(_ event: Event<Element>) -> Bool { event.element != nil }
}

/// The virtual time and the scripted sources of one case.
struct Lab {
  let scheduler = TestScheduler(initialClock: 0)
  let sources: [TestableObservable<Int>]

  init(_ scripts: [String]) {
    let scheduler = scheduler
    sources = scripts.map { script in
      let events = Script.events(script)
      return script.hasPrefix("cold")
        ? scheduler.createColdObservable(events) : scheduler.createHotObservable(events)
    }
  }

  var a: Observable<Int> { sources[0].asObservable() }
  var b: Observable<Int> { sources[1].asObservable() }
  var c: Observable<Int> { sources[2].asObservable() }
  var d: Observable<Int> { sources[3].asObservable() }

  /// The source that an element of an outer sequence stands for.
  func source(_ number: Int) -> Observable<Int> { sources[number].asObservable() }

  /// The first source as a sequence of the sources that its elements number.
  var outer: Observable<Observable<Int>> {
    let sources = sources
    return a.map { sources[$0].asObservable() }
  }

  /// All sources' subscriptions as text.
  var subscriptions: String { sources.map { Script.text($0.subscriptions) }.joined(separator: "; ") }
}
