// SPDX-License-Identifier: Apache-2.0

/// An observable that subscribes to its source when it is told to.
public class ConnectableObservable<Element>: Observable<Element>, ConnectableObservableType {
  override init() {}

  /// Subscribes to the source.
  public func connect() -> any Disposable { Disposables.create() }
}

/// Something that subscribes to its source when it is told to.
public protocol ConnectableObservableType: ObservableType {
  /// Subscribes to the source.
  func connect() -> any Disposable
}

extension ObservableType {
  /// Feeds a subject from this sequence, once connected.
  public func multicast<Subject: SubjectType>(
    _ subject: Subject
  ) -> ConnectableObservable<Subject.Element> where Subject.Observer.Element == Element {
    Multicast(asObservable()) { subject }
  }

  /// Feeds a new subject for each connection.
  public func multicast<Subject: SubjectType>(
    makeSubject: @escaping () -> Subject
  ) -> ConnectableObservable<Subject.Element> where Subject.Observer.Element == Element {
    Multicast(asObservable(), makeSubject)
  }

  /// Shares this sequence inside a selector.
  public func multicast<Subject: SubjectType, Result>(
    _ subjectSelector: @escaping () throws -> Subject,
    selector: @escaping (Observable<Subject.Element>) throws -> Observable<Result>
  ) -> Observable<Result> where Subject.Observer.Element == Element {
    let source = asObservable()
    return .create { observer in
      do {
        let subject = try subjectSelector()
        let connectable = source.multicast(subject)
        let subscription = try selector(connectable).subscribe(observer)
        return Disposables.create(subscription, connectable.connect())
      } catch {
        observer.onError(error)
        return Disposables.create()
      }
    }
  }

  /// Shares this sequence, once connected.
  public func publish() -> ConnectableObservable<Element> { multicast { PublishSubject() } }

  /// Shares this sequence with its last elements, once connected.
  public func replay(_ bufferSize: Int) -> ConnectableObservable<Element> {
    multicast { ReplaySubject.create(bufferSize: bufferSize) }
  }

  /// Shares this sequence with all its elements, once connected.
  public func replayAll() -> ConnectableObservable<Element> { multicast { ReplaySubject.createUnbounded() } }
}

extension ConnectableObservableType {
  /// Connects with the first observer, and disconnects when the last has left.
  public func refCount() -> Observable<Element> { RefCount(self) }
}

private final class Multicast<Source, Subject: SubjectType>: ConnectableObservable<Subject.Element>
where Subject.Observer.Element == Source {
  private let source: Observable<Source>
  private let makeSubject: () -> Subject
  private var subject: Subject?
  private var connection: MulticastConnection<Source, Subject.Observer>?

  init(_ source: Observable<Source>, _ makeSubject: @escaping () -> Subject) {
    self.source = source
    self.makeSubject = makeSubject
    super.init()
  }

  override func subscribe(consumer: Consumer<Subject.Element>) {
    currentSubject().asObservable().subscribe(consumer: consumer)
  }

  override func connect() -> any Disposable {
    if let connection { return connection }
    let connection = MulticastConnection<Source, Subject.Observer>(currentSubject().asObserver()) {
      [weak self] ended in
      guard let self, self.connection === ended else { return }
      self.connection = nil
      subject = nil
    }
    self.connection = connection
    source.subscribe(consumer: connection)
    return connection
  }

  private func currentSubject() -> Subject {
    if let subject { return subject }
    let new = makeSubject()
    subject = new
    return new
  }
}

/// Carries a source's events into a subject.
private final class MulticastConnection<Element, Observer: ObserverType>: Consumer<Element>
where Observer.Element == Element {
  private let observer: Observer
  private var onEnd: ((MulticastConnection) -> Void)?

  init(_ observer: Observer, onEnd: @escaping (MulticastConnection) -> Void) {
    self.observer = observer
    self.onEnd = onEnd
  }

  override func next(_ element: Element) {
    if !isDisposed { observer.onNext(element) }
  }

  // The connection ends before the observers are told: whoever subscribes again meanwhile gets a new round.
  override func error(_ error: any Error) {
    guard !isDisposed else { return }
    dispose()
    observer.onError(error)
  }

  override func completed() {
    guard !isDisposed else { return }
    dispose()
    observer.onCompleted()
  }

  override func disposed() {
    onEnd?(self)
    onEnd = nil
  }
}

private final class RefCount<Source: ConnectableObservableType>: Producer<Source.Element> {
  private let source: Source
  private var count = 0
  /// Which connection is the current one: an observer of an earlier one no longer counts.
  private var round = 0
  private var connection: (any Disposable)?

  init(_ source: Source) { self.source = source }

  override func run(_ consumer: Consumer<Source.Element>) { Gate.place(consumer) { join($0) } }

  private func join(_ consumer: Consumer<Source.Element>) {
    let sink = RefCountSink(consumer, self)
    sink.connect(source.asObservable())
    // An observer that the source could serve at once needs no connection.
    guard !sink.isDisposed else { return }
    sink.round = round
    count += 1
    if count == 1 && connection == nil {
      let place = SingleAssignmentDisposable()
      connection = place
      place.setDisposable(source.connect())
    }
  }

  func leave(_ leaver: Int?) {
    guard leaver == round else { return }
    count -= 1
    if count == 0 { reset() }
  }

  func end(_ ended: Int?) {
    guard ended == round else { return }
    reset()
  }

  private func reset() {
    round += 1
    count = 0
    let old = connection
    connection = nil
    old?.dispose()
  }
}

private final class RefCountSink<Source: ConnectableObservableType>: Sink<Source.Element, Source.Element> {
  private let parent: RefCount<Source>
  /// The connection that the sink counts for; nil before it does.
  var round: Int?

  init(_ downstream: Consumer<Source.Element>, _ parent: RefCount<Source>) {
    self.parent = parent
    super.init(downstream)
  }

  override func next(_ element: Source.Element) {
    if !isDisposed { downstream.next(element) }
  }

  override func error(_ error: any Error) {
    if isDisposed { return }
    parent.end(round)
    finish(error)
  }

  override func completed() {
    if isDisposed { return }
    parent.end(round)
    finish()
  }

  override func disposed() { parent.leave(round) }
}
