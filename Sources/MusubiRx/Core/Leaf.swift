// SPDX-License-Identifier: Apache-2.0

/// The closures of a leaf.
///
/// Being noncopyable, it is called where it lies: an event costs no retain and no release of a closure's
/// captures.
private struct Handlers<Element>: ~Copyable {
  var onNext: ((Element) -> Void)?
  /// The events for which most subscriptions have no closures.
  var ends: LeafEnds?

  @inline(__always) borrowing func next(_ element: Element) { onNext?(element) }
}

/// The closures for all but elements.
private final class LeafEnds {
  let onError: ((any Error) -> Void)?
  let onCompleted: (() -> Void)?
  let onDisposed: (() -> Void)?

  init(_ onError: ((any Error) -> Void)?, _ onCompleted: (() -> Void)?, _ onDisposed: (() -> Void)?) {
    self.onError = onError
    self.onCompleted = onCompleted
    self.onDisposed = onDisposed
  }
}

/// The end of a chain with a closure for each kind of event.
///
/// At an end, `onDisposed` follows the end's own closure; at a disposal, it follows the disposal of the
/// upstream. The closures go with the end: a handle that is kept, in a bag for instance, must not keep their
/// captures.
@usableFromInline final class Leaf<Element>: Consumer<Element> {
  // Unchecked: an event through `map` and `filter` costs 20 ns instead of 37.
  @exclusivity(unchecked) private var handlers: Handlers<Element>

  @usableFromInline init(
    _ onNext: ((Element) -> Void)?, _ onError: ((any Error) -> Void)? = nil,
    _ onCompleted: (() -> Void)? = nil, _ onDisposed: (() -> Void)? = nil
  ) {
    // Made whole at once: to put it together in steps, unspecialised code would look up its metadata.
    handlers = Handlers(onNext: onNext, ends: nil)
    super.init()
    if onError != nil || onCompleted != nil || onDisposed != nil {
      handlers.ends = LeafEnds(onError, onCompleted, onDisposed)
    }
  }

  /// A leaf of a binding: a sequence that must not fail.
  init(binding onNext: @escaping (Element) -> Void) {
    handlers = Handlers(onNext: onNext, ends: nil)
    super.init()
    isBinding = true
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
    if let onError = handlers.ends?.onError {
      onError(error)
    } else if isBinding {
      UnhandledErrors.reportInBinding(error)
    } else {
      UnhandledErrors.report(error)
    }
    calls &-= 1
    ended()
  }

  override func completed() {
    guard markEnded() else { return }
    calls &+= 1
    handlers.ends?.onCompleted?()
    calls &-= 1
    ended()
  }

  override func markAsynchronous() {
    // Written once: a disposal on another thread may be reading it when a later part of the chain marks it again.
    if !isAsynchronous { isAsynchronous = true }
  }

  override func disposed() {
    handlers.ends?.onDisposed?()
    // The count is not read while a queue may be changing it.
    if !isAsynchronous { letGo() }
  }

  /// The last of an end, which comes where the elements do: from a queue, too, nothing comes after it.
  private func ended() {
    handlers.ends?.onDisposed?()
    calls |= Self.hasEnded
    letGo()
  }

  /// What an end adds to the count of calls.
  private static var hasEnded: UInt16 { 1 << 15 }

  /// Lets the closures go, unless one of them is being called, or a disposal on another thread may be reading them.
  private func letGo() {
    if calls == Self.hasEnded || (calls == 0 && !isAsynchronous) { handlers = Handlers() }
  }
}

/// Where errors go that reach the end of a chain without a closure for them.
enum UnhandledErrors {
  static func report(_ error: any Error) {
    Hooks.defaultErrorHandler(
      Hooks.recordCallStackOnError ? Hooks.customCaptureSubscriptionCallstack() : [], error)
  }
}
