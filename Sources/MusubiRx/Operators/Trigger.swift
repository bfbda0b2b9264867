// SPDX-License-Identifier: Apache-2.0

/// An observable that a closure wires for each observer.
final class AnonymousProducer<Element>: Producer<Element> {
  private let start: (Consumer<Element>) -> Void

  init(_ start: @escaping (Consumer<Element>) -> Void) { self.start = start }

  override func run(_ consumer: Consumer<Element>) { start(consumer) }
}

/// Watches a second sequence for a stage, which owns it and takes its errors.
final class Trigger<Element>: Consumer<Element> {
  private let stage: Node
  private let onNext: (Element) -> Void
  private let onCompleted: () -> Void

  init(_ stage: Node, onNext: @escaping (Element) -> Void, onCompleted: @escaping () -> Void = {}) {
    self.stage = stage
    self.onNext = onNext
    self.onCompleted = onCompleted
  }

  override func markAsynchronous() { stage.markAsynchronous() }

  override func next(_ element: Element) {
    if !isDisposed { onNext(element) }
  }

  override func error(_ error: any Error) {
    if !isDisposed { stage.error(error) }
  }

  override func completed() {
    guard !isDisposed else { return }
    dispose()
    onCompleted()
  }
}
