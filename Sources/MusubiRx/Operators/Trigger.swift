// SPDX-License-Identifier: Apache-2.0

/// An observable that a closure wires for each observer.
final class Weave<Element>: Producer<Element> {
  private let start: (Consumer<Element>) -> Void

  init(_ start: @escaping (Consumer<Element>) -> Void) { self.start = start }

  override func run(_ consumer: Consumer<Element>) { start(consumer) }
}

/// Watches a second sequence for a stage; the stage owns it, and it must not outlive the stage.
final class Trigger<Element>: Consumer<Element> {
  private let onNext: (Trigger<Element>) -> Void
  private let onError: (any Error) -> Void
  private let onCompleted: () -> Void

  init(
    onNext: @escaping (Trigger<Element>) -> Void, onError: @escaping (any Error) -> Void,
    onCompleted: @escaping () -> Void = {}
  ) {
    self.onNext = onNext
    self.onError = onError
    self.onCompleted = onCompleted
  }

  override func next(_ element: Element) {
    if !isDisposed { onNext(self) }
  }

  override func error(_ error: any Error) {
    if !isDisposed { onError(error) }
  }

  override func completed() {
    guard !isDisposed else { return }
    dispose()
    onCompleted()
  }
}
