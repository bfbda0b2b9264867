// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
  /// A sequence of the given elements.
  public static func of(
    _ elements: Element..., scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
  ) -> Observable<Element> { from(elements, scheduler: scheduler) }

  /// The elements of an array.
  public static func from(
    _ array: [Element], scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
  ) -> Observable<Element> { emitting(array, scheduler) }

  /// The elements of a Swift sequence.
  public static func from<Elements: Sequence>(
    _ sequence: Elements, scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
  ) -> Observable<Element> where Elements.Element == Element { emitting(sequence, scheduler) }

  /// One element, or none.
  public static func from(optional: Element?) -> Observable<Element> {
    if let optional { just(optional) } else { empty() }
  }

  /// One element, or none, delivered by a scheduler.
  public static func from(
    optional: Element?, scheduler: any ImmediateSchedulerType
  ) -> Observable<Element> { emitting(optional.map { [$0] } ?? [], scheduler) }

  /// Delivers each element as a piece of work of a scheduler.
  private static func emitting<Elements: Sequence>(
    _ elements: Elements, _ scheduler: any ImmediateSchedulerType
  ) -> Observable<Element> where Elements.Element == Element {
    AnonymousProducer { consumer in
      var iterator = elements.makeIterator()
      EmissionTask.start(consumer, on: scheduler) { consumer in
        guard let element = iterator.next() else { return false }
        consumer.next(element)
        return true
      }
    }
  }
}

/// Makes a step of an emission, then waits for its next turn.
///
/// On `CurrentThreadScheduler` the object itself waits in the trampoline's queue; no work item is allocated per element.
final class EmissionTask<Output>: TrampolineTask {
  private let downstream: Consumer<Output>
  private let step: (Consumer<Output>) throws -> Bool
  private let scheduler: (any ImmediateSchedulerType)?
  private let pending: SerialDisposable?

  private init(
    _ downstream: Consumer<Output>, _ scheduler: (any ImmediateSchedulerType)?,
    _ step: @escaping (Consumer<Output>) throws -> Bool
  ) {
    self.downstream = downstream
    self.scheduler = scheduler
    self.step = step
    pending = scheduler == nil ? nil : SerialDisposable()
  }

  /// Starts an emission.
  static func start(
    _ consumer: Consumer<Output>, on scheduler: any ImmediateSchedulerType,
    step: @escaping (Consumer<Output>) throws -> Bool
  ) {
    if scheduler.leavesThread { consumer.markAsynchronous() }
    let task = EmissionTask(consumer, scheduler is CurrentThreadScheduler ? nil : scheduler, step)
    consumer.attach(to: task)
    task.wait()
  }

  override func execute() {
    do {
      if try step(downstream) {
        if !isDisposed { wait() }
      } else {
        downstream.completed()
        dispose()
      }
    } catch {
      downstream.error(error)
      dispose()
    }
  }

  override func disposed() { pending?.dispose() }

  private func wait() {
    guard let scheduler else { return ThreadContext.current.trampoline.run(self) }
    pending?.hold {
      scheduler.schedule(self) { task in
        if !task.isDisposed { task.execute() }
        return Disposables.create()
      }
    }
  }
}
