// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The bridge between loops: a relay that many threads may use at once.
///
/// A chain belongs to one loop; a model that all sessions share does not. Whoever subscribes to `asObservable()` gets the
/// elements on the loop where it subscribed, and `accept` may be called from anywhere:
///
/// ```swift
/// final class Store: Sendable {
///   let items = SharedRelay<[String]>(value: [])
///   func fetch() { Task { items.accept(try await load()) } }
/// }
/// ```
///
/// A relay with a value shows every new subscriber the latest one. Of elements that come faster than a loop runs, it may
/// skip all but the latest; a relay without a value delivers each.
public final class SharedRelay<Element: Sendable>: Sendable {
  private struct State {
    var latest: Element?
    var deliveries: [(id: Int, delivery: Carried<Delivery>)] = []
    var lastID = 0
  }

  private let keepsLatest: Bool
  private let state: Mutex<State>

  /// Creates a relay that keeps the latest element.
  public init(value: Element) {
    keepsLatest = true
    state = Mutex(State(latest: value))
  }

  /// Creates a relay that keeps nothing.
  public init() {
    keepsLatest = false
    state = Mutex(State())
  }

  /// The latest element; nil of a relay that keeps nothing.
  public var value: Element? { state.withLock { $0.latest } }

  /// Delivers an element to all subscribers, each on its own loop; may be called from any thread.
  public func accept(_ element: Element) {
    let deliveries = state.withLock { state in
      if keepsLatest { state.latest = element }
      return state.deliveries
    }
    for (_, delivery) in deliveries { delivery.element.send(element) }
  }

  /// The elements, on the loop of whoever subscribes.
  public func asObservable() -> Observable<Element> {
    Observable.create { [self] observer in
      let delivery = Delivery(loop: LoopContext.current) { [weak self] element in
        // A value that a newer one has overtaken is not shown any more.
        observer.onNext(self?.value ?? element)
      }
      let carried = Carried(delivery)
      let (id, latest) = state.withLock { state in
        state.lastID += 1
        state.deliveries.append((state.lastID, carried))
        return (state.lastID, state.latest)
      }
      if let latest { observer.onNext(latest) }
      return Disposables.create { [weak self] in
        delivery.stop()
        self?.state.withLock { $0.deliveries.removeAll { $0.id == id } }
      }
    }
  }

  /// One subscription, seen from other threads.
  ///
  /// `receive` and `isStopped` are used on the subscriber's loop only; a loop's `schedule` may be called from any thread
  /// and crosses to it.
  private final class Delivery {
    private let loop: (any SchedulerType)?
    private let receive: (Element) -> Void
    private var isStopped = false

    init(loop: (any SchedulerType)?, _ receive: @escaping (Element) -> Void) {
      self.loop = loop
      self.receive = receive
    }

    func send(_ element: Element) {
      guard let loop else {
        // Without a loop there is one thread: that of a unit test.
        if !isStopped { receive(element) }
        return
      }
      _ = loop.schedule(element) { [self] element in
        if !isStopped { receive(element) }
        return Disposables.create()
      }
    }

    func stop() { isStopped = true }
  }
}
