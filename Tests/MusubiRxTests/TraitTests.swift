// SPDX-License-Identifier: Apache-2.0

import Dispatch
import MusubiRx
import Testing

extension ReactiveCore {
  @Suite struct `Single, Maybe and Completable` {
    @Test(arguments: conversionRows) func `from observables`(row: Row) { row.check() }
    @Test(arguments: singleRows) func `Single's operators`(row: Row) { row.check() }
    @Test(arguments: maybeRows) func `Maybe's operators`(row: Row) { row.check() }
    @Test(arguments: completableRows) func `Completable's operators`(row: Row) { row.check() }
    @Test(arguments: timedSingleRows) func `a single in time`(row: Row) { row.check() }
    @Test(arguments: timedMaybeRows) func `a maybe in time`(row: Row) { row.check() }
    @Test(arguments: timedCompletableRows) func `a completable in time`(row: Row) { row.check() }

    @Test func `a single tells its subscriber once`() {
      let log = Log()
      Single.just(1).subscribe { log.note("\($0)") }.dispose()
      Single<Int>.error(TestError.b).subscribe { log.note("\($0)") }.dispose()
      Single<Int>.never().subscribe { log.note("\($0)") }.dispose()
      Single.just(2).subscribe(onSuccess: { log.note("s\($0)") }, onDisposed: { log.note("d") }).dispose()
      Single<Int>.error(TestError.b).subscribe(onFailure: { log.note("f\($0)") }).dispose()
      #expect(log.entries.count == 5)
      #expect(log.entries.suffix(3) == ["s2", "d", "fb"])
    }

    @Test func `a created single takes the first event only`() {
      let log = Log()
      let single = Single<Int>.create { observer in
        observer(.success(1))
        observer(.success(2))
        observer(.failure(TestError.a))
        return Disposables.create { log.note("disposed") }
      }
      #expect(immediate(single) == "1 |")
      #expect(log.text == "disposed")
      #expect(
        immediate(
          Single<Int>.create {
            $0(.failure(TestError.b))
            return Disposables.create()
          }) == "#b")
    }

    @Test func `a created maybe takes the first event only`() {
      func made(_ event: MaybeEvent<Int>) -> Maybe<Int> {
        Maybe.create {
          $0(event)
          $0(.completed)
          $0(.success(9))
          return Disposables.create()
        }
      }
      #expect(immediate(made(.success(1))) == "1 |")
      #expect(immediate(made(.completed)) == "|")
      #expect(immediate(made(.error(TestError.b))) == "#b")
    }

    @Test func `a created completable takes the first event only`() {
      func made(_ event: CompletableEvent) -> Completable {
        Completable.create {
          $0(event)
          $0(.completed)
          return Disposables.create()
        }
      }
      #expect(immediate(made(.completed)) == "|")
      #expect(immediate(made(.error(TestError.b))) == "#b")
    }

    @Test func `maybes and completables tell their subscribers`() {
      let log = Log()
      Maybe.just(1).subscribe { log.note("\($0)") }.dispose()
      Maybe<Int>.empty().subscribe { log.note("\($0)") }.dispose()
      Maybe.just(2).subscribe(onSuccess: { log.note("s\($0)") }, onCompleted: { log.note("never") }).dispose()
      Maybe<Int>.empty().subscribe(onSuccess: { _ in log.note("never") }, onCompleted: { log.note("c") })
        .dispose()
      Maybe<Int>.error(TestError.b).subscribe(onError: { log.note("\($0)") }).dispose()
      Completable.empty().subscribe(onCompleted: { log.note("C") }, onDisposed: { log.note("D") }).dispose()
      Completable.error(TestError.b).subscribe(onError: { log.note("E\($0)") }).dispose()
      #expect(log.text == "success(1) completed s2 c b C D Eb")
    }

    @Test func `subscribe with an object`() {
      let log = Log()
      Single.just(1).subscribe(with: log, onSuccess: { $0.note("s\($1)") }).dispose()
      Maybe.just(2).subscribe(with: log, onSuccess: { $0.note("m\($1)") }).dispose()
      Completable.empty().subscribe(with: log, onCompleted: { $0.note("c") }).dispose()
      Single<Int>.error(TestError.b).subscribe(with: log, onFailure: { $0.note("\($1)") }).dispose()
      #expect(log.text == "s1 m2 c b")
    }

    @Test(arguments: 2...8) func `zip joins so many singles`(count: Int) {
      let one = Single.just(1)
      let s = Array(repeating: one, count: count)
      let sum: Single<Int>
      switch count {
      case 2: sum = Single.zip(s[0], s[1]) { $0 + $1 }
      case 3: sum = Single.zip(s[0], s[1], s[2]) { $0 + $1 + $2 }
      case 4: sum = Single.zip(s[0], s[1], s[2], s[3]) { [$0, $1, $2, $3].reduce(0, +) }
      case 5: sum = Single.zip(s[0], s[1], s[2], s[3], s[4]) { [$0, $1, $2, $3, $4].reduce(0, +) }
      case 6: sum = Single.zip(s[0], s[1], s[2], s[3], s[4], s[5]) { [$0, $1, $2, $3, $4, $5].reduce(0, +) }
      case 7:
        sum = Single.zip(s[0], s[1], s[2], s[3], s[4], s[5], s[6]) {
          [$0, $1, $2, $3, $4, $5, $6].reduce(0, +)
        }
      default:
        sum = Single.zip(s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]) {
          [$0, $1, $2, $3, $4, $5, $6, $7].reduce(0, +)
        }
      }
      #expect(immediate(sum) == "\(count) |")
      #expect(immediate(Single.zip(s)) == "[" + s.map { _ in "1" }.joined(separator: ",") + "] |")
      #expect(immediate(Single.zip(s) { $0.count }) == "\(count) |")
    }

    @Test func `zip of tuples, failures and empty maybes`() {
      #expect(immediate(Single.zip(Single.just(1), Single.just("a"))) == "(1,\"a\") |")
      #expect(immediate(Single.zip(Single.just(1), Single<Int>.error(TestError.b)) { $0 + $1 }) == "#b")
      #expect(immediate(Single.zip([Single<Int>]())) == "[] |")
      #expect(immediate(Maybe.zip(Maybe.just(1), Maybe.just(2)) { $0 + $1 }) == "3 |")
      #expect(immediate(Maybe.zip(Maybe.just(1), Maybe<Int>.empty()) { $0 + $1 }) == "|")
      #expect(immediate(Maybe.zip(Maybe.just(1), Maybe<Int>.error(TestError.a)) { $0 + $1 }) == "#")
    }

    @Test func `do around a single`() {
      let log = Log()
      let single = Single.just(1).do(
        onSuccess: { log.note("s\($0)") }, afterSuccess: { log.note("S\($0)") },
        onError: { _ in log.note("e") },
        onSubscribe: { log.note("u") }, onDispose: { log.note("d") })
      #expect(immediate(single) == "1 |")
      #expect(log.text == "u s1 S1 d")
      #expect(immediate(Single<Int>.error(TestError.b).do(onError: { log.note("\($0)") })) == "#b")
      #expect(log.entries.last == "b")
    }

    @Test func `do around a maybe and a completable`() {
      let log = Log()
      #expect(immediate(Maybe.just(1).do(onNext: { log.note("n\($0)") })) == "1 |")
      #expect(immediate(Maybe<Int>.empty().do(onCompleted: { log.note("c") })) == "|")
      #expect(immediate(Completable.empty().do(onCompleted: { log.note("C") })) == "|")
      #expect(immediate(Completable.error(TestError.b).do(onError: { log.note("\($0)") })) == "#b")
      #expect(log.text == "n1 c C b")
    }

    @Test func `retry asks a single again`() {
      var attempts = 0
      let single = Single<Int>.deferred {
        attempts += 1
        return attempts < 3 ? .error(TestError.a) : .just(attempts)
      }
      #expect(immediate(single.retry(2)) == "#")
      #expect(immediate(single.retry()) == "3 |")
    }

    @Test func `using disposes the resource of a single`() {
      let resource = BooleanDisposable()
      #expect(
        immediate(Single<Int>.using({ resource }, primitiveSequenceFactory: { _ in .just(1) })) == "1 |")
      #expect(resource.isDisposed)
    }
  }
}

private func check(_ element: Int) throws -> Int {
  if element == 99 { throw TestError.a }
  return element
}

@Rows private var conversionRows: [Row] {
  Row("asSingle: one", "210:1 250|", gives: "250:1 250|", subscribed: "200-250") { $0.a.asSingle() }
  Row("asSingle: none", "250|", gives: "250#noElements", subscribed: "200-250") { $0.a.asSingle() }
  Row("asSingle: two", "210:1 220:2 250|", gives: "220#moreThanOneElement", subscribed: "200-220") {
    $0.a.asSingle()
  }
  Row("asSingle: an error", "210:1 250#b", gives: "250#b", subscribed: "200-250") { $0.a.asSingle() }
  Row("asSingle: never ended", "210:1", gives: "", subscribed: "200-1000") { $0.a.asSingle() }
  Row("asMaybe: one", "210:1 250|", gives: "250:1 250|", subscribed: "200-250") { $0.a.asMaybe() }
  Row("asMaybe: none", "250|", gives: "250|", subscribed: "200-250") { $0.a.asMaybe() }
  Row("asMaybe: two", "210:1 220:2 250|", gives: "220#moreThanOneElement", subscribed: "200-220") {
    $0.a.asMaybe()
  }
  Row("asMaybe: an error", "250#", gives: "250#", subscribed: "200-250") { $0.a.asMaybe() }
  Row("asCompletable: an end", "210:1 250|", gives: "250|", subscribed: "200-250") {
    $0.a.ignoreElements().asCompletable()
  }
  Row("asCompletable: an error", "210:1 250#b", gives: "250#b") { $0.a.ignoreElements().asCompletable() }
  Row("first: one", "210:1 220:2 250|", gives: "210:Optional(1) 210|", subscribed: "200-210") { $0.a.first() }
  Row("first: none", "250|", gives: "250:nil 250|", subscribed: "200-250") { $0.a.first() }
  Row("first: an error", "250#", gives: "250#") { $0.a.first() }
  Row("a disposal", "210:1 250|", gives: "", subscribed: "200-220", disposed: 220) { $0.a.asSingle() }
}

@Rows private var singleRows: [Row] {
  Row("map", gives: "200:10 200|") { _ in Single.just(1).map { $0 * 10 } }
  Row("map throws", gives: "200#") { _ in Single.just(99).map(check) }
  Row("map of an error", gives: "200#b") { _ in Single<Int>.error(TestError.b).map { $0 } }
  Row("flatMap", gives: "200:2 200|") { _ in Single.just(1).flatMap { .just($0 + 1) } }
  Row("flatMap to an error", gives: "200#") { _ in
    Single.just(1).flatMap { _ in Single<Int>.error(TestError.a) }
  }
  Row("flatMap throws", gives: "200#b") { _ in
    Single.just(1).flatMap { _ -> Single<Int> in throw TestError.b }
  }
  Row("flatMapMaybe", gives: "200|") { _ in Single.just(1).flatMapMaybe { _ in Maybe<Int>.empty() } }
  Row("flatMapMaybe with an element", gives: "200:2 200|") { _ in
    Single.just(1).flatMapMaybe { Maybe.just($0 + 1) }
  }
  Row("flatMapCompletable", gives: "200|") { _ in Single.just(1).flatMapCompletable { _ in .empty() } }
  Row("flatMapCompletable to an error", gives: "200#") { _ in
    Single.just(1).flatMapCompletable { _ in .error(TestError.a) }
  }
  Row("filter passes", gives: "200:1 200|") { _ in Single.just(1).filter { $0 == 1 } }
  Row("filter drops", gives: "200|") { _ in Single.just(1).filter { $0 == 2 } }
  Row("compactMap passes", gives: "200:a1 200|") { _ in Single.just(1).compactMap { "a\($0)" } }
  Row("compactMap drops", gives: "200|") { _ in Single.just(1).compactMap { _ -> Int? in nil } }
  Row("catch", gives: "200:5 200|") { _ in Single<Int>.error(TestError.a).catch { _ in .just(5) } }
  Row("catch throws", gives: "200#b") { _ in Single<Int>.error(TestError.a).catch { _ in throw TestError.b } }
  Row("catchAndReturn", gives: "200:5 200|") { _ in Single<Int>.error(TestError.a).catchAndReturn(5) }
  Row("asMaybe", gives: "200:1 200|") { _ in Single.just(1).asMaybe() }
  Row("asCompletable", gives: "200|") { _ in Single.just(1).asCompletable() }
  Row("asObservable", gives: "200:1 200|") { _ in Single.just(1).asObservable() }
  Row("never", gives: "") { _ in Single<Int>.never() }
  Row("deferred", gives: "200:1 200|") { _ in Single.deferred { .just(1) } }
  Row("deferred throws", gives: "200#") { _ in Single<Int>.deferred { throw TestError.a } }
  Row("amb", "cold 50:1 50|", "cold 20:2 20|", gives: "220:2 220|") { $0.a.asSingle().amb($0.b.asSingle()) }
  Row("delay", gives: "220:1 221|") { Single.just(1).delay(.seconds(20), scheduler: $0.scheduler) }
  Row("delay of an error", gives: "200#") {
    Single<Int>.error(TestError.a).delay(.seconds(20), scheduler: $0.scheduler)
  }
  Row("delaySubscription", gives: "220:1 220|") {
    Single.just(1).delaySubscription(.seconds(20), scheduler: $0.scheduler)
  }
  Row("timeout", gives: "220#timeout") { Single<Int>.never().timeout(.seconds(20), scheduler: $0.scheduler) }
  Row("timeout with another", gives: "220:7 220|") {
    Single<Int>.never().timeout(.seconds(20), other: .just(7), scheduler: $0.scheduler)
  }
  Row("timer", gives: "220:0 220|") { Single<Int>.timer(.seconds(20), scheduler: $0.scheduler) }
  Row("observe(on:)", gives: "201:1 202|") { Single.just(1).observe(on: $0.scheduler) }
  Row("subscribe(on:)", gives: "201:1 201|") { Single.just(1).subscribe(on: $0.scheduler) }
  Row("retry(when:)", "cold 10#", gives: "220#b", subscribed: "200-210 210-220") {
    $0.a.asSingle().retry(when: { (errors: Observable<any Error>) in
      errors.enumerated().map { (index: Int, _: any Error) -> Int in
        if index == 1 { throw TestError.b }
        return index
      }
    })
  }
}

@Rows private var maybeRows: [Row] {
  Row("just", gives: "200:1 200|") { _ in Maybe.just(1) }
  Row("just on a scheduler", gives: "201:1 202|") { Maybe.just(1, scheduler: $0.scheduler) }
  Row("empty", gives: "200|") { _ in Maybe<Int>.empty() }
  Row("error", gives: "200#") { _ in Maybe<Int>.error(TestError.a) }
  Row("never", gives: "") { _ in Maybe<Int>.never() }
  Row("map", gives: "200:10 200|") { _ in Maybe.just(1).map { $0 * 10 } }
  Row("map of empty", gives: "200|") { _ in Maybe<Int>.empty().map { $0 * 10 } }
  Row("map throws", gives: "200#") { _ in Maybe.just(99).map(check) }
  Row("compactMap", gives: "200|") { _ in Maybe.just(1).compactMap { _ -> Int? in nil } }
  Row("filter passes", gives: "200:1 200|") { _ in Maybe.just(1).filter { $0 == 1 } }
  Row("filter drops", gives: "200|") { _ in Maybe.just(1).filter { $0 == 2 } }
  Row("flatMap", gives: "200:2 200|") { _ in Maybe.just(1).flatMap { .just($0 + 1) } }
  Row("flatMap to empty", gives: "200|") { _ in Maybe.just(1).flatMap { _ in Maybe<Int>.empty() } }
  Row("flatMap throws", gives: "200#") { _ in Maybe.just(1).flatMap { _ -> Maybe<Int> in throw TestError.a } }
  Row("ifEmpty default", gives: "200:9 200|") { _ in Maybe<Int>.empty().ifEmpty(default: 9) }
  Row("ifEmpty default of an element", gives: "200:1 200|") { _ in Maybe.just(1).ifEmpty(default: 9) }
  Row("ifEmpty maybe", gives: "200:9 200|") { _ in Maybe<Int>.empty().ifEmpty(switchTo: Maybe.just(9)) }
  Row("ifEmpty single", gives: "200:9 200|") { _ in Maybe<Int>.empty().ifEmpty(switchTo: Single.just(9)) }
  Row("catch", gives: "200|") { _ in Maybe<Int>.error(TestError.a).catch { _ in .empty() } }
  Row("catchAndReturn", gives: "200:9 200|") { _ in Maybe<Int>.error(TestError.a).catchAndReturn(9) }
  Row("asSingle", gives: "200:1 200|") { _ in Maybe.just(1).asSingle() }
  Row("asSingle of empty", gives: "200#noElements") { _ in Maybe<Int>.empty().asSingle() }
  Row("asCompletable", gives: "200|") { _ in Maybe.just(1).asCompletable() }
  Row("delay", gives: "220:1 221|") { Maybe.just(1).delay(.seconds(20), scheduler: $0.scheduler) }
  Row("timeout", gives: "220#timeout") { Maybe<Int>.never().timeout(.seconds(20), scheduler: $0.scheduler) }
  Row("timer", gives: "220:0 220|") { Maybe<Int>.timer(.seconds(20), scheduler: $0.scheduler) }
}

@Rows private var completableRows: [Row] {
  Row("empty", gives: "200|") { _ in Completable.empty() }
  Row("error", gives: "200#") { _ in Completable.error(TestError.a) }
  Row("never", gives: "") { _ in Completable.never() }
  Row("andThen a completable", "cold 10|", "cold 20|", gives: "230|", subscribed: "200-210; 210-230") {
    end($0.a).andThen(end($0.b))
  }
  Row("andThen a single", "cold 10|", gives: "210:1 210|") { end($0.a).andThen(Single.just(1)) }
  Row("andThen a maybe", "cold 10|", gives: "210|") { end($0.a).andThen(Maybe<Int>.empty()) }
  Row(
    "andThen an observable", "cold 10|", "cold 10:1 20:2 30|", gives: "220:1 230:2 240|",
    subscribed: "200-210; 210-240"
  ) {
    end($0.a).andThen($0.b)
  }
  Row("andThen after an error", "cold 10#b", "cold 20|", gives: "210#b", subscribed: "200-210; ") {
    end($0.a).andThen(end($0.b))
  }
  Row("andThen of an error", "cold 10|", "cold 20#", gives: "230#", subscribed: "200-210; 210-230") {
    end($0.a).andThen(end($0.b))
  }
  Row("andThen after never", "", "cold 20|", gives: "", subscribed: "200-1000; ") {
    end($0.a).andThen(end($0.b))
  }
  Row("concat", "cold 10|", "cold 20|", "cold 30|", gives: "260|", subscribed: "200-210; 210-230; 230-260") {
    Completable.concat(end($0.a), end($0.b), end($0.c))
  }
  Row(
    "concat of a sequence stops at an error", "cold 10#", "cold 20|", gives: "210#", subscribed: "200-210; "
  ) {
    Completable.concat([end($0.a), end($0.b)])
  }
  Row("concat of two", "cold 10|", "cold 20|", gives: "230|") { end($0.a).concat(end($0.b)) }
  Row("merge", "cold 10|", "cold 30|", "cold 20|", gives: "230|", subscribed: "200-210; 200-230; 200-220") {
    Completable.merge(end($0.a), end($0.b), end($0.c))
  }
  Row("merge: an error ends all", "cold 10#b", "cold 30|", gives: "210#b", subscribed: "200-210; 200-210") {
    Completable.merge([end($0.a), end($0.b)])
  }
  Row("merge: never keeps it open", "cold 10|", "", gives: "", subscribed: "200-210; 200-1000") {
    Completable.merge([end($0.a), end($0.b)])
  }
  Row("zip", "cold 10|", "cold 30|", gives: "230|", subscribed: "200-210; 200-230") {
    Completable.zip(end($0.a), end($0.b))
  }
  Row("zip: an error ends all", "cold 10#b", "cold 30|", gives: "210#b", subscribed: "200-210; 200-210") {
    Completable.zip([end($0.a), end($0.b)])
  }
  Row("catch", gives: "200|") { _ in Completable.error(TestError.a).catch { _ in .empty() } }
  Row("timeout", gives: "220#timeout") { Completable.never().timeout(.seconds(20), scheduler: $0.scheduler) }
  Row("delay", gives: "220|") { Completable.empty().delay(.seconds(20), scheduler: $0.scheduler) }
  Row("amb", "cold 50|", "cold 20#", gives: "220#") { end($0.a).amb(end($0.b)) }
  Row("retry", "cold 10#", gives: "220#", subscribed: "200-210 210-220") { end($0.a).retry(2) }
  Row("deferred", gives: "200|") { _ in Completable.deferred { .empty() } }
  Row("nothing to merge", gives: "200|") { _ in Completable.merge([]) }
  Row("nothing to concat", gives: "200|") { _ in Completable.concat([]) }
}

private func end(_ source: Observable<Int>) -> Completable { source.ignoreElements().asCompletable() }
