// SPDX-License-Identifier: Apache-2.0

/// The locks of a stage to which several threads may come.
///
/// The one for deliveries is held while an event runs down the chain, so a disposal must not wait for it; it needs the
/// one for the parts, during which nothing is delivered and nothing disposed.
final class StageLocks {
  let delivery = Lock()
  let parts = Lock()
}

/// A stage: takes elements of one type and delivers elements of another.
///
/// Subclasses override `next`; ends pass through, and dispose the stage after they were delivered.
@usableFromInline class Sink<Input, Output>: Consumer<Input> {
  final let downstream: Consumer<Output>

  init(_ downstream: Consumer<Output>) { self.downstream = downstream }

  override func error(_ error: any Error) { finish(error) }

  override func completed() { finish() }

  override func markAsynchronous() { downstream.markAsynchronous() }

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

  /// Joins the stage to its downstream, then to the source above it.
  final func connect(_ source: Observable<Input>) {
    downstream.attach(to: self)
    source.subscribe(consumer: self)
  }
}

/// A stage with parts that change as it runs: it has several sources, or something to dispose.
class GuardedSink<Input, Output>: Sink<Input, Output> {
  /// The lock of the stage, where several threads may come to it; nil elsewhere.
  private final var locks: StageLocks?

  final override func markAsynchronous() {
    if locks == nil { locks = StageLocks() }
    super.markAsynchronous()
  }

  /// Lets events of several sources pass one after the other, if they may come from several threads.
  @inline(__always) final func inTurn(_ body: () -> Void) {
    guard let locks else { return body() }
    locks.delivery.with(body)
  }

  /// Runs the body alone, if a disposal may come from another thread; the body delivers nothing and disposes nothing.
  @inline(__always) final func guarded<Result>(_ body: () -> Result) -> Result {
    guard let locks else { return body() }
    return locks.parts.with(body)
  }

  /// Runs the body like `guarded` and returns true, unless the stage is disposed.
  @inline(__always) final func guardedWhileAlive(_ body: () -> Void) -> Bool {
    guarded {
      if isDisposed { return false }
      body()
      return true
    }
  }

  /// Takes the failure of one of several sources.
  func innerFailed(_ inner: Inner<Input, Output>, _ error: any Error) { finish(error) }

  /// Takes the end of one of several sources.
  func innerCompleted(_ inner: Inner<Input, Output>) { finish() }
}

/// A node that delivers its own elements, or those of several sources.
typealias Origin<Output> = GuardedSink<Never, Output>

/// A stage with a second source: a gate, a sampler, a trigger.
class PairedSink<Input, Output>: GuardedSink<Input, Output> {
  private final var companion: Node?

  /// Subscribes a consumer, to be disposed with the stage, to the second source.
  final func pair<Other>(_ consumer: Consumer<Other>, with other: Observable<Other>) {
    if isDisposed { return }
    if guardedWhileAlive({ companion = consumer }) { other.subscribe(consumer: consumer) }
  }

  override func error(_ error: any Error) { inTurn { finish(error) } }

  override func completed() { inTurn { finish() } }

  /// Lets the second source go.
  final func unpair() { guarded { companion.take() }?.dispose() }

  override func disposed() { unpair() }
}

/// Hands events on; takes the place of a stage whose work is done.
class PassThrough<Element>: Sink<Element, Element> {
  final override func next(_ element: Element) {
    if !isDisposed { downstream.next(element) }
  }
}

/// One of several sources of a stage: its elements go straight through, and the stage decides on its end.
final class Inner<Input, Output>: Consumer<Output> {
  private let parent: GuardedSink<Input, Output>
  /// Where the stage keeps it, if there are several at a time.
  var place = 0

  init(_ parent: GuardedSink<Input, Output>) { self.parent = parent }

  override func markAsynchronous() { parent.markAsynchronous() }

  override func next(_ element: Output) {
    parent.inTurn { if !isDisposed { parent.downstream.next(element) } }
  }

  override func error(_ error: any Error) {
    parent.inTurn { if !isDisposed { parent.innerFailed(self, error) } }
  }

  override func completed() {
    parent.inTurn { if !isDisposed { parent.innerCompleted(self) } }
  }
}
