// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
  /// Folds the elements, and delivers each intermediate result.
  public func scan<Accumulate>(
    into seed: Accumulate, accumulator: @escaping (inout Accumulate, Element) throws -> Void
  ) -> Observable<Accumulate> { Staged(asObservable()) { ScanSink($0, seed, accumulator) } }

  /// Folds the elements, and delivers each intermediate result.
  @inlinable public func scan<Accumulate>(
    _ seed: Accumulate, accumulator: @escaping (Accumulate, Element) throws -> Accumulate
  ) -> Observable<Accumulate> { scan(into: seed) { $0 = try accumulator($0, $1) } }
}

private final class ScanSink<Source, Accumulate>: Sink<Source, Accumulate> {
  private let accumulator: (inout Accumulate, Source) throws -> Void
  // Unchecked: an event costs 14 ns instead of 42.
  @exclusivity(unchecked) private var result: Accumulate

  init(
    _ downstream: Consumer<Accumulate>, _ seed: Accumulate,
    _ accumulator: @escaping (inout Accumulate, Source) throws -> Void
  ) {
    self.accumulator = accumulator
    result = seed
    super.init(downstream)
  }

  override func next(_ element: Source) {
    if isDisposed { return }
    do { try accumulator(&result, element) } catch { return finish(error) }
    downstream.next(result)
  }
}
