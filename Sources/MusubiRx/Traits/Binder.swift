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

/// Something that shows a text: its binder needs no closure, and holds it, which a weak reference would make dearer for each
/// event; so it refers to nothing that leads back to whoever binds.
package protocol TextShowing: AnyObject {
  /// Shows a text; nil shows as an empty one.
  func show(_ text: String?)
}

extension Binder where Value == String? {
  /// A binder of the text that an object shows, as most screens bind it.
  package init(textOf target: some TextShowing) { setter = TextSetter(target) }
}

/// The target of a binder, of any object: on the loop, if a subclass does not choose another scheduler.
private class Setter<Value> {
  /// Sets it, on the scheduler.
  func assign(_ value: Value) {}

  func set(_ value: Value) {
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
}

/// A property of an object, by a closure; all of a binder in one allocation.
private class TargetSetter<Target: AnyObject, Value>: Setter<Value> {
  private final weak var target: Target?
  private final let binding: (Target, Value) -> Void

  init(_ target: Target, _ binding: @escaping (Target, Value) -> Void) {
    self.target = target
    self.binding = binding
  }

  final override func assign(_ value: Value) {
    if let target { binding(target, value) }
  }
}

/// The text that an object shows.
private final class TextSetter<Target: TextShowing>: Setter<String?> {
  private let target: Target

  init(_ target: Target) { self.target = target }

  override func assign(_ text: String?) { target.show(text) }

  // The same as the overridden function, without a call between: here the type is known.
  override func set(_ text: String?) {
    if ThreadContext.withCurrent(\.isHome) { target.show(text) } else { super.set(text) }
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
