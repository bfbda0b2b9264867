// SPDX-License-Identifier: Apache-2.0

import Dispatch
import MusubiRx
import MusubiTesting
import Testing

private struct Failure: Error, Equatable {}

/// The elements at 210, 220 and so on, with an end 10 ticks after the last.
private func hot(_ scheduler: TestScheduler, _ elements: Int...) -> TestableObservable<Int> {
  var events: [Recorded<Event<Int>>] = [.next(150, 99)]
  for (index, element) in elements.enumerated() { events.append(.next(210 + index * 10, element)) }
  return scheduler.createHotObservable(events + [.completed(210 + elements.count * 10)])
}

@Suite struct `Operators in virtual time` {
  let scheduler = TestScheduler(initialClock: 0)

  @Test func `range emits one element a tick`() {
    let result = scheduler.start { Observable<Int>.range(start: 5, count: 3, scheduler: scheduler) }

    #expect(result.events == [.next(201, 5), .next(202, 6), .next(203, 7), .completed(204)])
  }

  @Test func `interval and timer count from zero`() {
    let interval = scheduler.start(disposed: 550) {
      Observable<Int>.interval(.seconds(100), scheduler: scheduler)
    }
    let other = TestScheduler(initialClock: 0)
    let timer = other.start { Observable<Int>.timer(.seconds(300), scheduler: other) }

    #expect(interval.events == [.next(300, 0), .next(400, 1), .next(500, 2)])
    #expect(timer.events == [.next(500, 0), .completed(500)])
  }

  @Test func `take ends with its last element, and takeLast waits for the end`() {
    let source = hot(scheduler, 1, 2, 3)
    let last = scheduler.createObserver(Int.self)
    scheduler.scheduleAt(200) { _ = source.takeLast(2).subscribe(last) }

    let result = scheduler.start { source.take(2) }

    #expect(result.events == [.next(210, 1), .next(220, 2), .completed(220)])
    #expect(last.events == [.next(240, 2), .next(240, 3), .completed(240)])
  }

  @Test func `take and skip follow predicates, other sequences and time`() {
    let source = hot(scheduler, 1, 2, 3, 4)
    let gate = scheduler.createHotObservable([.next(225, ()), .completed(300)])
    let observers = (0..<6).map { _ in scheduler.createObserver(Int.self) }
    scheduler.scheduleAt(200) {
      _ = source.take(while: { $0 < 3 }, behavior: .inclusive).subscribe(observers[0])
      _ = source.skip(while: { $0 < 3 }).subscribe(observers[1])
      _ = source.take(until: gate).subscribe(observers[2])
      _ = source.skip(until: gate).subscribe(observers[3])
      _ = source.take(for: .seconds(25), scheduler: scheduler).subscribe(observers[4])
      _ = source.skip(.seconds(25), scheduler: scheduler).subscribe(observers[5])
    }

    scheduler.start()

    #expect(observers[0].events == [.next(210, 1), .next(220, 2), .next(230, 3), .completed(230)])
    #expect(observers[1].events == [.next(230, 3), .next(240, 4), .completed(250)])
    #expect(observers[2].events == [.next(210, 1), .next(220, 2), .completed(225)])
    #expect(observers[3].events == [.next(230, 3), .next(240, 4), .completed(250)])
    #expect(observers[4].events == observers[2].events)
    #expect(observers[5].events == observers[3].events)
  }

  @Test func `scan delivers each step and reduce the last one`() {
    let source = hot(scheduler, 1, 2, 3)
    let reduced = scheduler.createObserver(Int.self)
    scheduler.scheduleAt(200) { _ = source.reduce(10, accumulator: +).subscribe(reduced) }

    let result = scheduler.start { source.scan(10, accumulator: +) }

    #expect(result.events == [.next(210, 11), .next(220, 13), .next(230, 16), .completed(240)])
    #expect(reduced.events == [.next(240, 16), .completed(240)])
  }

  @Test func `concat and merge keep their subscription times`() {
    let first = scheduler.createColdObservable([.next(10, 1), .completed(20)])
    let second = scheduler.createColdObservable([.next(5, 2), .completed(30)])

    let result = scheduler.start {
      Observable.concat([first.asObservable(), second.asObservable()])
    }

    #expect(result.events == [.next(210, 1), .next(225, 2), .completed(250)])
    #expect(second.subscriptions == [Subscription(220, 250)])
  }

  @Test func `merge of at most two starts the third when one has ended`() {
    let inners = [20, 30, 10].map { scheduler.createColdObservable([.next(5, $0), .completed($0)]) }

    let result = scheduler.start {
      Observable.from(inners, scheduler: scheduler).merge(maxConcurrent: 2)
    }

    #expect(result.events.map(\.time) == [206, 207, 226, 232])
    #expect(inners[2].subscriptions == [Subscription(221, 231)])
  }

  @Test func `zip pairs by position and ends when both sources have`() {
    let left = scheduler.createHotObservable([.next(210, 1), .next(220, 2), .completed(230)])
    let right = scheduler.createHotObservable([
      .next(215, "a"), .next(240, "b"), .next(250, "c"), .completed(260),
    ])

    let result = scheduler.start { Observable.zip(left, right) { "\($0)\($1)" } }

    #expect(result.events == [.next(215, "1a"), .next(240, "2b"), .completed(260)])
  }

  @Test func `combineLatest of five goes through the parameter pack`() {
    let subjects = (0..<5).map { _ in BehaviorSubject(value: 1) }
    var seen: [Int] = []
    let subscription = Observable.combineLatest(
      subjects[0], subjects[1], subjects[2], subjects[3], subjects[4]
    ) { $0 + $1 + $2 + $3 + $4 }.subscribe(onNext: { seen.append($0) })

    subjects[4].onNext(10)
    subscription.dispose()

    #expect(seen == [5, 14])
  }

  @Test func `retry subscribes again and gives up after its attempts`() {
    let source = scheduler.createColdObservable([.next(10, 1), .error(20, Failure())])

    let result = scheduler.start { source.retry(2) }

    #expect(result.events == [.next(210, 1), .next(230, 1), .error(240, Failure())])
    #expect(source.subscriptions == [Subscription(200, 220), Subscription(220, 240)])
  }

  @Test func `retry when waits for the trigger`() {
    let source = scheduler.createColdObservable([.next(10, 1), .error(20, Failure())])

    let result = scheduler.start {
      source.retry(when: { (errors: Observable<Failure>) in
        errors.enumerated().flatMap { index, error -> Observable<Int> in
          index < 1 ? .timer(.seconds(50), scheduler: scheduler) : .error(error)
        }
      })
    }

    #expect(result.events == [.next(210, 1), .next(280, 1), .error(290, Failure())])
  }

  @Test func `catch goes on with the other sequence`() {
    let source = scheduler.createHotObservable([.next(210, 1), .error(220, Failure())])
    let other = scheduler.createColdObservable([.next(10, 2), .completed(20)])

    let result = scheduler.start { source.catch { _ in other.asObservable() } }

    #expect(result.events == [.next(210, 1), .next(230, 2), .completed(240)])
    #expect(source.subscriptions == [Subscription(200, 220)])
    #expect(other.subscriptions == [Subscription(220, 240)])
  }

  @Test func `timeout fails a slow sequence`() {
    let source = scheduler.createHotObservable([.next(210, 1), .next(300, 2)])

    let result = scheduler.start { source.timeout(.seconds(50), scheduler: scheduler) }

    #expect(result.events == [.next(210, 1), .error(260, RxError.timeout)])
    #expect(source.subscriptions == [Subscription(200, 260)])
  }

  @Test func `observe on a scheduler takes a tick for each event`() {
    let source = hot(scheduler, 1, 2)

    let result = scheduler.start { source.observe(on: scheduler) }

    #expect(result.events == [.next(211, 1), .next(221, 2), .completed(231)])
  }

  @Test func `subscribe on a scheduler subscribes and disposes a tick later`() {
    let source = scheduler.createHotObservable([.next(210, 1)])

    let result = scheduler.start { source.subscribe(on: scheduler) }

    #expect(result.events == [.next(210, 1)])
    #expect(source.subscriptions == [Subscription(201, 1001)])
  }

  @Test func `share subscribes once and starts again after the end`() {
    let source = scheduler.createColdObservable([.next(10, 1), .next(30, 2), .completed(40)])
    let shared = source.share(replay: 1)
    let late = scheduler.createObserver(Int.self)
    let tooLate = scheduler.createObserver(Int.self)
    scheduler.scheduleAt(220) { _ = shared.subscribe(late) }
    scheduler.scheduleAt(300) { _ = shared.subscribe(tooLate) }

    let result = scheduler.start { shared }

    #expect(result.events == [.next(210, 1), .next(230, 2), .completed(240)])
    #expect(late.events == [.next(220, 1), .next(230, 2), .completed(240)])
    #expect(tooLate.events == [.next(310, 1), .next(330, 2), .completed(340)])
  }

  @Test func `share forever replays after the end`() {
    let source = scheduler.createColdObservable([.next(10, 1), .completed(40)])
    let shared = source.share(replay: 1, scope: .forever)
    let late = scheduler.createObserver(Int.self)
    scheduler.scheduleAt(300) { _ = shared.subscribe(late) }

    _ = scheduler.start { shared }

    #expect(late.events == [.next(300, 1), .completed(300)])
  }

  @Test func `buffer flushes by number and by time`() {
    let source = hot(scheduler, 1, 2, 3, 4)

    let result = scheduler.start { source.buffer(timeSpan: .seconds(25), count: 3, scheduler: scheduler) }

    #expect(result.events == [.next(225, [1, 2]), .next(250, [3, 4]), .completed(250)])
  }

  @Test func `groupBy opens a sequence for each key`() {
    let source = hot(scheduler, 1, 2, 3, 4)

    let result = scheduler.start {
      source.groupBy { $0 % 2 }.flatMap { group in group.map { "\(group.key):\($0)" } }
    }

    #expect(
      result.events == [
        .next(210, "1:1"), .next(220, "0:2"), .next(230, "1:3"), .next(240, "0:4"), .completed(250),
      ])
  }

  @Test func `sample, amb, single, elementAt, ifEmpty and materialize`() {
    let source = hot(scheduler, 1, 2)
    let ticks = scheduler.createHotObservable([.next(215, ()), .next(218, ()), .completed(240)])
    let observers = (0..<5).map { _ in scheduler.createObserver(Int.self) }
    let events = scheduler.createObserver(Int.self)
    scheduler.scheduleAt(200) {
      _ = source.sample(ticks).subscribe(observers[0])
      _ = source.amb(Observable.never()).subscribe(observers[1])
      _ = source.single().subscribe(observers[2])
      _ = source.element(at: 1).subscribe(observers[3])
      _ = source.filter { $0 > 5 }.ifEmpty(default: 7).subscribe(observers[4])
      _ = source.materialize().dematerialize().subscribe(events)
    }

    scheduler.start()

    #expect(observers[0].events == [.next(215, 1), .next(240, 2), .completed(240)])
    #expect(observers[1].events == events.events)
    #expect(observers[2].events == [.next(210, 1), .error(220, RxError.moreThanOneElement)])
    #expect(observers[3].events == [.next(220, 2), .completed(220)])
    #expect(observers[4].events == [.next(230, 7), .completed(230)])
    #expect(events.events == [.next(210, 1), .next(220, 2), .completed(230)])
  }
}
