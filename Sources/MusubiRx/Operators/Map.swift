// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
  /// Transforms each element.
  @inlinable public func map<Result>(
    _ transform: @escaping (Element) throws -> Result
  ) -> Observable<Result> { Map(asObservable(), transform, MapSink.self) }
}

// The caller's module, which knows the types, looks up the metadata of both classes once. In here, where they are
// generic, that would take forty nanoseconds at every subscription.
@usableFromInline final class Map<Source, Result>: Producer<Result> {
  private let source: Observable<Source>
  private let transform: (Source) throws -> Result
  private let sink: MapSink<Source, Result>.Type

  @usableFromInline init(
    _ source: Observable<Source>, _ transform: @escaping (Source) throws -> Result,
    _ sink: MapSink<Source, Result>.Type
  ) {
    self.source = source
    self.transform = transform
    self.sink = sink
  }

  override func run(_ consumer: Consumer<Result>) { sink.init(consumer, transform).connect(source) }
}

@usableFromInline class MapSink<Source, Result>: Sink<Source, Result> {
  private let transform: (Source) throws -> Result

  required init(_ downstream: Consumer<Result>, _ transform: @escaping (Source) throws -> Result) {
    self.transform = transform
    super.init(downstream)
  }

  final override func next(_ element: Source) {
    if isDisposed { return }
    let result: Result
    do { result = try transform(element) } catch { return finish(error) }
    downstream.next(result)
  }
}
