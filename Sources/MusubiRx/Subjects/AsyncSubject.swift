// SPDX-License-Identifier: Apache-2.0

/// A subject that tells its observers only the last element, when it ends.
public final class AsyncSubject<Element>: Subject<Element>, SubjectType {
  private var last: Element?

  /// Creates a subject.
  public override init() {}

  /// Keeps an element until the end or the next one.
  public override func onNext(_ element: Element) {
    if end == nil { last = element }
  }

  /// Tells the observers that the sequence failed; the last element is dropped.
  public override func onError(_ error: any Swift.Error) {
    if end == nil { last = nil }
    super.onError(error)
  }

  /// Tells the observers the last element, if there is one, and the end.
  public override func onCompleted() {
    guard end == nil else { return }
    // First of all: who subscribes meanwhile is told all of it at once.
    end = .completed
    let nodes = takeAll()
    if let last { for node in nodes { unsafeDowncast(node, to: Consumer<Element>.self).next(last) } }
    for node in nodes { node.completed() }
  }

  /// Lets all observers and the element go.
  public override func dispose() {
    super.dispose()
    last = nil
  }

  /// The observer side.
  public func asObserver() -> AsyncSubject<Element> { self }

  override func subscribe(consumer: Consumer<Element>) {
    if case .completed = end, let last { consumer.next(last) }
    super.subscribe(consumer: consumer)
  }
}
