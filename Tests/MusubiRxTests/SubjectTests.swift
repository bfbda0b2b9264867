// SPDX-License-Identifier: Apache-2.0

import MusubiRx
import MusubiTesting
import Testing

extension ReactiveCore {
  @Suite(.timeLimit(.minutes(5))) struct `Subjects and relays` {
    @Test(arguments: subjectRows) func `fed in virtual time`(row: Row) { row.check() }

    @Test func `hasObservers follows the observers`() {
      let subject = PublishSubject<Int>()
      #expect(!subject.hasObservers)
      let first = subject.subscribe()
      let second = subject.subscribe()
      first.dispose()
      #expect(subject.hasObservers)
      second.dispose()
      #expect(!subject.hasObservers)
    }

    @Test func `an end lets the observers go`() {
      let subjects: [PublishSubject<Int>] = [PublishSubject(), PublishSubject()]
      let subscriptions = subjects.map { $0.subscribe(onError: { _ in }) }
      subjects[0].onCompleted()
      subjects[1].onError(TestError.a)
      #expect(!subjects[0].hasObservers && !subjects[1].hasObservers)
      for subscription in subscriptions { subscription.dispose() }
    }

    @Test func `nothing follows an end`() {
      let subject = PublishSubject<Int>()
      let log = Log()
      let subscription = subject.subscribe(log.observer())
      subject.onNext(1)
      subject.onCompleted()
      subject.onNext(2)
      subject.onError(TestError.a)
      subject.onCompleted()
      #expect(log.text == "1 |")
      #expect(immediate(subject) == "|")
      subscription.dispose()
    }

    @Test func `a disposed subject fails new observers and tells old ones nothing`() {
      let log = Log()
      let publish = PublishSubject<Int>()
      let subscription = publish.subscribe(log.observer())
      publish.dispose()
      publish.onNext(1)
      #expect(log.text == "")
      #expect(publish.isDisposed)
      #expect(immediate(publish) == "#disposed")
      let behavior = BehaviorSubject(value: 1)
      behavior.dispose()
      #expect(immediate(behavior) == "#disposed")
      let error = #expect(throws: RxError.self) { try behavior.value() }
      #expect(error.map { Script.text($0) } == "disposed")
      let replay = ReplaySubject<Int>.create(bufferSize: 1)
      replay.dispose()
      #expect(immediate(replay) == "#disposed")
      subscription.dispose()
    }

    @Test func `a behavior subject tells its value until it fails`() throws {
      let subject = BehaviorSubject(value: 1)
      #expect(try subject.value() == 1)
      subject.onNext(2)
      #expect(try subject.value() == 2)
      subject.onError(TestError.b)
      #expect(throws: TestError.b) { try subject.value() }
    }

    @Test func `a behavior subject keeps its value after it completed`() throws {
      let subject = BehaviorSubject(value: 1)
      subject.onNext(2)
      subject.onCompleted()
      #expect(try subject.value() == 2)
    }

    @Test(arguments: [1, 2, 5]) func `a replay subject keeps no more than its size`(size: Int) {
      let subject = ReplaySubject<Int>.create(bufferSize: size)
      for element in 1...10 { subject.onNext(element) }
      let expected = (1...10).suffix(size).map(String.init).joined(separator: " ")
      #expect(immediate(subject) == expected)
    }

    @Test func `an element sent from within a delivery reaches everyone`() {
      let subject = PublishSubject<Int>()
      let log = Log()
      let first = subject.subscribe { event in
        log.note("a" + Script.text(event))
        if event.element == 1 { subject.onNext(2) }
      }
      let second = subject.subscribe(log.observer("b"))
      subject.onNext(1)
      #expect(log.text == "a1 a2 b2 b1")
      first.dispose()
      second.dispose()
    }

    @Test
    func `a subject ended from within a delivery tells the end to all, and the rest of the element to none`()
    {
      let subject = PublishSubject<Int>()
      let log = Log()
      let first = subject.subscribe { event in
        log.note("a" + Script.text(event))
        if event.element == 1 { subject.onCompleted() }
      }
      let second = subject.subscribe(log.observer("b"))
      subject.onNext(1)
      #expect(log.text.hasPrefix("a1 a| b|"))
      first.dispose()
      second.dispose()
    }

    @Test func `an async subject has ended when it tells its element`() {
      let subject = AsyncSubject<Int>()
      let log = Log()
      var late: (any Disposable)?
      let first = subject.subscribe { event in
        log.note("a" + Script.text(event))
        guard event.element != nil else { return }
        subject.onCompleted()
        late = subject.subscribe(log.observer("b"))
      }
      let second = subject.subscribe(log.observer("c"))
      subject.onNext(1)
      subject.onCompleted()

      #expect(log.text == "a1 b1 b| c1 a| c|")
      for subscription in [first, second, late] { subscription?.dispose() }
    }

    @Test func `a hundred observers come and go`() {
      let subject = PublishSubject<Int>()
      var total = 0
      var subscriptions = (0..<100).map { _ in subject.subscribe(onNext: { total += $0 }) }
      subject.onNext(1)
      for index in stride(from: 0, to: 100, by: 2) { subscriptions[index].dispose() }
      subject.onNext(1)
      subscriptions.append(subject.subscribe(onNext: { total += $0 }))
      subject.onNext(1)
      #expect(total == 100 + 50 + 51)
      for subscription in subscriptions { subscription.dispose() }
      #expect(!subject.hasObservers)
    }

    @Test func `asObserver feeds the subject`() {
      let publish = PublishSubject<Int>()
      let log = Log()
      let subscription = publish.subscribe(log.observer())
      publish.asObserver().onNext(1)
      AnyObserver(publish).onNext(2)
      Observable.of(3, 4).subscribe(publish).dispose()
      #expect(log.text == "1 2 3 4 |")
      subscription.dispose()
    }

    @Test func `mapObserver transforms its elements`() {
      let subject = PublishSubject<Int>()
      let log = Log()
      let subscription = subject.subscribe(log.observer())
      let texts: AnyObserver<String> = subject.mapObserver { (text: String) in
        guard let number = Int(text) else { throw TestError.b }
        return number
      }
      texts.onNext("4")
      texts.onNext("x")
      #expect(log.text == "4 #b")
      subscription.dispose()
    }

    @Test func `a publish relay tells only what comes later`() {
      let relay = PublishRelay<Int>()
      let log = Log()
      relay.accept(1)
      let subscription = relay.subscribe(log.observer())
      relay.accept(2)
      subscription.dispose()
      relay.accept(3)
      #expect(log.text == "2")
    }

    @Test func `a behavior relay has a value at any time`() {
      let relay = BehaviorRelay(value: 1)
      let log = Log()
      let subscription = relay.subscribe(log.observer())
      relay.accept(2)
      #expect(relay.value == 2)
      #expect(log.text == "1 2")
      subscription.dispose()
    }

    @Test(arguments: [(1, "3"), (2, "2 3"), (9, "1 2 3")])
    func `a replay relay keeps so many`(size: Int, expected: String) {
      let relay = ReplayRelay<Int>.create(bufferSize: size)
      for element in 1...3 { relay.accept(element) }
      #expect(immediate(relay) == expected)
    }

    @Test func `an unbounded replay relay keeps all`() {
      let relay = ReplayRelay<Int>.createUnbound()
      for element in 1...3 { relay.accept(element) }
      #expect(immediate(relay.asObservable()) == "1 2 3")
    }

    @Test func `a value is set before it is delivered`() {
      let relay = BehaviorRelay(value: 0)
      var seen: [Int] = []
      let subscription = relay.skip(1).subscribe(onNext: { [unowned relay] _ in seen.append(relay.value) })
      relay.accept(7)
      #expect(seen == [7])
      subscription.dispose()
    }

    @Test func `relays bind to relays`() {
      let source = BehaviorRelay(value: 1)
      let behavior = BehaviorRelay(value: 0)
      let optional = BehaviorRelay<Int?>(value: nil)
      let replay = ReplayRelay<Int>.create(bufferSize: 2)
      let subscriptions = [
        source.bind(to: behavior), source.bind(to: optional), source.bind(to: replay),
      ]
      source.accept(2)
      #expect(behavior.value == 2)
      #expect(optional.value == 2)
      #expect(immediate(replay) == "1 2")
      for subscription in subscriptions { subscription.dispose() }
    }
  }
}

/// A subject that the first source feeds from its creation at 100 on.
private func feed<Fed: ObserverType>(_ lab: Lab, _ subject: Fed) -> Fed where Fed.Element == Int {
  _ = lab.a.subscribe(subject)
  return subject
}

@Rows private var subjectRows: [Row] {
  Row("publish: what comes later", "110:1 150:2 210:3 220:4 250|", gives: "210:3 220:4 250|") {
    feed($0, PublishSubject<Int>())
  }
  Row("publish: an error", "150:2 210:3 250#b", gives: "210:3 250#b") { feed($0, PublishSubject<Int>()) }
  Row("publish: it ended before", "150:2 180|", gives: "200|") { feed($0, PublishSubject<Int>()) }
  Row("publish: it failed before", "150:2 180#b", gives: "200#b") { feed($0, PublishSubject<Int>()) }
  Row("publish: never", "150:2 1100|", gives: "") { feed($0, PublishSubject<Int>()) }
  Row("behavior: its first value", "210:3 250|", gives: "200:7 210:3 250|") {
    feed($0, BehaviorSubject(value: 7))
  }
  Row("behavior: its latest value", "110:1 150:2 210:3 250|", gives: "200:2 210:3 250|") {
    feed($0, BehaviorSubject(value: 7))
  }
  Row("behavior: an error", "150:2 250#", gives: "200:2 250#") { feed($0, BehaviorSubject(value: 7)) }
  Row("behavior: it ended before, so no value", "150:2 180|", gives: "200|") {
    feed($0, BehaviorSubject(value: 7))
  }
  Row("behavior: it failed before, so no value", "150:2 180#", gives: "200#") {
    feed($0, BehaviorSubject(value: 7))
  }
  Row("replay: its latest values", "110:1 150:2 160:3 210:4 250|", gives: "200:2 200:3 210:4 250|") {
    feed($0, ReplaySubject<Int>.create(bufferSize: 2))
  }
  Row("replay: fewer values than its size", "110:1 210:4 250|", gives: "200:1 210:4 250|") {
    feed($0, ReplaySubject<Int>.create(bufferSize: 9))
  }
  Row("replay: it ended before; values come first", "110:1 150:2 180|", gives: "200:2 200|") {
    feed($0, ReplaySubject<Int>.create(bufferSize: 1))
  }
  Row("replay: it failed before; values come first", "110:1 150:2 180#b", gives: "200:1 200:2 200#b") {
    feed($0, ReplaySubject<Int>.create(bufferSize: 2))
  }
  Row("replay: none", "110:1 150:2 210:3 1100|", gives: "210:3") {
    feed($0, ReplaySubject<Int>.create(bufferSize: 0))
  }
  Row("replay: all", "110:1 120:2 130:3 210:4 1100|", gives: "200:1 200:2 200:3 210:4") {
    feed($0, ReplaySubject<Int>.createUnbounded())
  }
  Row("async: only the last value, at the end", "110:1 210:2 220:3 250|", gives: "250:3 250|") {
    feed($0, AsyncSubject<Int>())
  }
  Row("async: empty", "250|", gives: "250|") { feed($0, AsyncSubject<Int>()) }
  Row("async: an error drops the value", "210:2 250#b", gives: "250#b") { feed($0, AsyncSubject<Int>()) }
  Row("async: never ended", "110:1 210:2 1100|", gives: "") { feed($0, AsyncSubject<Int>()) }
  Row("async: it ended before", "110:1 150|", gives: "200:1 200|") { feed($0, AsyncSubject<Int>()) }
  Row("async: it failed before", "110:1 150#", gives: "200#") { feed($0, AsyncSubject<Int>()) }
}
