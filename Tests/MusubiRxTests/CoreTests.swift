// SPDX-License-Identifier: Apache-2.0

import Dispatch
import MusubiRx
import MusubiTesting
import Testing

@Suite struct `The core of the reactive vocabulary` {
  @Test func `map, filter and subscribe see the same events at the same times`() {
    let scheduler = TestScheduler(initialClock: 0)
    let source = scheduler.createHotObservable([
      .next(150, 1), .next(210, 2), .next(220, 3), .next(230, 4), .completed(240),
    ])

    let result = scheduler.start { source.map { $0 * 10 }.filter { $0 != 30 } }

    #expect(result.events == [.next(210, 20), .next(230, 40), .completed(240)])
    #expect(source.subscriptions == [Subscription(200, 240)])
  }

  @Test func `a subscriber that leaves during an event gets nothing more`() {
    let subject = PublishSubject<Int>()
    var seen: [String] = []
    let second = SerialDisposable()
    let first = subject.subscribe(onNext: { element in
      seen.append("first \(element)")
      second.dispose()
    })
    second.disposable = subject.subscribe(onNext: { seen.append("second \($0)") })

    subject.onNext(1)
    subject.onNext(2)
    first.dispose()
    subject.onNext(3)

    #expect(seen == ["first 1", "first 2"])
    #expect(!subject.hasObservers)
  }

  @Test func `a subscriber that arrives during an event waits for the next one`() {
    let subject = PublishSubject<Int>()
    let second = SerialDisposable()
    var late: [Int] = []
    let first = subject.subscribe(onNext: { element in
      if element == 1 { second.disposable = subject.subscribe(onNext: { late.append($0) }) }
    })

    subject.onNext(1)
    subject.onNext(2)
    first.dispose()
    second.dispose()

    #expect(late == [2])
  }

  @Test func `sources that emit at once take turns`() {
    var seen: [String] = []

    _ = Observable.combineLatest(Observable.of(1, 2, 3), Observable.of("a", "b")) { "\($0)\($1)" }
      .subscribe(onNext: { seen.append($0) })

    #expect(seen == ["1a", "2a", "2b", "3b"])
  }

  @Test func `a driver replays its latest element and a signal does not`() {
    let relay = BehaviorRelay(value: 1)
    let bag = DisposeBag()
    let driver = relay.asDriver().map { $0 * 2 }.distinctUntilChanged()
    let signal = relay.asSignal()
    var driven: [Int] = []
    var emitted: [Int] = []
    driver.drive(onNext: { driven.append($0) }).disposed(by: bag)
    relay.accept(2)
    driver.drive(onNext: { driven.append($0 + 100) }).disposed(by: bag)
    signal.emit(onNext: { emitted.append($0) }).disposed(by: bag)

    relay.accept(3)

    #expect(driven == [2, 4, 104, 6, 106])
    #expect(emitted == [2, 3])
  }

  @Test func `flatMapLatest drops what an older source still delivers`() {
    let scheduler = TestScheduler(initialClock: 0)
    let outer = scheduler.createHotObservable([.next(210, 0), .next(300, 1), .completed(400)])
    let inners = [
      scheduler.createColdObservable([.next(50, "a"), .next(150, "b")]),
      scheduler.createColdObservable([.next(50, "c"), .completed(200)]),
    ]

    let result = scheduler.start { outer.flatMapLatest { inners[$0] } }

    #expect(result.events == [.next(260, "a"), .next(350, "c"), .completed(500)])
    #expect(inners[0].subscriptions == [Subscription(210, 300)])
    #expect(inners[1].subscriptions == [Subscription(300, 500)])
  }

  @Test func `debounce delivers after quiet, and the last element at the end`() {
    let scheduler = TestScheduler(initialClock: 0)
    let source = scheduler.createHotObservable([
      .next(210, 1), .next(240, 2), .next(310, 3), .completed(320),
    ])

    let result = scheduler.start { source.debounce(.seconds(50), scheduler: scheduler) }

    #expect(result.events == [.next(290, 2), .next(320, 3), .completed(320)])
  }

  @Test func `throttle delivers the first and the latest`() {
    let scheduler = TestScheduler(initialClock: 0)
    let source = scheduler.createHotObservable([
      .next(210, 1), .next(240, 2), .next(250, 3), .next(400, 4), .completed(410),
    ])

    let result = scheduler.start { source.throttle(.seconds(100), scheduler: scheduler) }

    #expect(result.events == [.next(210, 1), .next(310, 3), .next(410, 4), .completed(410)])
  }

  @Test func `delay moves elements and the end`() {
    let scheduler = TestScheduler(initialClock: 0)
    let source = scheduler.createHotObservable([.next(250, 1), .next(350, 2), .completed(550)])

    let result = scheduler.start { source.delay(.seconds(100), scheduler: scheduler) }

    #expect(result.events == [.next(350, 1), .next(450, 2), .completed(650)])
  }

  @Test func `a bag disposes in order when it goes`() {
    var order: [Int] = []
    var bag: DisposeBag? = DisposeBag()
    bag?.insert(Disposables.create { order.append(1) }, Disposables.create { order.append(2) })

    bag = nil

    #expect(order == [1, 2])
  }
}
