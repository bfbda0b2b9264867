// SPDX-License-Identifier: Apache-2.0

/// What ends something: a subscription, a timer, a piece of work.
public protocol Disposable {
  /// Ends it; further calls do nothing.
  func dispose()
}

/// A disposable that knows whether it was disposed.
public protocol Cancelable: Disposable {
  /// Whether `dispose` was called.
  var isDisposed: Bool { get }
}

/// The root of everything that counts as a resource in debug builds.
public class DisposeBase {
  init() {
    #if DEBUG
      Resources.increment()
    #endif
  }

  deinit {
    #if DEBUG
      Resources.decrement()
    #endif
  }

  /// Lets go of a consumer that hangs on this object.
  func detach(_ consumer: Node) {}
}
