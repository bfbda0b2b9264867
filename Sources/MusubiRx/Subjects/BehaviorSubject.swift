// SPDX-License-Identifier: Apache-2.0

/// A subject that keeps its latest element, and tells it to each new observer first.
///
///     let volume = BehaviorSubject(value: 5)
///     volume.subscribe(onNext: { print($0) }).disposed(by: bag)  // prints 5
public final class BehaviorSubject<Element>: Subject<Element>, SubjectType {
  // Unchecked: see `list` in `Subject`.
  @exclusivity(unchecked) private(set) final var latest: Element

  /// Creates a subject.
  public init(value: Element) {
    latest = value
    super.init()
  }

  /// The latest element.
  public func value() throws -> Element {
    switch end {
    case .failed(let error): throw error
    case .disposed: throw RxError.disposed(object: self)
    case .completed, nil: return latest
    }
  }

  /// Keeps an element and tells it to the observers.
  public override func onNext(_ element: Element) {
    guard end == nil else { return }
    latest = element
    deliver(element)
  }

  /// The observer side.
  public func asObserver() -> BehaviorSubject<Element> { self }

  override func subscribe(consumer: Consumer<Element>) {
    super.subscribe(consumer: consumer)
    if end == nil { consumer.next(latest) }
  }
}
