// SPDX-License-Identifier: Apache-2.0

/// Counts the sources of a combination: how many have nothing to give, and how many have not ended.
class Join: Node {
  private var cells: ContiguousArray<Node> = []
  private var starts: ContiguousArray<() -> Void> = []
  final var missing = 0
  final var running = 0
  /// Held while an event of a source passes, if the sources may deliver from several threads; nil elsewhere.
  private final var delivery: Lock?

  /// Adds a source, to be subscribed to by `subscribeAll`.
  final func add<Element>(_ source: Observable<Element>, _ cell: Consumer<Element>) {
    cells.append(cell)
    starts.append { source.subscribe(consumer: cell) }
    missing += 1
    running += 1
  }

  final func subscribeAll() {
    let all = starts
    starts = []
    for start in all where !isDisposed { start() }
  }

  override func markAsynchronous() {
    if delivery == nil { delivery = Lock() }
  }

  /// Lets the sources' events pass one after the other.
  @inline(__always) final func inTurn(_ body: () -> Void) {
    guard let delivery else { return body() }
    delivery.with(body)
  }

  /// Delivers a result; called when every source has something to give.
  func deliver() {}
  func fail(_ error: any Error) {}
  func end() {}

  /// Delivers if a result can be made, or ends if none can be made any more: all others have ended.
  @inline(__always) final func sourceDelivered() {
    if missing == 0 { deliver() } else if running == 1 { end() }
  }

  final func sourceEnded() {
    running -= 1
    if running == 0 { end() }
  }

  override func disposed() {
    let all = cells
    cells = []
    starts = []
    for cell in all { cell.dispose() }
  }
}

/// One source of a combination.
class JoinCell<Element>: Consumer<Element> {
  final let join: Join

  init(_ join: Join, _ source: Observable<Element>) {
    self.join = join
    super.init()
    join.add(source, self)
  }

  final override func markAsynchronous() { join.markAsynchronous() }

  final override func error(_ error: any Error) {
    join.inTurn { if !isDisposed { join.fail(error) } }
  }

  final override func completed() {
    join.inTurn {
      guard !isDisposed else { return }
      dispose()
      join.sourceEnded()
    }
  }
}

/// Delivers a closure's results from the sources' elements.
final class JoinSink<Result>: Join {
  private let downstream: Consumer<Result>
  private var compute: (() throws -> Result)?

  init(_ downstream: Consumer<Result>) { self.downstream = downstream }

  override func markAsynchronous() {
    super.markAsynchronous()
    downstream.markAsynchronous()
  }

  /// Subscribes to all sources.
  func start(deliversIfEmpty: Bool, _ build: (Join) -> () throws -> Result) {
    downstream.attach(to: self)
    compute = build(self)
    if running > 0 { return subscribeAll() }
    if deliversIfEmpty { deliver() }
    end()
  }

  override func deliver() {
    guard !isDisposed, let compute else { return }
    let result: Result
    do { result = try compute() } catch { return fail(error) }
    downstream.next(result)
  }

  override func fail(_ error: any Error) {
    guard !isDisposed else { return }
    downstream.error(error)
    dispose()
  }

  override func end() {
    guard !isDisposed else { return }
    downstream.completed()
    dispose()
  }

  override func disposed() {
    super.disposed()
    compute = nil
  }
}

/// A combination of sources, made for each observer.
func joined<Result>(
  deliversIfEmpty: Bool = false, _ build: @escaping (Join) -> () throws -> Result
) -> Observable<Result> {
  AnonymousProducer { JoinSink($0).start(deliversIfEmpty: deliversIfEmpty, build) }
}
