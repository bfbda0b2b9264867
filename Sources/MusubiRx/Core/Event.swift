// SPDX-License-Identifier: Apache-2.0

/// One thing that an observable tells its observers.
///
/// A sequence follows the grammar `next* (error | completed)?`: any number of elements, then at most one end.
@frozen public enum Event<Element> {
  /// The next element.
  case next(Element)
  /// The sequence failed; nothing follows.
  case error(any Swift.Error)
  /// The sequence ended well; nothing follows.
  case completed
}

extension Event: Sendable where Element: Sendable {}

extension Event: CustomDebugStringConvertible {
  /// The event as `next(…)`, `error(…)` or `completed`.
  public var debugDescription: String {
    switch self {
    case .next(let element): "next(\(element))"
    case .error(let error): "error(\(error))"
    case .completed: "completed"
    }
  }
}

extension Event {
  /// Whether nothing can follow this event.
  public var isStopEvent: Bool {
    switch self {
    case .next: false
    case .error, .completed: true
    }
  }

  /// The element of a `next` event.
  public var element: Element? {
    if case .next(let element) = self { element } else { nil }
  }

  /// The error of an `error` event.
  public var error: (any Swift.Error)? {
    if case .error(let error) = self { error } else { nil }
  }

  /// Whether this is the `completed` event.
  public var isCompleted: Bool {
    if case .completed = self { true } else { false }
  }

  /// The same event with its element transformed; a failing transform makes it an `error`.
  public func map<Result>(_ transform: (Element) throws -> Result) -> Event<Result> {
    switch self {
    case .next(let element):
      do { return .next(try transform(element)) } catch { return .error(error) }
    case .error(let error): return .error(error)
    case .completed: return .completed
    }
  }
}

/// A value that stands for an event.
public protocol EventConvertible<Element> {
  /// The type of the event's element.
  associatedtype Element

  /// The event.
  var event: Event<Element> { get }
}

extension Event: EventConvertible {
  /// The event itself.
  public var event: Event<Element> { self }
}
