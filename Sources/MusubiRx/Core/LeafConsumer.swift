// SPDX-License-Identifier: Apache-2.0

/// The end of a chain that cares about elements only.
final class ElementLeaf<Element>: Consumer<Element> {
  // Nil after the end: a handle that is kept, in a bag for instance, must not keep what the closure captured.
  @exclusivity(unchecked) private var onNext: ((Element) -> Void)?
  private var isCrossing = false

  init(_ onNext: @escaping (Element) -> Void) { self.onNext = onNext }

  override func next(_ element: Element) {
    if !isDisposed { onNext?(element) }
  }

  override func error(_ error: any Error) {
    guard !isDisposed else { return }
    completed()
    UnhandledErrors.report(error)
  }

  override func completed() {
    guard beginEnd() else { return }
    upstream = nil
    onNext = nil
  }

  // A queue may be calling the closure just now.
  override func markCrossing() { isCrossing = true }

  override func dispose() {
    super.dispose()
    if !isCrossing { onNext = nil }
  }
}

/// The end of a chain with a closure for each kind of event.
///
/// At an end, `onDisposed` follows the end's own closure; at a disposal, it follows the disposal of what is above.
final class ClosureLeaf<Element>: Consumer<Element> {
  // All are nil after the end, as in `ElementLeaf`.
  @exclusivity(unchecked) private var onNext: ((Element) -> Void)?
  private var onError: ((any Error) -> Void)?
  private var onCompleted: (() -> Void)?
  private var onDisposed: (() -> Void)?
  private var isCrossing = false

  init(
    _ onNext: ((Element) -> Void)?, _ onError: ((any Error) -> Void)?, _ onCompleted: (() -> Void)?,
    _ onDisposed: (() -> Void)?
  ) {
    self.onNext = onNext
    self.onError = onError
    self.onCompleted = onCompleted
    self.onDisposed = onDisposed
  }

  override func next(_ element: Element) {
    if !isDisposed { onNext?(element) }
  }

  override func error(_ error: any Error) {
    guard beginEnd() else { return }
    upstream = nil
    if let onError { onError(error) } else { UnhandledErrors.report(error) }
    tellDisposed()
  }

  override func completed() {
    guard beginEnd() else { return }
    upstream = nil
    onCompleted?()
    tellDisposed()
  }

  override func markCrossing() { isCrossing = true }

  override func dispose() {
    super.dispose()
    tellDisposed()
  }

  private func tellDisposed() {
    if !isCrossing {
      onNext = nil
      onError = nil
      onCompleted = nil
    }
    guard let onDisposed else { return }
    self.onDisposed = nil
    onDisposed()
  }
}

/// Where errors go that reach the end of a chain without a closure for them.
enum UnhandledErrors {
  static func report(_ error: any Error) {
    Hooks.defaultErrorHandler(
      Hooks.recordCallStackOnError ? Hooks.customCaptureSubscriptionCallstack() : [], error)
  }
}
