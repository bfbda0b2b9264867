// SPDX-License-Identifier: Apache-2.0

import MusubiRx
import Testing

extension ReactiveCore {
  @Suite struct `Depth, re-entrance and misuse` {
    @Test func `a sequence that concatenates itself does not grow the stack`() {
      func loop(_ element: Int) -> Observable<Int> {
        Observable.just(element).concat(Observable.deferred { loop(element + 1) })
      }
      var last = 0
      _ = loop(1).take(2_000).subscribe(onNext: { last = $0 })
      #expect(last == 2_000)
    }

    @Test func `attempts that fail at once are repeated by a loop`() {
      var attempts = 0
      let source = Observable<Int>.deferred {
        attempts += 1
        return attempts % 50_000 == 0 ? .just(attempts) : .error(TestError.a)
      }
      #expect(immediate(source.retry()) == "50000 |")
      #expect(immediate(source.retry(50_000)) == "100000 |")
      #expect(immediate(source.retry(when: { (errors: Observable<any Error>) in errors })) == "150000 |")
      let triggered = source.retry(when: { (errors: Observable<any Error>) in
        errors.flatMapLatest { _ in Observable.just(()) }
      })
      #expect(immediate(triggered) == "200000 |")
      #expect(immediate(source.share().retry()) == "250000 |")
    }

    @Test func `sequences that end at once are followed by a loop`() {
      var count = 0
      let many = 50_000
      let tally: (Int) -> Void = { _ in count += 1 }
      _ = Observable.concat((0..<many).lazy.map { Observable.just($0) }).subscribe(onNext: tally)
      #expect(count == many)
      let gate = PublishSubject<Int>()
      _ = Observable.from(0..<many).concatMap { $0 == 0 ? gate.asObservable() : .just($0) }
        .subscribe(onNext: tally)
      gate.onCompleted()
      #expect(count == 2 * many - 1)
      let failing = (0..<many).lazy.map { _ in Observable<Int>.error(TestError.b) }
      #expect(immediate(Observable.catch(sequence: failing)) == "#b")
    }

    @Test func `a concatenation within a concatenation takes its place`() {
      func numbers(from start: Int) -> Observable<Int> {
        Observable.concat([0, 1].lazy.map { $0 == 0 ? .just(start) : numbers(from: start + 1) })
      }
      var last = -1
      _ = numbers(from: 0).take(10_000).subscribe(onNext: { last = $0 })
      #expect(last == 9_999)
      let nested = Observable.concat(.just(1), .concat(.just(2), .empty()), .concat([]), .just(3))
      #expect(immediate(nested) == "1 2 3 |")
    }

    @Test func `a subject that goes leaves its observers able to be disposed`() {
      let log = Log()
      var relay: BehaviorRelay<Int>? = BehaviorRelay(value: 1)
      let subscriptions = relay.map { relay in
        [
          relay.subscribe(onNext: { log.note("\($0)") }, onDisposed: { log.note("a") }),
          relay.map { $0 + 1 }.subscribe(onNext: { log.note("\($0)") }, onDisposed: { log.note("b") }),
        ]
      }
      relay = nil
      for subscription in subscriptions ?? [] { subscription.dispose() }
      #expect(log.text == "1 2 a b")
    }

    @Test func `a disposal within an element lets the closures go once the element is over`() {
      let subject = PublishSubject<Int>()
      let handle = SerialDisposable()
      weak var watched: Log?
      do {
        let log = Log()
        watched = log
        handle.disposable = subject.subscribe(onNext: { element in
          handle.dispose()
          log.note("\(element)")
        })
      }
      #expect(watched != nil)
      subject.onNext(1)
      #expect(watched == nil)
    }

    @Test func `a chain of a thousand stages works and goes`() {
      var source: Observable<Int> = .just(0)
      for _ in 0..<1_000 { source = source.map { $0 + 1 } }
      #expect(immediate(source) == "1000 |")
    }

    @Test func `many inner sequences at once`() {
      var count = 0
      _ = Observable.from(0..<10_000).flatMap { Observable.just($0) }.subscribe(onNext: { _ in count += 1 })
      _ = Observable.from(0..<10_000).flatMapLatest { Observable.just($0) }.subscribe(onNext: { _ in
        count += 1
      })
      #expect(count == 20_000)
    }

    @Test func `a relay that its own subscriber sets again settles`() {
      let relay = BehaviorRelay(value: 5)
      var seen: [Int] = []
      let subscription = relay.subscribe(onNext: { [unowned relay] element in
        seen.append(element)
        if element > 0 { relay.accept(element - 1) }
      })
      #expect(seen == [5, 4, 3, 2, 1, 0])
      #expect(relay.value == 0)
      subscription.dispose()
    }

    @Test func `a disposal from within any stage stops at once`() {
      let stages: [(Observable<Int>) -> Observable<Int>] = [
        { $0.map { $0 } }, { $0.filter { _ in true } }, { $0.scan(0) { $0 + $1 } },
        { $0.distinctUntilChanged() },
        { $0.startWith(0).skip(1) }, { $0.do(onNext: { _ in }) }, { $0.share() }, { $0.share(replay: 1) },
        { $0.flatMap { Observable.just($0) } }, { $0.flatMapLatest { Observable.just($0) } },
        { $0.concatMap { Observable.just($0) } }, { Observable.merge($0, .never()) },
        { Observable.combineLatest($0, Observable.just(0)) { $0 + $1 } }, { $0.withLatestFrom($0) },
        { $0.take(100) }, { $0.catchAndReturn(0) }, { $0.retry() }, { $0.publish().refCount() },
        { $0.asDriver(onErrorJustReturn: 0).asObservable() }, { $0.materialize().dematerialize() },
      ]
      for (index, stage) in stages.enumerated() {
        let subject = PublishSubject<Int>()
        let serial = SerialDisposable()
        var seen = 0
        serial.disposable = stage(subject.asObservable()).subscribe(onNext: { _ in
          seen += 1
          serial.dispose()
        })
        subject.onNext(1)
        subject.onNext(2)
        #expect(seen == 1, "stage \(index)")
        #expect(!subject.hasObservers, "stage \(index)")
      }
    }

    @Test func `an end from within an element comes after it, in every stage`() {
      let stages: [(Observable<Int>) -> Observable<Int>] = [
        { $0.map { $0 } }, { $0.scan(0) { $0 + $1 } }, { $0.distinctUntilChanged() }, { $0.share() },
        { $0.flatMap { Observable.just($0) } }, { Observable.merge($0, .empty()) }, { $0.take(100) },
        { $0.asDriver(onErrorJustReturn: 0).asObservable() }, { $0.do(onNext: { _ in }) }, { $0.retry() },
      ]
      for (index, stage) in stages.enumerated() {
        let subject = PublishSubject<Int>()
        let log = Log()
        let subscription = stage(subject.asObservable()).subscribe { event in
          log.note(Script.text(event))
          if event.element == 1 { subject.onCompleted() }
        }
        subject.onNext(1)
        subject.onNext(2)
        #expect(log.text == "1 |", "stage \(index)")
        subscription.dispose()
      }
    }
  }
}
