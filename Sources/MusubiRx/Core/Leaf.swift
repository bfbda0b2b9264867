// SPDX-License-Identifier: Apache-2.0

/// What a leaf calls.
///
/// Being noncopyable, it is called where it lies: an event costs no retain and no release of what a closure captured.
private struct Handlers<Element>: ~Copyable {
  var onNext: ((Element) -> Void)?
  var onError: ((any Error) -> Void)?
  var onCompleted: (() -> Void)?
  var onDisposed: (() -> Void)?

  @inline(__always) borrowing func next(_ element: Element) { onNext?(element) }
  borrowing func completed() { onCompleted?() }
  borrowing func disposed() { onDisposed?() }

  borrowing func error(_ error: any Error) {
    if let onError { onError(error) } else { UnhandledErrors.report(error) }
  }
}

/// The end of a chain with a closure for each kind of event.
///
/// At an end, `onDisposed` follows the end's own closure; at a disposal, it follows the disposal of what is above.
/// The closures go with the end: a handle that is kept, in a bag for instance, must not keep what they captured.
@usableFromInline final class Leaf<Element>: Consumer<Element> {
  @exclusivity(unchecked) private var handlers: Handlers<Element>
  /// How many calls of the closures are under way; while there are any, the closures stay.
  @exclusivity(unchecked) private var calls: Int32 = 0
  @exclusivity(unchecked) private var isCrossing = false

  @usableFromInline init(
    _ onNext: ((Element) -> Void)?, _ onError: ((any Error) -> Void)? = nil,
    _ onCompleted: (() -> Void)? = nil, _ onDisposed: (() -> Void)? = nil
  ) {
    handlers = Handlers(onNext: onNext, onError: onError, onCompleted: onCompleted, onDisposed: onDisposed)
  }

  override func next(_ element: Element) {
    if isDisposed { return }
    calls &+= 1
    handlers.next(element)
    calls &-= 1
    if isDisposed { letGo() }
  }

  override func error(_ error: any Error) {
    guard markEnded() else { return }
    calls &+= 1
    handlers.error(error)
    calls &-= 1
    disposed()
  }

  override func completed() {
    guard markEnded() else { return }
    calls &+= 1
    handlers.completed()
    calls &-= 1
    disposed()
  }

  override func markCrossing() { isCrossing = true }

  override func disposed() {
    handlers.disposed()
    letGo()
  }

  /// Lets the closures go, unless one of them is being called, or may be by a queue.
  private func letGo() {
    if calls == 0 && !isCrossing { handlers = Handlers() }
  }
}

/// Where errors go that reach the end of a chain without a closure for them.
enum UnhandledErrors {
  static func report(_ error: any Error) {
    Hooks.defaultErrorHandler(
      Hooks.recordCallStackOnError ? Hooks.customCaptureSubscriptionCallstack() : [], error)
  }
}
