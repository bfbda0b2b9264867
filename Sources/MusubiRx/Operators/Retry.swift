// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
  /// Subscribes again after every error.
  public func retry() -> Observable<Element> {
    let source = asObservable()
    return AnonymousProducer { ChainSink($0, ChainedSources { source }, followsErrors: true).start() }
  }

  /// Subscribes again after an error, up to a number of attempts.
  public func retry(_ maxAttemptCount: Int) -> Observable<Element> {
    .catch(sequence: Swift.repeatElement(asObservable(), count: maxAttemptCount))
  }

  /// Goes through sequences until one ends without an error.
  public static func `catch`<Sources: Sequence>(sequence: Sources) -> Observable<Element>
  where Sources.Element == Observable<Element> {
    AnonymousProducer {
      var iterator = sequence.makeIterator()
      ChainSink($0, ChainedSources { iterator.next() }, followsErrors: true).start()
    }
  }

  /// Subscribes again after an error, when a sequence made from the errors says so.
  public func retry<TriggerObservable: ObservableType, Failure: Swift.Error>(
    when notificationHandler: @escaping (Observable<Failure>) -> TriggerObservable
  ) -> Observable<Element> { retry(when: notificationHandler) { $0 as? Failure } }

  /// Subscribes again after an error, when a sequence made from the errors says so.
  public func retry<TriggerObservable: ObservableType>(
    when notificationHandler: @escaping (Observable<any Swift.Error>) -> TriggerObservable
  ) -> Observable<Element> { retry(when: notificationHandler) { $0 } }

  private func retry<Failure, TriggerObservable: ObservableType>(
    when handler: @escaping (Observable<Failure>) -> TriggerObservable,
    _ convert: @escaping (any Swift.Error) -> Failure?
  ) -> Observable<Element> {
    let source = asObservable()
    return AnonymousProducer { consumer in
      let failures = PublishSubject<Failure>()
      let sink = RetryWhenSink(consumer, source) { error in
        guard let failure = convert(error) else { return false }
        failures.onNext(failure)
        return true
      }
      sink.start(handler(failures).asObservable())
    }
  }
}

private final class RetryWhenSink<Element>: PairedSink<Never, Element> {
  private let source: Observable<Element>
  private let report: (any Error) -> Bool
  private var attempt: Inner<Never, Element>?
  private var isWaiting = false
  /// Whether an attempt is being subscribed to; if it fails at once, a loop tries again, not a recursion.
  private var isTrying = false
  private var triesAgain = false
  /// How the trigger ended while no error had to be decided on.
  private var triggerEnd: Event<Never>?

  init(
    _ downstream: Consumer<Element>, _ source: Observable<Element>, report: @escaping (any Error) -> Bool
  ) {
    self.source = source
    self.report = report
    super.init(downstream)
  }

  func start<Signal>(_ signals: Observable<Signal>) {
    downstream.attach(to: self)
    let trigger = Trigger<Signal>(
      self, onNext: { [self] _ in if isWaiting { tryAgain() } },
      onCompleted: { [self] in triggerEnded(.completed) })
    pair(trigger, with: signals)
    if !isDisposed { tryAgain() }
  }

  private func tryAgain() {
    isWaiting = false
    triesAgain = true
    if isTrying { return }
    isTrying = true
    while triesAgain && !isDisposed {
      triesAgain = false
      let attempt = Inner(self)
      if guardedWhileAlive({ self.attempt = attempt }) { source.subscribe(consumer: attempt) }
    }
    isTrying = false
  }

  override func innerFailed(_ inner: Inner<Never, Element>, _ error: any Error) {
    inner.dispose()
    isWaiting = true
    if let triggerEnd { return triggerEnded(triggerEnd) }
    if !report(error) { finish(error) }
  }

  override func error(_ error: any Error) { triggerEnded(.error(error)) }

  private func triggerEnded(_ end: Event<Never>) {
    triggerEnd = end
    guard isWaiting else { return }
    if case .error(let error) = end { finish(error) } else { finish() }
  }

  override func disposed() {
    guarded { attempt.take() }?.dispose()
    super.disposed()
  }
}
