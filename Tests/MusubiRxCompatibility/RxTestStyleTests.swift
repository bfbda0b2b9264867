// SPDX-License-Identifier: Apache-2.0

import MusubiRx
import MusubiTesting
import XCTest

/// A test in the words of RxTest, so that its files compile and mean the same here.
final class RxTestStyleTests: XCTestCase {
  private var scheduler: TestScheduler!
  private var disposeBag: DisposeBag!

  override func setUp() {
    super.setUp()
    scheduler = TestScheduler(initialClock: 0)
    disposeBag = DisposeBag()
  }

  override func tearDown() {
    disposeBag = nil
    scheduler = nil
    super.tearDown()
  }

  func testHotObservable() {
    let xs = scheduler.createHotObservable([
      .next(150, 1), .next(210, 2), .next(220, 3), .completed(230),
    ])
    let res = scheduler.start { xs.map { $0 * 2 } }
    XCTAssertEqual(res.events, [.next(210, 4), .next(220, 6), .completed(230)])
    XCTAssertEqual(xs.subscriptions, [Subscription(200, 230)])
  }

  func testColdObservableWithTimes() {
    let xs = scheduler.createColdObservable([.next(10, "a"), .error(20, Oops.first)])
    let res = scheduler.start(created: 50, subscribed: 100, disposed: 500) { xs.asObservable() }
    let correct = Recorded.events(.next(110, "a"), .error(120, Oops.first))
    XCTAssertEqual(res.events, correct)
  }

  func testOlderGlobalForms() {
    let events: [Recorded<Event<Int>>] = [.next(210, 1), .error(220, Oops.first), .completed(230, Int.self)]
    XCTAssertEqual(events.count, 3)
    XCTAssertEqual(Event<Int>.next(1), .next(1))
    XCTAssertEqual([Event<Int>.next(1), .completed], [.next(1), .completed])
    XCTAssertNotEqual(Event<Int>.error(Oops.first), .error(Oops.second))
  }

  func testObserverAndClock() {
    let observer = scheduler.createObserver(Int.self)
    let subject = PublishSubject<Int>()
    subject.subscribe(observer).disposed(by: disposeBag)
    scheduler.scheduleAt(100) { subject.onNext(1) }
    scheduler.scheduleAt(200) { subject.onCompleted() }
    scheduler.start()
    XCTAssertEqual(observer.events, [.next(100, 1), .completed(200)])
    XCTAssertEqual(scheduler.clock, 200)
    XCTAssertRecordedElements([.next(100, 1)], [1])
  }

  func testOptionalElements() {
    let xs = scheduler.createHotObservable([Recorded.next(210, 1 as Int?), .next(220, nil), .completed(230)])
    let res = scheduler.start { xs.asObservable() }
    XCTAssertEqual(res.events, [.next(210, 1), .next(220, nil), .completed(230)])
  }

  func testVoidElementsAndBindings() {
    let taps = scheduler.createHotObservable([.next(210, ()), .next(220, ())])
    var count = 0
    taps.bind { count += 1 }.disposed(by: disposeBag)
    scheduler.start()
    XCTAssertEqual(count, 2)
  }

  func testDriverOnAMockedScheduler() {
    SharingScheduler.mock(scheduler: scheduler) {
      let xs = scheduler.createHotObservable([.next(210, 1), .error(220, Oops.first)])
      let res = scheduler.start { xs.asDriver(onErrorJustReturn: 9) }
      XCTAssertEqual(res.events, [.next(211, 1), .next(221, 9), .completed(221)])
    }
  }

  func testEventsWithAPredicate() {
    let xs = scheduler.createHotObservable([.next(210, 1), .error(220, Oops.first)])
    let res = scheduler.start { xs.asObservable() }
    XCTAssertEqual(res.events.map { $0.time }, [210, 220])
    XCTAssertEqual(res.events.compactMap { $0.value.element }, [1])
  }

  func testSeedIdioms() {
    let names: any Sample.Type = OlderNames.self
    XCTAssertEqual(names.variable(), [1, 2, 2, -1])
    var seen: [[Int]] = []
    for sequence in names.all(.just(1)) {
      var elements: [Int] = []
      sequence.subscribe(onNext: { elements.append($0) }).disposed(by: disposeBag)
      seen.append(elements)
    }
    XCTAssertEqual(seen, [[1], [1], [1], [1], [1], [], [], [1], [1], [1], [1]])
  }

  func testAViewOfTheSeeds() {
    let view = ContentsView()
    view.load()
    XCTAssertEqual(view.title, "0")
    XCTAssertEqual(view.label.text, "0")
    view.text.changes.accept("hello")
    view.button.taps.accept(())
    XCTAssertEqual(view.title, "1")
    XCTAssertEqual(view.detail, "tapped")
    XCTAssertEqual(view.posted, 1)
  }
}

enum Oops: Error {
  case first
  case second
}
