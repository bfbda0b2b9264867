// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
  /// Makes a sequence for each element, and follows the newest only.
  ///
  /// - Parameter selector: Makes the sequence; what it throws ends the result.
  /// - Returns: The elements of the newest sequence.
  public func flatMapLatest<Source: ObservableConvertibleType>(
    _ selector: @escaping (Element) throws -> Source
  ) -> Observable<Source.Element> {
    Staged(asObservable()) { SwitchSink($0) { try selector($0).asObservable() } }
  }
}

extension ObservableType where Element: ObservableConvertibleType {
  /// Follows the newest of the sequences that arrive.
  ///
  /// - Returns: The elements of the newest sequence.
  public func switchLatest() -> Observable<Element.Element> {
    Staged(asObservable()) { SwitchSink($0) { $0.asObservable() } }
  }
}

private final class SwitchSink<Source, Result>: Sink<Source, Result> {
  private let selector: (Source) throws -> Observable<Result>
  @exclusivity(unchecked) fileprivate var inner: SwitchInner<Source, Result>?
  private var hasEnded = false

  init(_ downstream: Consumer<Result>, _ selector: @escaping (Source) throws -> Observable<Result>) {
    self.selector = selector
    super.init(downstream)
  }

  override func next(_ element: Source) {
    if isDisposed { return }
    let source: Observable<Result>
    do { source = try selector(element) } catch { return finish(error) }
    let inner = SwitchInner(self)
    let old = self.inner
    self.inner = inner
    old?.dispose()
    source.subscribe(consumer: inner)
  }

  override func completed() {
    if isDisposed { return }
    hasEnded = true
    if inner == nil { finish() } else { releaseUpstream() }
  }

  func innerCompleted() {
    inner = nil
    if hasEnded { finish() }
  }

  override func dispose() {
    guard !isDisposed else { return }
    super.dispose()
    let old = inner
    inner = nil
    old?.dispose()
  }
}

/// Follows one of the sequences; a newer one disposes it.
private final class SwitchInner<Source, Result>: Consumer<Result> {
  private let parent: SwitchSink<Source, Result>

  init(_ parent: SwitchSink<Source, Result>) { self.parent = parent }

  override func markCrossing() { parent.markCrossing() }

  override func next(_ element: Result) {
    if !isDisposed { parent.downstream.next(element) }
  }

  override func error(_ error: any Error) {
    if !isDisposed { parent.finish(error) }
  }

  override func completed() {
    guard !isDisposed else { return }
    dispose()
    parent.innerCompleted()
  }
}
