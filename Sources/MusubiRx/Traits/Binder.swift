// SPDX-License-Identifier: Apache-2.0

/// A property of an object, as an observer: sets it on the loop, and takes no errors.
///
/// The target is held weakly.
public struct Binder<Value>: ObserverType {
  /// The type of the values.
  public typealias Element = Value

  private let setter: Setter<Value>

  /// Creates a binder.
  public init<Target: AnyObject>(
    _ target: Target, scheduler: any ImmediateSchedulerType = MainScheduler.instance,
    binding: @escaping (Target, Value) -> Void
  ) {
    setter = TargetSetter(target, scheduler is MainScheduler ? nil : Elsewhere(scheduler), binding)
  }

  /// Sets the property to the element of a `next`; reports an error.
  public func on(_ event: Event<Value>) {
    switch event {
    case .next(let element): setter.set(element)
    case .error(let error): UnhandledErrors.reportInBinding(error)
    case .completed: break
    }
  }

  /// Sets the property.
  public func onNext(_ element: Value) { setter.set(element) }

  /// This binder without its type.
  public func asObserver() -> AnyObserver<Value> { AnyObserver(eventHandler: on) }
}

/// Where a binder sets, if that is not the loop.
private final class Elsewhere {
  let scheduler: any ImmediateSchedulerType

  init(_ scheduler: any ImmediateSchedulerType) { self.scheduler = scheduler }
}

/// What a binder sets, whatever object it belongs to.
private class Setter<Value> {
  func set(_ value: Value) {}
}

/// A property of an object; all of a binder in one allocation.
private final class TargetSetter<Target: AnyObject, Value>: Setter<Value> {
  private weak var target: Target?
  private let elsewhere: Elsewhere?
  private let binding: (Target, Value) -> Void

  init(_ target: Target, _ elsewhere: Elsewhere?, _ binding: @escaping (Target, Value) -> Void) {
    self.target = target
    self.elsewhere = elsewhere
    self.binding = binding
  }

  override func set(_ value: Value) {
    guard elsewhere != nil || !ThreadContext.withCurrent(\.isHome) else { return assign(value) }
    let scheduler = elsewhere?.scheduler ?? MainScheduler.instance
    _ = scheduler.schedule(value) { value in
      self.assign(value)
      return Disposables.create()
    }
  }

  private func assign(_ value: Value) {
    if let target { binding(target, value) }
  }
}
