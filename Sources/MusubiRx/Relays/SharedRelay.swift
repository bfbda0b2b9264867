// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The bridge between loops: a relay that many threads may use at once.
///
/// A chain belongs to one loop; a model that all sessions share does not. Whoever subscribes to `asObservable()` gets the
/// elements on the loop where it subscribed, or on the main thread if it subscribed there, and `accept` may be called from
/// anywhere. Who subscribes on another thread gets them on whichever thread accepts, one at a time:
///
/// ```swift
/// final class Store: Sendable {
///   let items = SharedRelay<[String]>(value: [])
///   func fetch() { Task { items.accept(try await load()) } }
/// }
/// ```
///
/// A screen that accepts an element hears of it at once, and every other screen in a turn of its own.
///
/// A relay with a value shows every new subscriber the latest one. Of elements that come faster than a loop runs, it skips
/// all but the latest, and a screen without a page gets the latest alone, once, when somebody shows it again. It delivers an
/// element that equals the latest one to nobody. A relay without a value delivers each, whether or not somebody looks;
/// one that is accepted while another is delivered may come before it.
public final class SharedRelay<Element: Sendable>: Sendable {
  private struct State {
    var latest: Element?
    /// How many elements it has accepted.
    var count = 0
    /// Those that get elements, by ascending ids.
    var deliveries: [Carried<Delivery>] = []
    var lastID = 0
  }

  private let keepsLatest: Bool
  private let isSame: (@Sendable (Element, Element) -> Bool)?
  private let state: Mutex<State>

  /// Creates a relay that keeps the latest element.
  ///
  /// - Parameters:
  ///   - value: The first element.
  ///   - isPerServer: Whether each of several servers (`--cluster`) fills one of its own, from a database for instance, or each
  ///     screen makes one for itself; if not, the start refuses it there, because what one server accepts the others do not see.
  ///   - file: Where it is made, for that refusal.
  ///   - line: Where in the file.
  public init(
    value: Element, isPerServer: Bool = false, file: StaticString = #fileID, line: UInt = #line
  ) {
    if !isPerServer { SharedRelayPlaces.note(file, line) }
    keepsLatest = true
    isSame = nil
    state = Mutex(State(latest: value))
  }

  /// Creates a relay that keeps the latest element, and delivers no equal one; the parameters are those of the other one.
  public init(
    value: Element, isPerServer: Bool = false, file: StaticString = #fileID, line: UInt = #line
  ) where Element: Equatable {
    if !isPerServer { SharedRelayPlaces.note(file, line) }
    keepsLatest = true
    isSame = { $0 == $1 }
    state = Mutex(State(latest: value))
  }

  /// Creates a relay that keeps nothing; the parameters are those of a relay with a value.
  public init(isPerServer: Bool = false, file: StaticString = #fileID, line: UInt = #line) {
    if !isPerServer { SharedRelayPlaces.note(file, line) }
    keepsLatest = false
    isSame = nil
    state = Mutex(State())
  }

  /// The latest element; nil of a relay that keeps nothing.
  public var value: Element? {
    if let recorder = ValueRecording.current { return synchronize(with: recorder) }
    return state.withLock { $0.latest }
  }

  /// Delivers an element to all subscribers, each on its own loop; may be called from any thread.
  public func accept(_ element: Element) {
    let (number, deliveries) = state.withLock { take(element, &$0) }
    for delivery in deliveries { delivery.element.send(element, number) }
  }

  /// Reads, changes and writes the latest element as one step; may be called from any thread.
  ///
  /// Between `value` and `accept` another loop may write, and what it wrote is lost; here nobody comes between. What
  /// changes is delivered as by `accept`.
  ///
  /// ```swift
  /// let seats = SharedRelay<[String]>(value: [])
  /// let number = seats.update { names in
  ///   names.append("Ann")
  ///   return names.count
  /// }
  /// ```
  ///
  /// - Parameter change: Changes the element; if it throws, nothing changes. It is short and leaves the relay itself alone:
  ///   others wait for it, and it must not wait for itself.
  /// - Returns: What `change` returns.
  /// - Precondition: The relay keeps the latest element.
  public func update<Output>(_ change: (inout Element) throws -> Output) rethrows -> Output {
    if let recorder = ValueRecording.current { _ = synchronize(with: recorder) }
    let (output, element, number, deliveries) = try state.withLock { state in
      guard var element = state.latest else {
        preconditionFailure("Only a SharedRelay with a value can be updated: use SharedRelay(value:).")
      }
      let output = Carried(try change(&element))
      let (number, deliveries) = take(element, &state)
      return (output, element, number, deliveries)
    }
    for delivery in deliveries { delivery.element.send(element, number) }
    return output.element
  }

  /// Keeps and counts an element.
  ///
  /// - Returns: Its number, and who gets it.
  private func take(_ element: Element, _ state: inout State) -> (Int, [Carried<Delivery>]) {
    if let isSame, let latest = state.latest, isSame(latest, element) { return (state.count, []) }
    if keepsLatest { state.latest = element }
    state.count += 1
    return (state.count, state.deliveries)
  }

  /// The elements, on the loop of whoever subscribes.
  public func asObservable() -> Observable<Element> {
    created(isAsynchronous: Home.current.isNowhere) { [self] observer in
      let (home, loop) = (Home.current, LoopContext.current)
      let recorder = ValueRecording.current
      if let recorder { _ = synchronize(with: recorder) }
      let (delivery, latest, count) = state.withLock { state in
        state.lastID += 1
        let delivery = Delivery(of: self, id: state.lastID, seen: state.count, home) { observer.onNext($0) }
        state.deliveries.append(Carried(delivery))
        return (Carried(delivery), state.latest, state.count)
      }
      let subscription = delivery.element
      if let recorder { subscription.follow(recorder) }
      if let latest { subscription.begin(with: latest, count) }
      let suspendable = keepsLatest ? loop as? any SuspendableScheduler : nil
      suspendable?.attach(subscription)
      return Disposables.create {
        subscription.stop()
        suspendable?.detach(subscription)
      }
    }
  }

  /// The latest element, and how many there were.
  private var newest: (element: Element?, count: Int) { state.withLock { ($0.latest, $0.count) } }

  // MARK: - Records

  /// The latest element as a room sees it, which is written down; in a replay the one that it saw then.
  private func synchronize(with recorder: any ValueRecorder) -> Element? {
    guard keepsLatest, let type = Element.self as? any Decodable.Type else { return newest.element }
    let name = "relay \(recorder.number(of: self))"
    if recorder.isReplaying {
      // What the room itself accepts is the same as then.
      if let element = recorder.recorded(type, as: name) as? Element { replace(by: element) }
      return newest.element
    }
    let element = newest.element
    if let element = element as? any Encodable { recorder.note(element, as: name) }
    return element
  }

  /// Takes an element of a record, which nobody hears of.
  private func replace(by element: Element) { state.withLock { _ = take(element, &$0) } }

  private func add(_ delivery: Delivery) {
    let carried = Carried(delivery)
    state.withLock { $0.deliveries.insert(carried, at: Self.place(of: delivery.id, in: $0.deliveries)) }
  }

  private func remove(_ delivery: Delivery) {
    let id = delivery.id
    state.withLock { state in
      let place = Self.place(of: id, in: state.deliveries)
      guard place < state.deliveries.count, state.deliveries[place].element.id == id else { return }
      state.deliveries.remove(at: place)
    }
  }

  /// Where the first delivery is whose id is not lower: they are many if sessions are, and come and go.
  private static func place(of id: Int, in deliveries: [Carried<Delivery>]) -> Int {
    var (low, high) = (0, deliveries.count)
    while low < high {
      let middle = (low + high) / 2
      if deliveries[middle].element.id < id { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// One subscription, seen from other threads.
  ///
  /// Everything but `id`, `send` and `stop` is used at the subscriber's home only; a loop's `schedule` may be called from
  /// any thread and crosses to it. Where there is no home, a lock has the threads take turns.
  private final class Delivery: Suspendable {
    let id: Int
    private weak var relay: SharedRelay?
    private let keepsLatest: Bool
    private let home: Home
    /// Held while an element is delivered, if several threads may deliver.
    private let turns: Lock?
    private let receive: (Element) -> Void
    private let isStopped = Atomic(false)
    private var isSuspended = false
    /// The number of the last element that was received.
    private var seen: Int
    /// Who writes down what it receives, and under which name; nil if nobody does.
    private var record: (recorder: any ValueRecorder, name: String)?

    init(
      of relay: SharedRelay, id: Int, seen: Int, _ home: Home,
      _ receive: @escaping (Element) -> Void
    ) {
      self.relay = relay
      keepsLatest = relay.keepsLatest
      self.id = id
      self.seen = seen
      self.home = home
      turns = home.isNowhere ? Lock() : nil
      self.receive = receive
    }

    /// Has what it receives written down; in a replay it receives what was.
    func follow(_ recorder: any ValueRecorder) {
      guard let type = Element.self as? any Decodable.Type else { return }
      let name = "subscription \(recorder.nextNumber(of: "subscription"))"
      guard recorder.isReplaying else {
        record = (recorder, name)
        return
      }
      recorder.expect(type, as: name, once: false) { [weak self] element in
        guard let self, let element = element as? Element, !hasStopped else { return }
        relay?.replace(by: element)
        seen = relay?.newest.count ?? seen
        receive(element)
      }
    }

    private var hasStopped: Bool { isStopped.load(ordering: .relaxed) }

    /// Delivers the element that was the latest, unless a later one came first.
    func begin(with element: Element, _ number: Int) { inTurn { if seen == number { receive(element) } } }

    private func inTurn(_ body: () -> Void) {
      if let turns { turns.with(body) } else { body() }
    }

    private func hand(_ element: Element) {
      if let record, let element = element as? any Encodable {
        record.recorder.note(element, as: record.name)
      }
      receive(element)
    }

    func send(_ element: Element, _ number: Int) {
      switch home {
      case .loop(let loop):
        _ = loop.schedule(element) { [self] element in
          take(element, number)
          return Disposables.create()
        }
      case .mainThread where !ThreadContext.current.isMainThread:
        let task = ScheduledTask(element) { [self] element in
          take(element, number)
          return Disposables.create()
        }
        MainQueue.enqueue(task, loop: nil)
      default: inTurn { take(element, number) }
      }
    }

    private func take(_ element: Element, _ number: Int) {
      // An element of a relay without a value comes here once, and counts also behind a newer one.
      guard !hasStopped, !isSuspended, !keepsLatest || number > seen else {
        record?.recorder.noteNothing()
        return
      }
      if keepsLatest, let relay {
        // A value that a newer one has overtaken is not shown any more.
        takeLatest(of: relay)
      } else {
        seen = number
        hand(element)
      }
    }

    private func takeLatest(of relay: SharedRelay) {
      let newest = relay.newest
      guard newest.count > seen, let element = newest.element else { return }
      seen = newest.count
      hand(element)
    }

    func suspend() {
      guard !hasStopped, !isSuspended else { return }
      isSuspended = true
      relay?.remove(self)
    }

    func resume() {
      guard !hasStopped, isSuspended else { return }
      isSuspended = false
      guard let relay else { return }
      relay.add(self)
      if case .loop(let loop) = home, let recorder = ValueRecording.recorder(of: loop) {
        _ = relay.synchronize(with: recorder)
      }
      takeLatest(of: relay)
    }

    func stop() {
      isStopped.store(true, ordering: .relaxed)
      relay?.remove(self)
    }
  }
}

/// Where the program makes relays of which several servers would each have another one.
package enum SharedRelayPlaces {
  private struct State {
    var places: Set<String> = []
    var told: (@Sendable (String) -> Void)?
  }

  private static let state = Mutex(State())

  /// The places so far, as `Module/File.swift:22`.
  package static var all: [String] { state.withLock { $0.places.sorted() } }

  /// Has further places told, each once.
  package static func follow(_ told: @escaping @Sendable (_ place: String) -> Void) {
    state.withLock { $0.told = told }
  }

  fileprivate static func note(_ file: StaticString, _ line: UInt) {
    let place = "\(file):\(line)"
    let told = state.withLock { $0.places.insert(place).inserted ? $0.told : nil }
    told?(place)
  }
}
