// SPDX-License-Identifier: Apache-2.0

/// A property of an object, as an observer: sets it on the loop, and takes no errors.
///
/// The target is held weakly.
public struct Binder<Value>: ObserverType {
  /// The type of the values.
  public typealias Element = Value

  private let set: (Value) -> Void

  /// Creates a binder.
  public init<Target: AnyObject>(
    _ target: Target, scheduler: any ImmediateSchedulerType = MainScheduler.instance,
    binding: @escaping (Target, Value) -> Void
  ) {
    let assign: (Value) -> Void = { [weak target] value in
      if let target { binding(target, value) }
    }
    if scheduler is MainScheduler {
      set = { value in
        if ThreadContext.current.isHome { assign(value) } else { Self.schedule(value, scheduler, assign) }
      }
    } else {
      set = { Self.schedule($0, scheduler, assign) }
    }
  }

  /// Sets the property to the element of a `next`; reports an error.
  public func on(_ event: Event<Value>) {
    switch event {
    case .next(let element): set(element)
    case .error(let error): UnhandledErrors.reportInBinding(error)
    case .completed: break
    }
  }

  /// Sets the property.
  public func onNext(_ element: Value) { set(element) }

  /// This binder without its type.
  public func asObserver() -> AnyObserver<Value> { AnyObserver(eventHandler: on) }

  private static func schedule(
    _ value: Value, _ scheduler: any ImmediateSchedulerType, _ assign: @escaping (Value) -> Void
  ) {
    _ = scheduler.schedule(value) { value in
      assign(value)
      return Disposables.create()
    }
  }
}
