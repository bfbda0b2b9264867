// SPDX-License-Identifier: Apache-2.0

import MusubiRx
import MusubiTesting
import Testing

extension ReactiveCore {
  @Suite struct `Creation` {
    @Test(arguments: creationRows) func `at which times`(row: Row) { row.check() }

    @Test func `at once`() {
      #expect(immediate(Observable.just(1)) == "1 |")
      #expect(immediate(Observable.of(1, 2, 3)) == "1 2 3 |")
      #expect(immediate(Observable.from([1, 2])) == "1 2 |")
      #expect(immediate(Observable.from(1...3)) == "1 2 3 |")
      #expect(immediate(Observable.from(Set([7]))) == "7 |")
      #expect(immediate(Observable.from(optional: Int?.some(4))) == "4 |")
      #expect(immediate(Observable.from(optional: Int?.none)) == "|")
      #expect(immediate(Observable<Int>.empty()) == "|")
      #expect(immediate(Observable<Int>.never()) == "")
      #expect(immediate(Observable<Int>.error(TestError.b)) == "#b")
      #expect(immediate(Observable.range(start: 3, count: 3)) == "3 4 5 |")
      #expect(immediate(Observable.range(start: 3, count: 0)) == "|")
      #expect(immediate(Observable.range(start: -1, count: 2)) == "-1 0 |")
      #expect(immediate(Observable.repeatElement("a").take(2)) == "a a |")
    }

    @Test func `generate iterates while the condition holds`() {
      let source = Observable.generate(initialState: 1, condition: { $0 < 20 }, iterate: { $0 * 3 })
      #expect(immediate(source) == "1 3 9 |")
      let fails = Observable.generate(
        initialState: 1, condition: { $0 < 20 },
        iterate: { (element: Int) in
          if element == 3 { throw TestError.a }
          return element * 3
        })
      #expect(immediate(fails) == "1 3 #")
      let checks = Observable.generate(
        initialState: 1, condition: { _ in throw TestError.b }, iterate: { $0 })
      #expect(immediate(checks) == "#b")
    }

    @Test func `deferred asks for each subscriber`() {
      var count = 0
      let source = Observable<Int>.deferred {
        count += 1
        return .just(count)
      }
      #expect(immediate(source) == "1 |")
      #expect(immediate(source) == "2 |")
      #expect(immediate(Observable<Int>.deferred { throw TestError.b }) == "#b")
    }

    @Test func `create drops what follows an end and disposes once`() {
      let log = Log()
      let source = Observable<Int>.create { observer in
        observer.onNext(1)
        observer.onCompleted()
        observer.onNext(2)
        observer.onError(TestError.a)
        return Disposables.create { log.note("disposed") }
      }
      #expect(immediate(source) == "1 |")
      #expect(log.text == "disposed")
    }

    @Test func `create drops what follows a disposal`() {
      var kept: AnyObserver<Int>?
      let log = Log()
      let subscription = Observable<Int>.create { observer in
        kept = observer
        return Disposables.create { log.note("disposed") }
      }.subscribe(log.observer())
      kept?.onNext(1)
      subscription.dispose()
      kept?.onNext(2)
      kept?.onCompleted()
      #expect(log.text == "1 disposed")
      kept = nil
    }

    @Test(arguments: ["|", "#b", ""]) func `using disposes its resource at every end`(end: String) {
      let log = Log()
      let source = Observable<Int>.using({ BooleanDisposable() }) { resource in
        let rest: Observable<Int> =
          end == "|" ? .empty() : end == "" ? .never() : .error(TestError.b)
        return Observable.just(1).concat(rest).do(onDispose: { log.note(resource.isDisposed ? "yes" : "no") })
      }
      var kept: BooleanDisposable?
      let outer = Observable<Int>.using({
        let resource = BooleanDisposable()
        kept = resource
        return resource
      }) { _ in source }
      #expect(immediate(outer) == (end.isEmpty ? "1" : "1 " + end))
      #expect(kept?.isDisposed == true)
    }

    @Test func `using whose factories throw`() {
      let first = Observable<Int>.using({ () throws -> BooleanDisposable in throw TestError.a }) { _ in
        .just(1)
      }
      #expect(immediate(first) == "#")
      var kept: BooleanDisposable?
      let second = Observable<Int>.using({
        let resource = BooleanDisposable()
        kept = resource
        return resource
      }) { _ -> Observable<Int> in throw TestError.b }
      #expect(immediate(second) == "#b")
      #expect(kept?.isDisposed == true)
    }

    @Test func `subscribe in all its forms`() {
      let log = Log()
      let source = Observable.of(1, 2)
      source.subscribe().dispose()
      source.subscribe(onNext: { log.note("n\($0)") }).dispose()
      source.subscribe(
        onNext: nil, onError: nil, onCompleted: { log.note("c") }, onDisposed: { log.note("d") }
      ).dispose()
      source.subscribe(
        with: log, onNext: { $0.note("w\($1)") }, onError: { $0.note("\($1)") },
        onCompleted: { $0.note("wc") },
        onDisposed: { $0.note("wd") }
      ).dispose()
      Observable<Int>.error(TestError.b).subscribe(
        onError: { log.note("\($0)") }, onDisposed: { log.note("d") }
      ).dispose()
      #expect(log.text == "n1 n2 c d w1 w2 wc wd b d")
    }

    @Test func `subscribe with an object does not keep it`() {
      let subject = PublishSubject<Int>()
      var object: Log? = Log()
      weak let watched = object
      let subscription = object.map { subject.subscribe(with: $0, onNext: { $0.note("\($1)") }) }
      object = nil
      #expect(watched == nil)
      subscription?.dispose()
    }

    @Test func `events know what they are`() {
      #expect(Event.next(1).element == 1)
      #expect(Event<Int>.completed.isCompleted && Event<Int>.completed.isStopEvent)
      #expect(Event<Int>.error(TestError.a).error is TestError)
      #expect(!Event.next(1).isStopEvent)
      #expect(Event.next(1).map { $0 + 1 } == .next(2))
      #expect(Event.next(1).map { _ -> Int in throw TestError.b } == .error(TestError.b))
      #expect("\(Event.next(1))" == "next(1)")
    }
  }
}

@Rows private var creationRows: [Row] {
  Row("just", gives: "200:1 200|") { _ in Observable.just(1) }
  Row("just on a scheduler", gives: "201:1 202|") { Observable.just(1, scheduler: $0.scheduler) }
  Row("just on a scheduler, disposed between", gives: "201:1", disposed: 202) {
    Observable.just(1, scheduler: $0.scheduler)
  }
  Row("empty", gives: "200|") { _ in Observable<Int>.empty() }
  Row("error", gives: "200#") { _ in Observable<Int>.error(TestError.a) }
  Row("never", gives: "") { _ in Observable<Int>.never() }
  Row("of, an element a tick", gives: "201:1 202:2 203:3 204|") {
    Observable.of(1, 2, 3, scheduler: $0.scheduler)
  }
  Row("from an array", gives: "201:1 202:2 203|") { Observable.from([1, 2], scheduler: $0.scheduler) }
  Row("from a sequence", gives: "201:1 202:2 203|") { Observable.from(1...2, scheduler: $0.scheduler) }
  Row("from nothing", gives: "201|") { Observable.from([Int](), scheduler: $0.scheduler) }
  Row("from an optional", gives: "201:5 202|") { Observable.from(optional: 5, scheduler: $0.scheduler) }
  Row("from nil", gives: "201|") { Observable.from(optional: Int?.none, scheduler: $0.scheduler) }
  Row("from an array, disposed", gives: "201:1 202:2", disposed: 203) {
    Observable.from([1, 2, 3, 4], scheduler: $0.scheduler)
  }
  Row("range", gives: "201:0 202:1 203:2 204|") {
    Observable.range(start: 0, count: 3, scheduler: $0.scheduler)
  }
  Row("an empty range", gives: "201|") { Observable.range(start: 0, count: 0, scheduler: $0.scheduler) }
  Row("range, disposed", gives: "201:0 202:1", disposed: 203) {
    Observable.range(start: 0, count: 9, scheduler: $0.scheduler)
  }
  Row("repeatElement", gives: "201:7 202:7 203:7", disposed: 204) {
    Observable.repeatElement(7, scheduler: $0.scheduler)
  }
  Row("generate", gives: "201:0 202:1 203:2 204|") {
    Observable.generate(initialState: 0, condition: { $0 < 3 }, scheduler: $0.scheduler, iterate: { $0 + 1 })
  }
  Row("generate: the condition throws", gives: "201#") {
    Observable<Int>.generate(
      initialState: 0, condition: { _ in throw TestError.a }, scheduler: $0.scheduler, iterate: { $0 })
  }
  Row("generate: the iteration throws", gives: "201:0 202#") {
    Observable<Int>.generate(
      initialState: 0, condition: { _ in true }, scheduler: $0.scheduler, iterate: { _ in throw TestError.a })
  }
  Row("deferred", "210:1 250|", gives: "210:1 250|", subscribed: "200-250") { lab in
    Observable.deferred { lab.a }
  }
  Row("deferred: an error", "210:1 250#", gives: "210:1 250#", subscribed: "200-250") { lab in
    Observable.deferred { lab.a }
  }
  Row("deferred: a disposal", "210:1", gives: "210:1", subscribed: "200-220", disposed: 220) { lab in
    Observable.deferred { lab.a }
  }
  Row("using", "210:1 250|", gives: "210:1 250|", subscribed: "200-250") { lab in
    Observable.using({ BooleanDisposable() }) { _ in lab.a }
  }
  Row("observe(on:) moves events to the next tick", "210:1 220:2 250|", gives: "211:1 221:2 251|") {
    $0.a.observe(on: $0.scheduler)
  }
  Row("observe(on:): an error", "210:1 250#b", gives: "211:1 251#b") { $0.a.observe(on: $0.scheduler) }
  Row(
    "observe(on:): a disposal drops what waits", "210:1 220:2", gives: "211:1", subscribed: "200-220",
    disposed: 220
  ) {
    $0.a.observe(on: $0.scheduler)
  }
  Row("observe(on:): never", "", gives: "", subscribed: "200-1000") { $0.a.observe(on: $0.scheduler) }
  Row("observe(on:): empty", "250|", gives: "251|") { $0.a.observe(on: $0.scheduler) }
  Row("subscribe(on:) moves the subscription to the next tick", "cold 10:1 20|", gives: "211:1 221|") {
    $0.a.subscribe(on: $0.scheduler)
  }
  Row("subscribe(on:): an error", "cold 10:1 20#", gives: "211:1 221#") { $0.a.subscribe(on: $0.scheduler) }
  Row(
    "subscribe(on:): the disposal is scheduled too", "cold 10:1", gives: "211:1", subscribed: "201-301",
    disposed: 300
  ) { $0.a.subscribe(on: $0.scheduler) }
}
