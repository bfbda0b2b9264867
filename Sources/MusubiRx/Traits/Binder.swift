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
    setter =
      scheduler is MainScheduler
      ? TargetSetter(target, binding) : SetterElsewhere(target, binding, scheduler)
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

/// What a binder sets, whatever object it belongs to.
private class Setter<Value> {
  func set(_ value: Value) {}
}

/// A property of an object, set on the loop; all of a binder in one allocation.
private class TargetSetter<Target: AnyObject, Value>: Setter<Value> {
  private final weak var target: Target?
  private final let binding: (Target, Value) -> Void

  init(_ target: Target, _ binding: @escaping (Target, Value) -> Void) {
    self.target = target
    self.binding = binding
  }

  override func set(_ value: Value) {
    if ThreadContext.withCurrent(\.isHome) {
      assign(value)
    } else {
      assign(value, on: MainScheduler.instance)
    }
  }

  final func assign(_ value: Value, on scheduler: any ImmediateSchedulerType) {
    _ = scheduler.schedule(value) { value in
      self.assign(value)
      return Disposables.create()
    }
  }

  private final func assign(_ value: Value) {
    if let target { binding(target, value) }
  }
}

/// A property of an object, set on a scheduler.
private final class SetterElsewhere<Target: AnyObject, Value>: TargetSetter<Target, Value> {
  private let scheduler: any ImmediateSchedulerType

  init(
    _ target: Target, _ binding: @escaping (Target, Value) -> Void, _ scheduler: any ImmediateSchedulerType
  ) {
    self.scheduler = scheduler
    super.init(target, binding)
  }

  override func set(_ value: Value) { assign(value, on: scheduler) }
}
