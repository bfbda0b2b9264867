// SPDX-License-Identifier: Apache-2.0

import Dispatch
import MusubiRx
import MusubiTesting
import Testing

extension ReactiveCore {
  @Suite struct `Driver and Signal` {
    @Test(arguments: sharedRows { $0.asDriver(onErrorJustReturn: -1) }) func `a driver's operators`(row: Row)
    {
      row.check()
    }
    @Test(arguments: sharedRows { $0.asSignal(onErrorJustReturn: -1) }) func `a signal's operators`(row: Row)
    {
      row.check()
    }
    @Test(arguments: timedRows) func `operators that know time, on a mocked scheduler`(row: Row) {
      row.check()
    }
    @Test(arguments: conversionRows) func `from other sequences`(row: Row) { row.check() }

    @Test func `a driver replays its latest, a signal nothing, while somebody listens`() {
      let source = PublishSubject<Int>()
      let driver = source.asDriver(onErrorJustReturn: -1)
      let signal = source.asSignal(onErrorJustReturn: -1)
      let early = [driver.drive(), signal.emit()]
      source.onNext(1)
      source.onNext(2)
      #expect(immediate(driver) == "2")
      #expect(immediate(signal) == "")
      for subscription in early { subscription.dispose() }
      #expect(!source.hasObservers)
      #expect(immediate(driver) == "")
    }

    @Test func `all subscribers share one subscription`() {
      var subscriptions = 0
      let source = PublishSubject<Int>()
      let counted = Observable<Int>.deferred {
        subscriptions += 1
        return source.asObservable()
      }
      let driver = counted.asDriver(onErrorJustReturn: -1)
      let signal = counted.asSignal(onErrorJustReturn: -1)
      let all = [driver.drive(), driver.drive(), signal.emit(), signal.emit()]
      #expect(subscriptions == 2)
      for subscription in all { subscription.dispose() }
      driver.drive().dispose()
      #expect(subscriptions == 3)
    }

    @Test func `a chain of operators is shared at its end too`() {
      var mapped = 0
      let relay = BehaviorRelay(value: 1)
      let driver = relay.asDriver().map { (element: Int) -> Int in
        mapped += 1
        return element * 2
      }
      let all = [driver.drive(), driver.drive(), driver.drive()]
      relay.accept(2)
      #expect(mapped == 2)
      for subscription in all { subscription.dispose() }
    }

    @Test func `drive feeds observers and relays, of optionals too`() {
      let source = BehaviorRelay(value: 1)
      let driver = source.asDriver()
      let behavior = BehaviorRelay(value: 0)
      let optional = BehaviorRelay<Int?>(value: nil)
      let replay = ReplayRelay<Int>.create(bufferSize: 9)
      let publish = PublishRelay<Int?>()
      let subject = ReplaySubject<Int>.createUnbounded()
      let all = [
        driver.drive(behavior), driver.drive(optional), driver.drive(replay), driver.drive(publish),
        driver.drive(subject),
      ]
      source.accept(2)
      #expect(behavior.value == 2)
      #expect(optional.value == 2)
      #expect(immediate(replay) == "1 2")
      #expect(immediate(subject) == "1 2")
      for subscription in all { subscription.dispose() }
    }

    @Test func `emit feeds observers and relays, of optionals too`() {
      let source = PublishRelay<Int>()
      let signal = source.asSignal()
      let behavior = BehaviorRelay(value: 0)
      let optional = BehaviorRelay<Int?>(value: nil)
      let replay = ReplayRelay<Int?>.create(bufferSize: 9)
      let subject = ReplaySubject<Int>.createUnbounded()
      let all = [
        signal.emit(to: behavior), signal.emit(to: optional), signal.emit(to: replay),
        signal.emit(to: subject),
      ]
      source.accept(1)
      source.accept(2)
      #expect(behavior.value == 2)
      #expect(optional.value == 2)
      #expect(immediate(replay) == "Optional(1) Optional(2)")
      #expect(immediate(subject) == "1 2")
      for subscription in all { subscription.dispose() }
    }

    @Test func `one driver may drive several targets at once`() {
      let first = BehaviorRelay(value: 0)
      let second = BehaviorRelay(value: 0)
      Driver.just(5).drive(first, second).dispose()
      Signal.just(6).emit(to: first).dispose()
      #expect(first.value == 6)
      #expect(second.value == 5)
    }

    @Test func `drive with an object does not keep it`() {
      let relay = BehaviorRelay(value: 1)
      var object: Log? = Log()
      weak let watched = object
      let log = Log()
      let subscriptions = object.map { object in
        [
          relay.asDriver().drive(with: object, onNext: { _, element in log.note("d\(element)") }),
          relay.asSignal().emit(with: object, onNext: { _, element in log.note("e\(element)") }),
        ]
      }
      object = nil
      relay.accept(2)
      #expect(watched == nil)
      #expect(log.text.hasPrefix("d1"))
      #expect(!log.text.contains("2"))
      for subscription in subscriptions ?? [] { subscription.dispose() }
    }

    @Test func `drive with a transformation hands the observable over`() {
      let count = Driver.of(1, 2, 3).drive { (source: Observable<Int>) in immediate(source) }
      #expect(count == "1 2 3 |")
      func curried(_ source: Observable<Int>) -> (String) -> String { { immediate(source) + $0 } }
      #expect(Driver.of(1, 2).drive(curried, curriedArgument: "!") == "1 2 |!")
    }

    @Test func `the closures of drive and emit`() {
      let log = Log()
      Driver.just(1).drive(
        onNext: { log.note("n\($0)") }, onCompleted: { log.note("c") }, onDisposed: { log.note("d") }
      ).dispose()
      Signal.just(2).emit(
        onNext: { log.note("n\($0)") }, onCompleted: { log.note("c") }, onDisposed: { log.note("d") }
      ).dispose()
      #expect(log.text == "n1 c d n2 c d")
    }

    @Test func `creation`() {
      #expect(immediate(Driver.just(1)) == "1 |")
      #expect(immediate(Driver<Int>.empty()) == "|")
      #expect(immediate(Driver<Int>.never()) == "")
      #expect(immediate(Driver.of(1, 2)) == "1 2 |")
      #expect(immediate(Driver.from([1, 2])) == "1 2 |")
      #expect(immediate(Driver.from(optional: Int?.none)) == "|")
      #expect(immediate(Driver.deferred { Driver.just(4) }) == "4 |")
      #expect(immediate(Signal.just(1)) == "1 |")
      #expect(immediate(Signal<Int>.empty()) == "|")
      #expect(immediate(Signal<Int>.never()) == "")
      #expect(immediate(Signal.of(1, 2)) == "1 2 |")
      #expect(immediate(Signal.from(1...2)) == "1 2 |")
      #expect(immediate(Signal.from(optional: 3)) == "3 |")
      #expect(immediate(Signal.deferred { Signal.just(4) }) == "4 |")
    }

    @Test func `joining`() {
      let one = Driver.just(1)
      #expect(immediate(Driver.concat([one, Driver.just(2)])) == "1 2 |")
      #expect(immediate(Driver.merge(one, Driver.just(2))) == "1 2 |")
      #expect(immediate(Driver.merge([one, Driver.just(2)])) == "1 2 |")
      #expect(immediate(Driver.combineLatest(one, Driver.just(2)) { $0 + $1 }) == "3 |")
      #expect(immediate(Driver.combineLatest(one, one, one) { $0 + $1 + $2 }) == "3 |")
      #expect(immediate(Driver.combineLatest(one, Driver.just("a"))) == "(1,\"a\") |")
      #expect(immediate(Driver.combineLatest(Activity(), one) { $0 ? $1 : 0 }) == "1 |")
      #expect(immediate(Driver.combineLatest(one, Activity())) == "(1,true) |")
      #expect(immediate(Driver.zip(one, Activity()) { $1 ? $0 : 0 }) == "1 |")
      #expect(immediate(Driver.zip(Activity(), one)) == "(true,1) |")
      #expect(immediate(Driver.combineLatest([one, one]) { $0.count }) == "2 |")
      #expect(immediate(Driver.combineLatest([one, one])) == "[1,1] |")
      #expect(immediate(Driver.zip(one, Driver.of(5, 6)) { $0 + $1 }) == "6 |")
      #expect(immediate(Driver.zip([one, one]) { $0.count }) == "2 |")
      #expect(immediate(Driver.zip(one, one, one, one) { $0 + $1 + $2 + $3 }) == "4 |")
      #expect(immediate(Signal.zip(Signal.just(1), Signal.just(2)) { $0 + $1 }) == "3 |")
      #expect(immediate(Signal.combineLatest(Signal.just(1), Signal.just(2)) { $0 + $1 }) == "3 |")
      #expect(immediate(Signal.merge(Signal.just(1), Signal.just(2))) == "1 2 |")
    }

    @Test func `control events and properties as drivers and signals`() {
      let taps = PublishSubject<Int>()
      let event = ControlEvent(events: taps)
      let log = Log()
      let all = [
        event.asDriver().drive(onNext: { log.note("d\($0)") }),
        event.asSignal().emit(onNext: { log.note("s\($0)") }),
      ]
      taps.onNext(1)
      #expect(log.text == "d1 s1")
      for subscription in all { subscription.dispose() }
    }
  }
}

/// A shared sequence of the first source, whose times a mocked scheduler gives: one tick later than the source.
private func mocked<Result>(_ lab: Lab, _ make: (Observable<Int>) -> Result) -> Result? {
  var result: Result?
  SharingScheduler.mock(scheduler: lab.scheduler) { result = make(lab.a) }
  return result
}

@Rows private var timedRows: [Row] {
  Row("a driver moves events to its scheduler", "210:1 220:2 250|", gives: "211:1 221:2 251|") {
    mocked($0) { $0.asDriver(onErrorJustReturn: -1) } ?? .never()
  }
  Row("a signal moves events to its scheduler", "210:1 220:2 250|", gives: "211:1 221:2 251|") {
    mocked($0) { $0.asSignal(onErrorJustReturn: -1) } ?? .never()
  }
  Row("a driver's delay", "210:1 250|", gives: "231:1 271|") {
    mocked($0) { $0.asDriver(onErrorJustReturn: -1).delay(.seconds(20)) } ?? .never()
  }
  Row("a driver's debounce", "210:1 215:2 250|", gives: "236:2 251|") {
    mocked($0) { $0.asDriver(onErrorJustReturn: -1).debounce(.seconds(20)) } ?? .never()
  }
  Row("a driver's throttle", "210:1 215:2 290|", gives: "211:1 231:2 291|") {
    mocked($0) { $0.asDriver(onErrorJustReturn: -1).throttle(.seconds(20)) } ?? .never()
  }
  Row("a signal's throttle without the latest", "210:1 215:2 290|", gives: "211:1 291|") {
    mocked($0) { $0.asSignal(onErrorJustReturn: -1).throttle(.seconds(20), latest: false) } ?? .never()
  }
  Row("a driver's interval", "", gives: "300:0 400:1", disposed: 450) {
    mocked($0) { _ in Driver<Int>.interval(.seconds(100)) } ?? .never()
  }
  Row("a signal's timer", "", gives: "250:0 350:1", disposed: 400) {
    mocked($0) { _ in Signal<Int>.timer(.seconds(50), period: .seconds(100)) } ?? .never()
  }
}

@Rows private var conversionRows: [Row] {
  Row("an error becomes an element", "210:1 220#", gives: "210:1 220:9 220|", subscribed: "200-220") {
    $0.a.asDriver(onErrorJustReturn: 9)
  }
  Row("an error becomes a driver", "210:1 220#", gives: "210:1 220:7 220:8 220|", subscribed: "200-220") {
    $0.a.asDriver(onErrorDriveWith: .of(7, 8))
  }
  Row("an error is recovered from", "210:1 220#b", gives: "210:1 220:b 220|", subscribed: "200-220") {
    $0.a.map { "\($0)" }.asDriver(onErrorRecover: { .just("\($0)") })
  }
  Row("signal: an error becomes an element", "210:1 220#", gives: "210:1 220:9 220|", subscribed: "200-220") {
    $0.a.asSignal(onErrorJustReturn: 9)
  }
  Row("signal: an error becomes a signal", "210:1 220#", gives: "210:1 220:7 220|", subscribed: "200-220") {
    $0.a.asSignal(onErrorSignalWith: .just(7))
  }
  Row("signal: an error is recovered from", "210:1 220#b", gives: "210:1 220:b 220|") {
    $0.a.map { "\($0)" }.asSignal(onErrorRecover: { .just("\($0)") })
  }
  Row("a driver as a signal", "210:1 220:2 250|", gives: "210:1 220:2 250|") {
    $0.a.asDriver(onErrorJustReturn: 9).asSignal(onErrorJustReturn: 9)
  }
  Row("a single as a driver", "210:1 250|", gives: "250:1 250|") {
    $0.a.asSingle().asDriver(onErrorJustReturn: 9)
  }
  Row("a failed single as a signal", "250#", gives: "250:9 250|") {
    $0.a.asSingle().asSignal(onErrorJustReturn: 9)
  }
  Row("an infallible as a driver", "210:1 220#", gives: "210:1 220:9 220|") {
    $0.a.asInfallible(onErrorJustReturn: 9).asDriver()
  }
}

/// What both kinds do the same way.
@Rows private func sharedRows<Strategy: SharingStrategyProtocol & SendableMetatype>(
  _ shared: @escaping @Sendable (Observable<Int>) -> SharedSequence<Strategy, Int>
) -> [Row] {
  Row("events pass", "150:9 210:1 220:2 250|", gives: "210:1 220:2 250|", subscribed: "200-250") {
    shared($0.a)
  }
  Row("never", "150:9", gives: "", subscribed: "200-1000") { shared($0.a) }
  Row("a disposal", "210:1 220:2", gives: "210:1", subscribed: "200-215", disposed: 215) { shared($0.a) }
  Row("an error is gone", "210:1 220#", gives: "210:1 220:-1 220|", subscribed: "200-220") { shared($0.a) }
  Row("map", "210:1 250|", gives: "210:n1 250|", subscribed: "200-250") { shared($0.a).map { "n\($0)" } }
  Row("compactMap", "210:1 220:2 250|", gives: "220:2 250|") {
    shared($0.a).compactMap { $0 == 1 ? nil : $0 }
  }
  Row("filter", "210:1 220:2 250|", gives: "220:2 250|") { shared($0.a).filter { $0 == 2 } }
  Row("flatMapLatest", "210:1 220:2 250|", "212:1 222:2 230:3 260|", gives: "212:1 222:2 230:3 260|") { lab in
    shared(lab.a).flatMapLatest { _ in shared(lab.b) }
  }
  Row(
    "flatMapFirst", "210:1 220:2 250|", "215:5 230:6 240|", gives: "215:5 230:6 250|",
    subscribed: "200-250; 210-240"
  ) { lab in shared(lab.a).flatMapFirst { _ in shared(lab.b) } }
  Row("flatMap", "210:1 220:2 250|", "230:5 260|", gives: "230:5 230:5 260|") { lab in
    shared(lab.a).flatMap { _ in shared(lab.b) }
  }
  Row("switchLatest", "210:1 250|", "230:5 260|", gives: "230:5 260|") { lab in
    shared(lab.a).map { _ in shared(lab.b) }.switchLatest()
  }
  Row("merge of a sequence of sequences", "210:1 250|", "230:5 260|", gives: "230:5 260|") { lab in
    shared(lab.a).map { _ in shared(lab.b) }.merge()
  }
  Row("merge with a limit", "210:1 250|", "230:5 260|", gives: "230:5 260|") { lab in
    shared(lab.a).map { _ in shared(lab.b) }.merge(maxConcurrent: 1)
  }
  Row("merge of two", "210:1 250|", "230:5 260|", gives: "210:1 230:5 260|") { lab in
    SharedSequence.merge(shared(lab.a), shared(lab.b))
  }
  Row("concat", "210:1 250|", "230:5 260:6 270|", gives: "210:1 260:6 270|") { lab in
    SharedSequence.concat([shared(lab.a), shared(lab.b)])
  }
  Row("combineLatest", "210:1 250|", "230:5 240:6 260|", gives: "230:6 240:7 260|") { lab in
    SharedSequence.combineLatest(shared(lab.a), shared(lab.b)) { $0 + $1 }
  }
  Row("combineLatest of a collection", "210:1 250|", "230:5 260|", gives: "230:[1,5] 260|") { lab in
    SharedSequence.combineLatest([shared(lab.a), shared(lab.b)])
  }
  Row("zip", "210:1 220:2 250|", "230:5 240:6 260|", gives: "230:6 240:8 260|") { lab in
    SharedSequence.zip(shared(lab.a), shared(lab.b)) { $0 + $1 }
  }
  Row("zip of a collection", "210:1 250|", "230:5 260|", gives: "230:[1,5] 260|") { lab in
    SharedSequence.zip([shared(lab.a), shared(lab.b)])
  }
  Row("withLatestFrom", "210:1 240:2 250|", "230:5 260|", gives: "240:7 250|") { lab in
    shared(lab.a).withLatestFrom(shared(lab.b)) { $0 + $1 }
  }
  Row("withLatestFrom without a selector", "210:1 240:2 250|", "230:5 260|", gives: "240:5 250|") { lab in
    shared(lab.a).withLatestFrom(shared(lab.b))
  }
  Row("distinctUntilChanged", "210:1 220:1 230:2 250|", gives: "210:1 230:2 250|") {
    shared($0.a).distinctUntilChanged()
  }
  Row("distinctUntilChanged by a key", "210:1 220:3 230:2 250|", gives: "210:1 230:2 250|") {
    shared($0.a).distinctUntilChanged { $0 % 2 }
  }
  Row("distinctUntilChanged by a comparer", "210:1 220:1 250|", gives: "210:1 220:1 250|") {
    shared($0.a).distinctUntilChanged { (_: Int, _: Int) in false }
  }
  Row("distinctUntilChanged by both", "210:1 220:3 250|", gives: "210:1 250|") {
    shared($0.a).distinctUntilChanged({ $0 % 2 }, comparer: { $0 == $1 })
  }
  Row("scan", "210:1 220:2 250|", gives: "210:11 220:13 250|") { shared($0.a).scan(10) { $0 + $1 } }
  Row("skip", "210:1 220:2 250|", gives: "220:2 250|") { shared($0.a).skip(1) }
  Row("startWith", "210:1 250|", gives: "200:9 210:1 250|") { shared($0.a).startWith(9) }
  Row("do passes", "210:1 250|", gives: "210:1 250|") { shared($0.a).do(onNext: { _ in }, onCompleted: {}) }
  Row("asObservable", "210:1 250|", gives: "210:1 250|") { shared($0.a).asObservable() }
  Row("asSharedSequence", "210:1 250|", gives: "210:1 250|") { shared($0.a).asSharedSequence() }
  Row("map of an error's element", "220#", gives: "220:n-1 220|") { shared($0.a).map { "n\($0)" } }
  Row("compactMap to nothing", "210:1 220:2 250|", gives: "250|") {
    shared($0.a).compactMap { _ -> Int? in nil }
  }
  Row("filter passes nothing", "210:1 250|", gives: "250|") { shared($0.a).filter { _ in false } }
  Row("scan goes on with an error's element", "210:1 220#", gives: "210:11 220:10 220|") {
    shared($0.a).scan(10) { $0 + $1 }
  }
  Row("distinctUntilChanged drops an error's element like any", "210:1 220#", gives: "210:1 220|") {
    shared($0.a).distinctUntilChanged { abs($0) }
  }
  Row("skip more than there are", "210:1 250|", gives: "250|") { shared($0.a).skip(5) }
  Row("startWith before an error's element", "220#", gives: "200:9 220:-1 220|") {
    shared($0.a).startWith(9)
  }
  Row("flatMapLatest follows the newest", "210:1 230:2 250|", "220:5 240:6 260|", gives: "220:5 240:6 260|") {
    lab in shared(lab.a).flatMapLatest { _ in shared(lab.b) }
  }
  Row("merge of three", "210:1 250|", "220:2 260|", "230:3 270|", gives: "210:1 220:2 230:3 270|") { lab in
    SharedSequence.merge([shared(lab.a), shared(lab.b), shared(lab.c)])
  }
  Row("merge goes on after an error of one", "210:1 220#", "230:5 260|", gives: "210:1 220:-1 230:5 260|") {
    lab in SharedSequence.merge(shared(lab.a), shared(lab.b))
  }
  Row("concat goes on after an error", "210:1 220#", "230:5 260|", gives: "210:1 220:-1 230:5 260|") { lab in
    SharedSequence.concat([shared(lab.a), shared(lab.b)])
  }
  Row("combineLatest of three", "210:1 270|", "220:2 270|", "230:3 270|", gives: "230:6 270|") { lab in
    SharedSequence.combineLatest(shared(lab.a), shared(lab.b), shared(lab.c)) { $0 + $1 + $2 }
  }
  Row("zip ends when both sources have", "210:1 220|", "230:5 240:6 260|", gives: "230:6 260|") {
    lab in SharedSequence.zip(shared(lab.a), shared(lab.b)) { $0 + $1 }
  }
  Row("withLatestFrom before the second delivers", "210:1 250|", "", gives: "250|") { lab in
    shared(lab.a).withLatestFrom(shared(lab.b)) { $0 + $1 }
  }
}

/// Something that is a driver by its own type, as an activity indicator is.
private struct Activity: SharedSequenceConvertibleType {
  typealias Element = Bool
  typealias SharingStrategy = DriverSharingStrategy

  func asSharedSequence() -> Driver<Bool> { .just(true) }
}
