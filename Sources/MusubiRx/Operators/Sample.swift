// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
  /// Delivers the latest element whenever another sequence delivers.
  public func sample<Source: ObservableType>(
    _ sampler: Source, defaultValue: Element? = nil
  ) -> Observable<Element> {
    let (source, sampler) = (asObservable(), sampler.asObservable())
    return AnonymousProducer { SampleSink($0, defaultValue).start(source, sampler) }
  }
}

private final class SampleSink<Element>: PairedSink<Element, Element> {
  private let defaultValue: Element?
  private var latest: Element?
  private var hasEnded = false

  init(_ downstream: Consumer<Element>, _ defaultValue: Element?) {
    self.defaultValue = defaultValue
    super.init(downstream)
  }

  func start<Sample>(_ source: Observable<Element>, _ other: Observable<Sample>) {
    connect(source)
    let sampler = Trigger<Sample>(
      self, onNext: { [self] _ in sample() }, onCompleted: { [self] in sample() })
    pair(sampler, with: other)
  }

  private func sample() {
    inTurn {
      if let element = latest ?? defaultValue {
        latest = nil
        downstream.next(element)
      }
      if hasEnded { finish() }
    }
  }

  override func next(_ element: Element) {
    inTurn { if !isDisposed { latest = element } }
  }

  override func completed() {
    inTurn {
      hasEnded = true
      releaseUpstream()
    }
  }
}
