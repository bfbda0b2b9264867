// SPDX-License-Identifier: Apache-2.0

/// A subject that keeps its last elements, and tells them to each new observer first.
///
///     let last = ReplaySubject<String>.create(bufferSize: 2)
public final class ReplaySubject<Element>: Subject<Element>, SubjectType {
  private let limit: Int
  private var buffer = Fifo<Element>()

  private init(limit: Int) { self.limit = limit }

  /// Creates a subject that keeps some elements.
  public static func create(bufferSize: Int) -> ReplaySubject<Element> { ReplaySubject(limit: bufferSize) }

  /// Creates a subject that keeps all elements.
  public static func createUnbounded() -> ReplaySubject<Element> { ReplaySubject(limit: .max) }

  /// Keeps an element and tells it to the observers.
  public override func onNext(_ element: Element) {
    guard end == nil else { return }
    buffer.append(element)
    if buffer.count > limit { _ = buffer.popFirst() }
    deliver(element)
  }

  /// Lets all observers and elements go.
  public override func dispose() {
    super.dispose()
    buffer.removeAll()
  }

  /// The observer side.
  public func asObserver() -> ReplaySubject<Element> { self }

  override func subscribe(consumer: Consumer<Element>) {
    switch end {
    case .disposed: return tell(.disposed, to: consumer)
    case nil:
      add(consumer)
      buffer.forEach { consumer.next($0) }
    case .some(let end):
      buffer.forEach { consumer.next($0) }
      tell(end, to: consumer)
    }
  }
}
