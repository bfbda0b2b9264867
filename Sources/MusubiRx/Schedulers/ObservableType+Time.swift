// SPDX-License-Identifier: Apache-2.0

public import Dispatch

// The public side of the operators that speak of time lives here, because only this folder imports Dispatch.
//
// With the main scheduler, they take elements of another thread on the loop that subscribed, where their timers are.

extension ObservableType {
  /// The elements, where the timers of a scheduler run: the main one cannot tell a loop on a foreign thread.
  ///
  /// Who subscribes on a foreign thread has no loop, and gets the elements where they come.
  private func elements(for scheduler: any SchedulerType) -> Observable<Element> {
    let source = asObservable()
    guard scheduler is MainScheduler else { return source }
    let atHome = observe(on: scheduler)
    return AnonymousProducer { consumer in
      (ThreadContext.current.isHome ? atHome : source).subscribe(consumer: consumer)
    }
  }

  /// Delivers an element when none has followed it for a while.
  public func debounce(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
    Staged(elements(for: scheduler)) { DebounceSink($0, dueTime, scheduler) }
  }

  /// Delivers an element, then none for a while.
  public func throttle(
    _ dueTime: RxTimeInterval, latest: Bool = true, scheduler: any SchedulerType
  ) -> Observable<Element> {
    Staged(elements(for: scheduler)) { ThrottleSink($0, dueTime, latest: latest, scheduler) }
  }

  /// Delivers each element and the end some time later; errors at once.
  public func delay(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
    Staged(elements(for: scheduler)) { DelaySink($0, dueTime, scheduler) }
  }

  /// Subscribes to the source some time later.
  public func delaySubscription(
    _ dueTime: RxTimeInterval, scheduler: any SchedulerType
  ) -> Observable<Element> {
    let source = asObservable()
    return AnonymousProducer { DelayedSubscriptionSink($0).start(source, dueTime, scheduler) }
  }

  /// Fails when an element takes too long to come.
  public func timeout(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
    timeout(dueTime, other: Observable.error(RxError.timeout), scheduler: scheduler)
  }

  /// Moves to another sequence when an element takes too long to come.
  public func timeout<Source: ObservableConvertibleType>(
    _ dueTime: RxTimeInterval, other: Source, scheduler: any SchedulerType
  ) -> Observable<Element> where Source.Element == Element {
    let (source, other) = (elements(for: scheduler), other.asObservable())
    return AnonymousProducer { TimeoutSink($0, dueTime, other, scheduler).start(source) }
  }

  /// Delivers elements for a while, then ends.
  public func take(for duration: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
    let source = elements(for: scheduler)
    return AnonymousProducer { TimedGateSink($0, isOpen: true).start(source, duration, scheduler) }
  }

  /// Drops elements for a while.
  public func skip(_ duration: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
    let source = elements(for: scheduler)
    return AnonymousProducer { TimedGateSink($0, isOpen: false).start(source, duration, scheduler) }
  }

  /// Collects elements until there are enough of them or time is over.
  public func buffer(
    timeSpan: RxTimeInterval, count: Int, scheduler: any SchedulerType
  ) -> Observable<[Element]> {
    let source = elements(for: scheduler)
    return AnonymousProducer { BufferSink($0, timeSpan, count, scheduler).start(source) }
  }

  /// Cuts the sequence into windows, each with enough elements or over in time.
  public func window(
    timeSpan: RxTimeInterval, count: Int, scheduler: any SchedulerType
  ) -> Observable<Observable<Element>> {
    let source = elements(for: scheduler)
    return AnonymousProducer { Gate.place($0) { WindowSink($0, timeSpan, count, scheduler).start(source) } }
  }
}

extension ObservableType where Element: FixedWidthInteger {
  /// Emits numbers from 0, at a time and then in a rhythm.
  public static func timer(
    _ dueTime: RxTimeInterval, period: RxTimeInterval? = nil, scheduler: any SchedulerType
  ) -> Observable<Element> {
    AnonymousProducer { consumer in
      let sink = TimedSink<Element, Element>(consumer)
      consumer.attach(to: sink)
      guard let period else {
        return sink.after(dueTime, scheduler) {
          sink.downstream.next(0)
          sink.finish()
        }
      }
      sink.timer.hold {
        scheduler.schedulePeriodic(0 as Element, startAfter: dueTime, period: period) { number in
          if !sink.isDisposed { sink.downstream.next(number) }
          return number &+ 1
        }
      }
    }
  }

  /// Emits numbers from 0 in a rhythm.
  public static func interval(
    _ period: RxTimeInterval, scheduler: any SchedulerType
  ) -> Observable<Element> { timer(period, period: period, scheduler: scheduler) }
}

extension PrimitiveSequence {
  /// Delivers the element and the end some time later.
  public func delay(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Self {
    Self(raw: source.delay(dueTime, scheduler: scheduler))
  }

  /// Subscribes to the source some time later.
  public func delaySubscription(
    _ dueTime: RxTimeInterval, scheduler: any SchedulerType
  ) -> Self { Self(raw: source.delaySubscription(dueTime, scheduler: scheduler)) }

  /// Fails when the end takes too long to come.
  public func timeout(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Self {
    Self(raw: source.timeout(dueTime, scheduler: scheduler))
  }

  /// Moves to another sequence when the end takes too long to come.
  public func timeout(
    _ dueTime: RxTimeInterval, other: Self, scheduler: any SchedulerType
  ) -> Self { Self(raw: source.timeout(dueTime, other: other.source, scheduler: scheduler)) }
}

extension PrimitiveSequence where Element: FixedWidthInteger {
  /// One element, 0, after a time.
  public static func timer(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Self {
    Self(raw: .timer(dueTime, scheduler: scheduler))
  }
}

extension SharedSequenceConvertibleType {
  /// Delivers an element when none has followed it for a while.
  public func debounce(_ dueTime: RxTimeInterval) -> SharedSequence<SharingStrategy, Element> {
    SharedSequence(asObservable().debounce(dueTime, scheduler: SharingStrategy.scheduler))
  }

  /// Delivers an element, then none for a while.
  public func throttle(
    _ dueTime: RxTimeInterval, latest: Bool = true
  ) -> SharedSequence<SharingStrategy, Element> {
    SharedSequence(asObservable().throttle(dueTime, latest: latest, scheduler: SharingStrategy.scheduler))
  }

  /// Delivers each element and the end some time later.
  public func delay(_ dueTime: RxTimeInterval) -> SharedSequence<SharingStrategy, Element> {
    SharedSequence(asObservable().delay(dueTime, scheduler: SharingStrategy.scheduler))
  }
}

extension SharedSequence where Element: FixedWidthInteger {
  /// Emits numbers from 0 in a rhythm.
  public static func interval(_ period: RxTimeInterval) -> Self {
    Self(.interval(period, scheduler: SharingStrategy.scheduler))
  }

  /// Emits numbers from 0, at a time and then in a rhythm.
  public static func timer(
    _ duration: RxTimeInterval, period: RxTimeInterval
  ) -> Self { Self(.timer(duration, period: period, scheduler: SharingStrategy.scheduler)) }
}

extension InfallibleType {
  /// Delivers an element when none has followed it for a while.
  public func debounce(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Infallible<Element> {
    Infallible(asObservable().debounce(dueTime, scheduler: scheduler))
  }

  /// Delivers an element, then none for a while.
  public func throttle(
    _ dueTime: RxTimeInterval, latest: Bool = true, scheduler: any SchedulerType
  ) -> Infallible<Element> {
    Infallible(asObservable().throttle(dueTime, latest: latest, scheduler: scheduler))
  }

  /// Delivers each element and the end some time later.
  public func delay(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Infallible<Element> {
    Infallible(asObservable().delay(dueTime, scheduler: scheduler))
  }

  /// Subscribes to the source some time later.
  public func delaySubscription(
    _ dueTime: RxTimeInterval, scheduler: any SchedulerType
  ) -> Infallible<Element> { Infallible(asObservable().delaySubscription(dueTime, scheduler: scheduler)) }

  /// Ends after a while.
  public func take(for duration: RxTimeInterval, scheduler: any SchedulerType) -> Infallible<Element> {
    Infallible(asObservable().take(for: duration, scheduler: scheduler))
  }

  /// Drops elements for a while.
  public func skip(_ duration: RxTimeInterval, scheduler: any SchedulerType) -> Infallible<Element> {
    Infallible(asObservable().skip(duration, scheduler: scheduler))
  }
}
