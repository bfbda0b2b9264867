// SPDX-License-Identifier: Apache-2.0

/// A stage: takes elements of one type and delivers elements of another.
///
/// Subclasses override `next`; ends pass through, and dispose the stage after they were delivered.
class Sink<Input, Output>: Consumer<Input> {
  final let downstream: Consumer<Output>

  init(_ downstream: Consumer<Output>) { self.downstream = downstream }

  override func error(_ error: any Error) { finish(error) }

  override func completed() { finish() }

  final override func markCrossing() { downstream.markCrossing() }

  /// Delivers an error and ends the stage.
  final func finish(_ error: any Error) {
    guard !isDisposed else { return }
    downstream.error(error)
    dispose()
  }

  /// Delivers the end and ends the stage.
  final func finish() {
    guard !isDisposed else { return }
    downstream.completed()
    dispose()
  }

  /// Joins the stage to what is below it, then to the source above it.
  final func connect(_ source: Observable<Input>) {
    downstream.attach(to: self)
    source.subscribe(consumer: self)
  }
}

/// A node that delivers what it makes itself, or what several sources deliver to it.
class Origin<Output>: Node {
  final let downstream: Consumer<Output>

  init(_ downstream: Consumer<Output>) { self.downstream = downstream }

  final override func markCrossing() { downstream.markCrossing() }

  /// Delivers an error and ends the node.
  final func finish(_ error: any Error) {
    guard !isDisposed else { return }
    downstream.error(error)
    dispose()
  }

  /// Delivers the end and ends the node.
  final func finish() {
    guard !isDisposed else { return }
    downstream.completed()
    dispose()
  }
}
