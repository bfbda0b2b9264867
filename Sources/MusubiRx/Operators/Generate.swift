// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
  /// A sequence of states, each made from the one before.
  public static func generate(
    initialState: Element, condition: @escaping (Element) throws -> Bool,
    scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance,
    iterate: @escaping (Element) throws -> Element
  ) -> Observable<Element> {
    AnonymousProducer { consumer in
      var state: Element?
      EmissionTask.start(consumer, on: scheduler) { consumer in
        let next = try state.map(iterate) ?? initialState
        state = next
        guard try condition(next) else { return false }
        consumer.next(next)
        return true
      }
    }
  }

  /// The same element again and again, without end.
  public static func repeatElement(
    _ element: Element, scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
  ) -> Observable<Element> {
    AnonymousProducer { consumer in
      EmissionTask.start(consumer, on: scheduler) { consumer in
        consumer.next(element)
        return true
      }
    }
  }

  /// A sequence that needs a resource, which is disposed with the subscription.
  public static func using<Resource: Disposable>(
    _ resourceFactory: @escaping () throws -> Resource,
    observableFactory: @escaping (Resource) throws -> Observable<Element>
  ) -> Observable<Element> {
    AnonymousProducer { consumer in
      let sink = HoldingSink(consumer)
      do {
        let resource = try resourceFactory()
        defer { sink.hold(resource) }
        sink.connect(try observableFactory(resource))
      } catch { sink.connect(.error(error)) }
    }
  }
}

extension ObservableType where Element: FixedWidthInteger {
  /// A run of integers.
  public static func range(
    start: Element, count: Element, scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
  ) -> Observable<Element> {
    precondition(count >= 0, "A range has at least no elements.")
    precondition(
      !start.addingReportingOverflow(count == 0 ? 0 : count - 1).overflow, "The range exceeds its type.")
    return AnonymousProducer { consumer in
      var index: Element = 0
      EmissionTask.start(consumer, on: scheduler) { consumer in
        guard index < count else { return false }
        consumer.next(start + index)
        index += 1
        return true
      }
    }
  }
}
