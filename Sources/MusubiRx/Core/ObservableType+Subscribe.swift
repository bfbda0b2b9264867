// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
  /// Subscribes a closure to all events.
  public func subscribe(_ on: @escaping (Event<Element>) -> Void) -> any Disposable {
    let leaf = Leaf<Element>({ on(.next($0)) }, { on(.error($0)) }, { on(.completed) })
    asObservable().subscribe(consumer: leaf)
    return leaf
  }

  /// Subscribes closures to elements, error, end and disposal.
  @inlinable public func subscribe(
    onNext: ((Element) -> Void)? = nil, onError: ((any Swift.Error) -> Void)? = nil,
    onCompleted: (() -> Void)? = nil, onDisposed: (() -> Void)? = nil
  ) -> any Disposable {
    let leaf = Leaf(onNext, onError, onCompleted, onDisposed)
    asObservable().subscribe(consumer: leaf)
    return leaf
  }

  /// Subscribes closures that get an object along, as long as it lives.
  ///
  /// The object is held weakly: the subscription does not keep it alive, and calls nothing after it has gone.
  ///
  /// - Parameters:
  ///   - object: Passed to each closure.
  ///   - onNext: Called with every element.
  ///   - onError: Called when the sequence fails.
  ///   - onCompleted: Called when the sequence ends well.
  ///   - onDisposed: Called once, after an end or when the subscription is disposed.
  /// - Returns: What ends the subscription.
  public func subscribe<Object: AnyObject>(
    with object: Object, onNext: ((Object, Element) -> Void)? = nil,
    onError: ((Object, any Swift.Error) -> Void)? = nil, onCompleted: ((Object) -> Void)? = nil,
    onDisposed: ((Object) -> Void)? = nil
  ) -> any Disposable {
    subscribe(
      onNext: bindWeakly(object, onNext), onError: bindWeakly(object, onError),
      onCompleted: bindWeakly(object, onCompleted), onDisposed: bindWeakly(object, onDisposed))
  }
}

/// A closure that calls `body` with the object while it lives; nil if there is no body.
func bindWeakly<Object: AnyObject, Value>(
  _ object: Object, _ body: ((Object, Value) -> Void)?
) -> ((Value) -> Void)? {
  guard let body else { return nil }
  return { [weak object] value in
    if let object { body(object, value) }
  }
}

/// A closure that calls `body` with the object while it lives; nil if there is no body.
func bindWeakly<Object: AnyObject>(_ object: Object, _ body: ((Object) -> Void)?) -> (() -> Void)? {
  guard let body else { return nil }
  return { [weak object] in
    if let object { body(object) }
  }
}
