// SPDX-License-Identifier: Apache-2.0

public import MusubiRx

/// A value with the virtual time at which it came.
public struct Recorded<Value> {
  /// When it came.
  public let time: TestTime
  /// What came.
  public let value: Value

  /// Creates a record.
  public init(time: TestTime, value: Value) {
    self.time = time
    self.value = value
  }
}

extension Recorded: Equatable where Value: Equatable {}

extension Recorded: CustomDebugStringConvertible {
  /// The value and its time.
  public var debugDescription: String { "\(value) @ \(time)" }
}

extension Recorded {
  /// A recorded element.
  public static func next<Element>(_ time: TestTime, _ element: Element) -> Recorded
  where Value == Event<Element> { Recorded(time: time, value: .next(element)) }

  /// A recorded end.
  public static func completed<Element>(_ time: TestTime, _ type: Element.Type = Element.self) -> Recorded
  where Value == Event<Element> { Recorded(time: time, value: .completed) }

  /// A recorded error.
  public static func error<Element>(
    _ time: TestTime, _ error: any Swift.Error, _ type: Element.Type = Element.self
  ) -> Recorded where Value == Event<Element> { Recorded(time: time, value: .error(error)) }
}

extension Recorded {
  /// Several recorded events, whose type the compiler then infers as a whole.
  public static func events<Element>(
    _ recordedEvents: Recorded<Event<Element>>...
  ) -> [Recorded<Event<Element>>] where Value == Event<Element> { recordedEvents }

  /// Several recorded events, whose type the compiler then infers as a whole.
  public static func events<Element>(
    _ recordedEvents: [Recorded<Event<Element>>]
  ) -> [Recorded<Event<Element>>] where Value == Event<Element> { recordedEvents }
}

extension MaybeEvent: Equatable where Element: Equatable {
  /// Whether two events say the same; errors are compared by their type and description.
  public static func == (lhs: MaybeEvent<Element>, rhs: MaybeEvent<Element>) -> Bool {
    switch (lhs, rhs) {
    case (.success(let left), .success(let right)): left == right
    case (.error(let left), .error(let right)): areSame(left, right)
    case (.completed, .completed): true
    default: false
    }
  }
}

extension CompletableEvent: Equatable {
  /// Whether two events say the same; errors are compared by their type and description.
  public static func == (lhs: CompletableEvent, rhs: CompletableEvent) -> Bool {
    switch (lhs, rhs) {
    case (.error(let left), .error(let right)): areSame(left, right)
    case (.completed, .completed): true
    default: false
    }
  }
}

extension Event: Equatable where Element: Equatable {
  /// Whether two events say the same; errors are compared by their type and description.
  public static func == (lhs: Event<Element>, rhs: Event<Element>) -> Bool {
    switch (lhs, rhs) {
    case (.next(let left), .next(let right)): left == right
    case (.error(let left), .error(let right)): areSame(left, right)
    case (.completed, .completed): true
    default: false
    }
  }
}

/// Whether two errors are the same as far as can be seen from outside.
func areSame(_ left: any Error, _ right: any Error) -> Bool {
  type(of: left) == type(of: right) && "\(left)" == "\(right)"
}

/// When a test observable was subscribed to, and when the subscription was disposed.
public struct Subscription: Equatable, Hashable, Sendable {
  /// The time of the subscription.
  public let subscribe: TestTime
  /// The time of the disposal; `Int.max` if there was none.
  public let unsubscribe: TestTime

  /// Creates a subscription that was not disposed.
  public init(_ subscribe: TestTime) { self.init(subscribe, .max) }

  /// Creates a subscription.
  public init(_ subscribe: TestTime, _ unsubscribe: TestTime) {
    self.subscribe = subscribe
    self.unsubscribe = unsubscribe
  }
}

extension Subscription: CustomDebugStringConvertible {
  /// Both times.
  public var debugDescription: String {
    "(\(subscribe) : \(unsubscribe == .max ? "Infinity" : "\(unsubscribe)"))"
  }
}
