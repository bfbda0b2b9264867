// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Where a chain was subscribed, and so where it may be disposed.
///
/// A chain does not lock: who leaves it from another thread, as the reader of a bridge does, hands the disposal over.
enum Home {
  /// The loop that ran the subscriber.
  case loop(any SchedulerType & AnyObject)
  /// The main thread.
  case mainThread
  /// A task, or a plain thread: nobody can hand it work.
  case nowhere

  /// Where the caller runs.
  static var current: Home {
    let context = ThreadContext.current
    if let loop = context.loop { return .loop(loop) }
    return context.isMainThread ? .mainThread : .nowhere
  }

  /// Whether nobody can hand work over to it.
  var isNowhere: Bool {
    if case .nowhere = self { true } else { false }
  }

  /// Subscribes a leaf that any thread may dispose of, by `dispose`.
  func subscribe<Element>(_ leaf: Leaf<Element>, to source: Observable<Element>) {
    leaf.markAsynchronous()
    guard case .nowhere = self else { return source.subscribe(consumer: leaf) }
    withGates { source.subscribe(consumer: leaf) }
  }

  /// Disposes of a node here, if this is its home or it has none; elsewhere by handing that over.
  func dispose(_ node: Node) {
    if node.isDisposed { return }
    let context = ThreadContext.current
    let disposal = ScheduledTask(node) { node in
      node.dispose()
      return Disposables.create()
    }
    switch self {
    case .loop(let loop) where context.loop !== loop: MainQueue.enqueue(disposal, loop: loop)
    case .mainThread where !context.isMainThread: MainQueue.enqueue(disposal, loop: nil)
    default: node.dispose()
    }
  }
}

/// How many bodies of `withGates` run, on all threads: asked first, because it costs least.
private let subscriptionsWithGates = Atomic<Int>(0)

/// Runs a body whose subscriptions may be disposed of by any thread.
func withGates(_ body: () -> Void) {
  let context = ThreadContext.current
  let outer = context.needsGates
  subscriptionsWithGates.add(1, ordering: .relaxed)
  context.needsGates = true
  body()
  context.needsGates = outer
  subscriptionsWithGates.subtract(1, ordering: .relaxed)
}

/// Parts a chain that any thread may dispose of from a source that it shares with others.
///
/// The chain leaves the gate at once. The gate leaves the source at its next event, which comes where the source is at home.
final class Gate<Element>: Consumer<Element> {
  private let downstream: Consumer<Element>
  private let isLeft = Atomic<Bool>(false)

  private init(_ downstream: Consumer<Element>) { self.downstream = downstream }

  /// Hands the body a consumer for a source that several share: behind a gate, if this subscription needs one.
  @inline(__always) static func place(_ consumer: Consumer<Element>, _ body: (Consumer<Element>) -> Void) {
    if subscriptionsWithGates.load(ordering: .relaxed) == 0 { return body(consumer) }
    let context = ThreadContext.current
    guard context.needsGates else { return body(consumer) }
    let gate = Gate(consumer)
    consumer.attach(to: gate)
    // The chain above a gate is disposed of at home.
    context.needsGates = false
    body(gate)
    context.needsGates = true
  }

  override func next(_ element: Element) {
    // Later subscriptions of the chain, by `flatMap` for instance, need gates, too.
    if isLeft.load(ordering: .acquiring) { dispose() } else { withGates { downstream.next(element) } }
  }

  override func error(_ error: any Error) {
    if markEnded() { withGates { downstream.error(error) } }
  }

  override func completed() {
    if markEnded() { withGates { downstream.completed() } }
  }

  override func markAsynchronous() { downstream.markAsynchronous() }

  override func detach(_ consumer: Node) { isLeft.store(true, ordering: .releasing) }
}
