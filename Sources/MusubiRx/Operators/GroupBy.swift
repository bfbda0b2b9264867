// SPDX-License-Identifier: Apache-2.0

/// A sequence of the elements that share a key.
public struct GroupedObservable<Key, Element>: ObservableType {
  /// The key.
  public let key: Key
  private let source: Observable<Element>

  /// Creates a group.
  public init(key: Key, source: Observable<Element>) {
    self.key = key
    self.source = source
  }

  /// Subscribes an observer.
  public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
  where Observer.Element == Element { source.subscribe(observer) }

  /// The group as an `Observable`.
  public func asObservable() -> Observable<Element> { source }
}

extension ObservableType {
  /// Sorts the elements into sequences by a key.
  public func groupBy<Key: Hashable>(
    keySelector: @escaping (Element) throws -> Key
  ) -> Observable<GroupedObservable<Key, Element>> {
    let source = asObservable()
    return AnonymousProducer { Gate.place($0) { GroupBySink($0, keySelector).start(source) } }
  }
}

private final class GroupBySink<Key: Hashable, Element>: Sink<Element, GroupedObservable<Key, Element>> {
  private let keySelector: (Element) throws -> Key
  private var groups: [Key: PublishSubject<Element>] = [:]
  private var order: [PublishSubject<Element>] = []
  private let users = RefCountedUpstream()

  init(
    _ downstream: Consumer<GroupedObservable<Key, Element>>, _ keySelector: @escaping (Element) throws -> Key
  ) {
    self.keySelector = keySelector
    super.init(downstream)
  }

  func start(_ source: Observable<Element>) {
    downstream.attach(to: users)
    users.node = self
    source.subscribe(consumer: self)
  }

  override func next(_ element: Element) {
    if isDisposed { return }
    do {
      let key = try keySelector(element)
      let group = groups[key] ?? open(key)
      group.onNext(element)
    } catch { self.error(error) }
  }

  private func open(_ key: Key) -> PublishSubject<Element> {
    let group = PublishSubject<Element>()
    groups[key] = group
    order.append(group)
    if !users.isPrimaryGone {
      downstream.next(GroupedObservable(key: key, source: users.counted(group)))
    }
    return group
  }

  override func error(_ error: any Error) {
    if isDisposed { return }
    for group in order { group.onError(error) }
    finish(error)
  }

  override func completed() {
    if isDisposed { return }
    for group in order { group.onCompleted() }
    finish()
  }

  override func disposed() { users.node = nil }
}

/// Keeps a node running while its observer or one of the sequences that it gave out is in use.
///
/// Any thread may stop using one, while a queue's timer opens another.
final class RefCountedUpstream: DisposeBase {
  private let lock = Lock()
  private var running: Node?
  private var isGone = false
  private var uses = 0

  override init() {}

  /// The node; nil once it has ended.
  var node: Node? {
    get { lock.with { running } }
    set { lock.with { running = newValue } }
  }

  /// Whether the node's observer is no longer there.
  var isPrimaryGone: Bool { lock.with { isGone } }

  override func detach(_ consumer: Node) {
    lock.with { isGone = true }
    disposeIfUnused()
  }

  /// A sequence whose observers count as uses.
  func counted<Element>(_ source: Observable<Element>) -> Observable<Element> {
    AnonymousProducer { consumer in
      self.lock.with { self.uses += 1 }
      let sink = HoldingSink(consumer)
      sink.hold(
        Disposables.create {
          self.lock.with { self.uses -= 1 }
          self.disposeIfUnused()
        })
      sink.connect(source)
    }
  }

  private func disposeIfUnused() {
    let unused: Node? = lock.with {
      guard isGone, uses == 0 else { return nil }
      defer { running = nil }
      return running
    }
    unused?.dispose()
  }
}
