// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import MusubiRx
import MusubiTesting
import Testing

extension ReactiveCore {
  @Suite(.timeLimit(.minutes(5))) struct `Schedulers` {
    @Test func `virtual time runs work in the order of its time, then of its scheduling`() {
      let scheduler = TestScheduler(initialClock: 0)
      let log = Log()
      for (time, name) in [(30, "c"), (10, "a"), (20, "b"), (10, "A")] {
        scheduler.scheduleAt(time) { log.note("\(name)\(scheduler.clock)") }
      }
      scheduler.start()
      #expect(log.text == "a10 A10 b20 c30")
    }

    @Test func `time may be moved bit by bit`() {
      let scheduler = TestScheduler(initialClock: 0)
      let log = Log()
      for time in [10, 20, 30] { scheduler.scheduleAt(time) { log.note("\(time)") } }
      scheduler.advanceTo(20)
      #expect(log.text == "10 20")
      #expect(scheduler.clock == 20)
      scheduler.advanceTo(25)
      #expect(log.text == "10 20")
      #expect(scheduler.clock == 25)
      scheduler.start()
      #expect(log.text == "10 20 30")
    }

    @Test func `work that was disposed does not run`() {
      let scheduler = TestScheduler(initialClock: 0)
      let log = Log()
      let work = scheduler.scheduleRelative((), dueTime: .seconds(10)) { _ in
        log.note("ran")
        return Disposables.create()
      }
      work.dispose()
      scheduler.start()
      #expect(log.text == "")
    }

    @Test func `stop leaves the rest for the next start`() {
      let scheduler = TestScheduler(initialClock: 0)
      let log = Log()
      scheduler.scheduleAt(10) { [unowned scheduler] in
        log.note("a")
        scheduler.stop()
      }
      scheduler.scheduleAt(20) { log.note("b") }
      scheduler.start()
      #expect(log.text == "a")
      scheduler.start()
      #expect(log.text == "a b")
    }

    @Test func `a record goes on until it is told to end, or its source does`() {
      let scheduler = TestScheduler(initialClock: 0)
      let source = scheduler.createHotObservable([.next(500, 1), .next(5000, 2), .completed(6000)])
      let (all, first) = (scheduler.record(source), scheduler.record(source, until: 1000))
      scheduler.start()
      #expect(Script.text(all.events) == "500:1 5000:2 6000|")
      #expect(Script.text(first.events) == "500:1")
    }

    @Test func `periodic work carries its state`() {
      let scheduler = TestScheduler(initialClock: 0)
      let log = Log()
      let work = scheduler.schedulePeriodic(0, startAfter: .seconds(5), period: .seconds(10)) {
        (state: Int) -> Int in
        log.note("\(state)@\(scheduler.clock)")
        return state + 1
      }
      scheduler.advanceTo(30)
      work.dispose()
      scheduler.start()
      #expect(log.text == "0@5 1@15 2@25")
    }

    @Test func `recursive work runs again until it stops`() {
      let scheduler = TestScheduler(initialClock: 0)
      var seen: [Int] = []
      let work = scheduler.scheduleRecursive(3) { (state: Int, again: (Int) -> Void) in
        seen.append(state)
        if state > 0 { again(state - 1) }
      }
      scheduler.start()
      work.dispose()
      #expect(seen == [3, 2, 1, 0])
    }

    @Test func `recursive work on the current thread does not grow the stack`() {
      var count = 0
      let work = CurrentThreadScheduler.instance.scheduleRecursive(50_000) {
        (state: Int, again: (Int) -> Void) in
        count += 1
        if state > 1 { again(state - 1) }
      }
      work.dispose()
      #expect(count == 50_000)
    }

    @Test func `the current thread queues work that is scheduled within`() {
      let log = Log()
      #expect(CurrentThreadScheduler.isScheduleRequired)
      _ = CurrentThreadScheduler.instance.schedule(()) { _ in
        log.note("a")
        _ = CurrentThreadScheduler.instance.schedule(()) { _ in
          log.note("c")
          return Disposables.create()
        }
        log.note("b")
        #expect(!CurrentThreadScheduler.isScheduleRequired)
        return Disposables.create()
      }
      #expect(log.text == "a b c")
      #expect(CurrentThreadScheduler.isScheduleRequired)
    }

    @Test func `historical time is a date`() {
      let scheduler = HistoricalScheduler(initialClock: Date(timeIntervalSince1970: 100))
      var times: [Double] = []
      for offset in [20, 10] {
        _ = scheduler.scheduleRelative((), dueTime: .seconds(offset)) { _ in
          times.append(scheduler.now.timeIntervalSince1970)
          return Disposables.create()
        }
      }
      scheduler.start()
      #expect(times == [110, 120])
    }

    @Test func `work for the present runs a tick later`() {
      let scheduler = TestScheduler(initialClock: 10)
      var ran = 0
      _ = scheduler.schedule(()) { _ in
        ran = scheduler.clock
        return Disposables.create()
      }
      scheduler.start()
      #expect(ran == 11)
    }

    @Test func `without a processing delay it runs now`() {
      let scheduler = TestScheduler(initialClock: 10, simulateProcessingDelay: false)
      var ran = 0
      _ = scheduler.schedule(()) { _ in
        ran = scheduler.clock
        return Disposables.create()
      }
      scheduler.start()
      #expect(ran == 10)
    }

    @Test func `a serial queue delivers all elements in order`() async throws {
      let scheduler = SerialDispatchQueueScheduler(internalSerialQueueName: "serial")
      var seen: [Int] = []
      for try await element in Observable.from(1...200).observe(on: scheduler).values { seen.append(element) }
      #expect(seen == Array(1...200))
    }

    @Test func `a concurrent queue delivers one element at a time, in order`() async throws {
      let scheduler = ConcurrentDispatchQueueScheduler(qos: .default)
      var seen: [Int] = []
      for try await element in Observable.from(1...200).observe(on: scheduler).values { seen.append(element) }
      #expect(seen == Array(1...200))
    }

    @Test func `a subscription may be made on a queue`() async throws {
      let scheduler = SerialDispatchQueueScheduler(qos: .default)
      let value = try await Single.just(1).subscribe(on: scheduler).map { $0 + 1 }.value
      #expect(value == 2)
    }
  }

  @Suite(.timeLimit(.minutes(5))) struct `Async bridges and Infallible` {
    @Test func `values end with the sequence`() async throws {
      var seen: [Int] = []
      for try await element in Observable.of(1, 2, 3).values { seen.append(element) }
      #expect(seen == [1, 2, 3])
    }

    @Test func `values throw the sequence's error`() async {
      await #expect(throws: TestError.b) {
        for try await _ in Observable.of(1).concat(Observable.error(TestError.b)).values {}
      }
    }

    @Test func `a single's, a maybe's and a completable's value`() async throws {
      #expect(try await Single.just(1).value == 1)
      #expect(try await Maybe.just(1).value == 1)
      #expect(try await Maybe<Int>.empty().value == nil)
      try await Completable.empty().value
      await #expect(throws: TestError.a) { try await Single<Int>.error(TestError.a).value }
      await #expect(throws: TestError.a) { try await Completable.error(TestError.a).value }
    }

    @Test(arguments: infallibleRows) func `infallible's operators`(row: Row) { row.check() }

    @Test func `infallible is created and subscribed to`() {
      let log = Log()
      let created = Infallible<Int>.create { observer in
        observer(.next(1))
        observer(.completed)
        observer(.next(2))
        return Disposables.create()
      }
      created.subscribe(onNext: { log.note("n\($0)") }, onCompleted: { log.note("c") }).dispose()
      #expect(log.text == "n1 c")
      #expect(immediate(Infallible.of(1, 2)) == "1 2 |")
      #expect(immediate(Infallible.from(optional: Int?.none)) == "|")
      #expect(immediate(Infallible.merge(.just(1), .just(2))) == "1 2 |")
      #expect(immediate(Infallible.concat(.just(1), .just(2))) == "1 2 |")
      #expect(
        immediate(Infallible.combineLatest(Infallible.just(1), Infallible.just(2)) { $0 + $1 }) == "3 |")
      #expect(immediate(Infallible.zip(Infallible.just(1), Infallible.just(2)) { $0 + $1 }) == "3 |")
      let relay = BehaviorRelay(value: 0)
      Infallible.just(4).bind(to: relay).dispose()
      #expect(relay.value == 4)
    }
  }
}

@Rows private var infallibleRows: [Row] {
  Row("an error becomes an element", "210:1 220#", gives: "210:1 220:9 220|") {
    $0.a.asInfallible(onErrorJustReturn: 9)
  }
  Row("an error becomes another", "210:1 220#", gives: "210:1 220:7 220|") {
    $0.a.asInfallible(onErrorFallbackTo: .just(7))
  }
  Row("an error is recovered from", "210:1 220#", gives: "210:1 220:7 220|") {
    $0.a.asInfallible(onErrorRecover: { _ in .just(7) })
  }
  Row("map and filter", "210:1 220:2 250|", gives: "220:20 250|") {
    $0.a.asInfallible(onErrorJustReturn: 9).filter { $0 > 1 }.map { $0 * 10 }
  }
  Row("flatMapLatest", "210:1 220:2 250|", gives: "210:1 220:2 250|") {
    $0.a.asInfallible(onErrorJustReturn: 9).flatMapLatest { Infallible.just($0) }
  }
  Row("scan, skip and take", "210:1 220:2 230:3 250|", gives: "220:3 230:6 230|", subscribed: "200-230") {
    $0.a.asInfallible(onErrorJustReturn: 9).scan(0) { $0 + $1 }.skip(1).take(2)
  }
  Row("share and distinctUntilChanged", "210:1 220:1 250|", gives: "210:1 250|") {
    $0.a.asInfallible(onErrorJustReturn: 9).distinctUntilChanged().share()
  }
  Row("delay", "210:1 250|", gives: "220:1 260|") {
    $0.a.asInfallible(onErrorJustReturn: 9).delay(.seconds(10), scheduler: $0.scheduler)
  }
}
