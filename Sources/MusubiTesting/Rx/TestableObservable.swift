// SPDX-License-Identifier: Apache-2.0

public import MusubiRx

/// An observable that emits by a script, and records when it was subscribed to.
public class TestableObservable<Element>: ObservableType {
  /// When it was subscribed to, and when those subscriptions were disposed.
  public internal(set) var subscriptions: [Subscription] = []
  /// The script.
  public let recordedEvents: [Recorded<Event<Element>>]
  let scheduler: TestScheduler

  init(_ scheduler: TestScheduler, _ recordedEvents: [Recorded<Event<Element>>]) {
    self.scheduler = scheduler
    self.recordedEvents = recordedEvents
  }

  /// Subscribes an observer.
  public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
  where Observer.Element == Element { Disposables.create() }

  /// Notes a subscription; the result notes its disposal and then calls the closure.
  func noteSubscription(onDispose: @escaping () -> Void) -> any Disposable {
    subscriptions.append(Subscription(scheduler.clock))
    let index = subscriptions.count - 1
    return Disposables.create { [self] in
      onDispose()
      subscriptions[index] = Subscription(subscriptions[index].subscribe, scheduler.clock)
    }
  }
}

/// Emits at absolute times to whoever listens.
final class HotObservable<Element>: TestableObservable<Element> {
  private var observers: [(number: Int, observer: AnyObserver<Element>)] = []
  private var nextNumber = 0

  override init(_ scheduler: TestScheduler, _ recordedEvents: [Recorded<Event<Element>>]) {
    super.init(scheduler, recordedEvents)
    for recorded in recordedEvents {
      scheduler.scheduleAt(recorded.time) { [weak self] in
        guard let self else { return }
        for entry in observers { entry.observer.on(recorded.value) }
      }
    }
  }

  override func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
  where Observer.Element == Element {
    nextNumber += 1
    let number = nextNumber
    observers.append((number, AnyObserver(observer)))
    return noteSubscription { [weak self] in self?.observers.removeAll { $0.number == number } }
  }
}

/// Emits to each observer at times that count from its subscription.
final class ColdObservable<Element>: TestableObservable<Element> {
  override func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
  where Observer.Element == Element {
    for recorded in recordedEvents {
      _ = scheduler.scheduleRelativeVirtual((), dueTime: recorded.time) { _ in
        observer.on(recorded.value)
        return Disposables.create()
      }
    }
    return noteSubscription {}
  }
}
