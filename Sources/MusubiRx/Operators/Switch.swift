// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
  /// Makes a sequence for each element, and follows the newest only.
  public func flatMapLatest<Source: ObservableConvertibleType>(
    _ selector: @escaping (Element) throws -> Source
  ) -> Observable<Source.Element> {
    Staged(asObservable()) { SwitchSink($0) { try selector($0).asObservable() } }
  }
}

extension ObservableType where Element: ObservableConvertibleType {
  /// Follows the newest of the sequences that arrive.
  public func switchLatest() -> Observable<Element.Element> {
    Staged(asObservable()) { SwitchSink($0) { $0.asObservable() } }
  }
}

private final class SwitchSink<Source, Result>: GuardedSink<Source, Result> {
  private let selector: (Source) throws -> Observable<Result>
  private var inner: Inner<Source, Result>?
  private var hasEnded = false

  init(_ downstream: Consumer<Result>, _ selector: @escaping (Source) throws -> Observable<Result>) {
    self.selector = selector
    super.init(downstream)
  }

  override func next(_ element: Source) {
    inTurn {
      if isDisposed { return }
      let source: Observable<Result>
      do { source = try selector(element) } catch { return finish(error) }
      let inner = Inner(self)
      var old: Inner<Source, Result>?
      guard guardedWhileAlive({ (old, self.inner) = (self.inner, inner) }) else { return }
      old?.dispose()
      source.subscribe(consumer: inner)
    }
  }

  override func error(_ error: any Error) { inTurn { finish(error) } }

  override func completed() {
    inTurn {
      if isDisposed { return }
      hasEnded = true
      if inner == nil { finish() } else { releaseUpstream() }
    }
  }

  override func innerCompleted(_ ended: Inner<Source, Result>) {
    // May run an author's code, which may send the next element.
    ended.dispose()
    var isLast = false
    let isAlive = guardedWhileAlive {
      if inner === ended { inner = nil }
      isLast = inner == nil
    }
    if isAlive, hasEnded, isLast { finish() }
  }

  override func disposed() { guarded { inner.take() }?.dispose() }
}
