// SPDX-License-Identifier: Apache-2.0

/// An observable that puts one stage between its source and each observer.
final class Staged<Source, Result>: Producer<Result> {
  private let source: Observable<Source>
  private let makeSink: (Consumer<Result>) -> Sink<Source, Result>

  init(_ source: Observable<Source>, _ makeSink: @escaping (Consumer<Result>) -> Sink<Source, Result>) {
    self.source = source
    self.makeSink = makeSink
  }

  override func run(_ consumer: Consumer<Result>) { makeSink(consumer).connect(source) }
}

/// The closures of a stage for elements and for the end; they capture its state.
struct Steps<Source, Result> {
  let next: (Source, Sink<Source, Result>) throws -> Void
  var completed: ((Sink<Source, Result>) throws -> Void)?
}

extension ObservableType {
  /// A stage whose state and steps are made for each observer; a step's error ends the sequence.
  func stage<Result>(_ makeSteps: @escaping () -> Steps<Element, Result>) -> Observable<Result> {
    Staged(asObservable()) { StepSink($0, makeSteps()) }
  }
}

private final class StepSink<Source, Result>: Sink<Source, Result> {
  private let steps: Steps<Source, Result>

  init(_ downstream: Consumer<Result>, _ steps: Steps<Source, Result>) {
    self.steps = steps
    super.init(downstream)
  }

  override func next(_ element: Source) {
    if isDisposed { return }
    do { try steps.next(element, self) } catch { finish(error) }
  }

  override func completed() {
    guard !isDisposed, let completed = steps.completed else { return finish() }
    do { try completed(self) } catch { return finish(error) }
    finish()
  }
}
