// SPDX-License-Identifier: Apache-2.0

/// A stage: takes elements of one type and delivers elements of another.
///
/// Subclasses override `next`; ends pass through, and dispose the stage after they were delivered.
@usableFromInline class Sink<Input, Output>: Consumer<Input> {
  final let downstream: Consumer<Output>
  /// Guards what a disposal takes apart, where that may come from another thread than the events; nil elsewhere.
  @exclusivity(unchecked) private final var lock: Lock?

  init(_ downstream: Consumer<Output>) { self.downstream = downstream }

  override func error(_ error: any Error) { finish(error) }

  override func completed() { finish() }

  final override func markCrossing() {
    if lock == nil { lock = Lock() }
    downstream.markCrossing()
  }

  /// Runs the body alone, if a disposal may come from another thread; the body delivers nothing and disposes nothing.
  @inline(__always) final func guarded<Result>(_ body: () -> Result) -> Result {
    guard let lock else { return body() }
    return lock.with(body)
  }

  /// Runs the body like `guarded` and returns true, unless the stage is disposed.
  @inline(__always) final func guardedWhileAlive(_ body: () -> Void) -> Bool {
    guarded {
      if isDisposed { return false }
      body()
      return true
    }
  }

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
typealias Origin<Output> = Sink<Never, Output>

/// A stage with a second source: a gate, a sampler, a trigger.
class PairedSink<Input, Output>: Sink<Input, Output> {
  private final var companion: Node?

  /// Subscribes a consumer, to be disposed with the stage, to the second source.
  final func pair<Other>(_ consumer: Consumer<Other>, with other: Observable<Other>) {
    if isDisposed { return }
    if guardedWhileAlive({ companion = consumer }) { other.subscribe(consumer: consumer) }
  }

  override func disposed() {
    let old = guarded {
      defer { companion = nil }
      return companion
    }
    old?.dispose()
  }
}

/// Hands events on; takes the place of a stage whose work is done.
class PassThrough<Element>: Sink<Element, Element> {
  final override func next(_ element: Element) {
    if !isDisposed { downstream.next(element) }
  }
}

/// One of several sources of a stage: what it delivers and how it fails goes straight through.
class Inner<Input, Output>: Consumer<Output> {
  final let parent: Sink<Input, Output>

  init(_ parent: Sink<Input, Output>) { self.parent = parent }

  final override func markCrossing() { parent.markCrossing() }

  final override func next(_ element: Output) {
    if !isDisposed { parent.downstream.next(element) }
  }

  override func error(_ error: any Error) {
    if !isDisposed { parent.finish(error) }
  }
}
