// SPDX-License-Identifier: Apache-2.0

import MusubiRx
import Testing

extension ReactiveCore {
  @Suite struct `FlatMap and its relatives` {
    @Test(arguments: flatMapRows) func `flatMap`(row: Row) { row.check() }
    @Test(arguments: latestRows) func `flatMapLatest and switchLatest`(row: Row) { row.check() }
    @Test(arguments: firstRows) func `flatMapFirst`(row: Row) { row.check() }
    @Test(arguments: concatMapRows) func `concatMap`(row: Row) { row.check() }

    @Test func `sequences that end at once flatten in turns`() {
      let flat = Observable.of(1, 2).flatMap { (n: Int) in Observable.of(n * 10, n * 10 + 1) }
      let seen = immediate(flat)
      #expect(seen.split(separator: " ").sorted() == ["10", "11", "20", "21", "|"])
      #expect(seen.hasSuffix("|"))
    }

    @Test func `concatMap keeps the order of sequences that end at once`() {
      #expect(
        immediate(Observable.of(1, 2, 3).concatMap { (n: Int) in Observable.of(n * 10, n * 10 + 1) })
          == "10 11 20 21 30 31 |")
    }

    @Test func `an inner subject that feeds the outer one is followed by its new sequence`() {
      let outer = PublishSubject<Int>()
      let inner = PublishSubject<String>()
      let log = Log()
      let subscription = outer.flatMap { n in inner.map { "\($0)\(n)" } }.subscribe(log.observer())

      outer.onNext(1)
      inner.onNext("a")
      outer.onNext(2)
      inner.onNext("b")
      outer.onCompleted()
      inner.onCompleted()

      #expect(log.text == "a1 b1 b2 |")
      subscription.dispose()
    }

    @Test func `flatMapLatest may switch while the older sequence delivers`() {
      let outer = PublishSubject<Int>()
      let inner = PublishSubject<Int>()
      let log = Log()
      let subscription = outer.flatMapLatest { n in n == 1 ? inner.asObservable() : .just(99) }
        .subscribe { event in
          log.note(Script.text(event))
          if event.element == 5 { outer.onNext(2) }
        }

      outer.onNext(1)
      inner.onNext(5)
      inner.onNext(6)

      #expect(log.text == "5 99")
      #expect(!inner.hasObservers)
      subscription.dispose()
      #expect(!outer.hasObservers)
    }

    /// Sequences of which the first one sends something when it is let go.
    private func switching(
      _ outer: PublishSubject<Int>, _ inners: [PublishSubject<String>], _ onDispose: @escaping () -> Void
    ) -> Observable<String> {
      outer.flatMapLatest { n in inners[n].do(onDispose: { if n == 0 { onDispose() } }) }
    }

    @Test func `flatMapLatest follows what comes while an ended sequence is let go`() {
      let outer = PublishSubject<Int>()
      let inners = (0..<3).map { _ in PublishSubject<String>() }
      let log = Log()
      let subscription = switching(outer, inners) { outer.onNext(1) }.subscribe(log.observer())

      outer.onNext(0)
      inners[0].onCompleted()
      inners[1].onNext("a")
      outer.onNext(2)
      inners[1].onNext("stale")
      inners[2].onNext("b")

      #expect(log.text == "a b")
      #expect(!inners[1].hasObservers)
      subscription.dispose()
      #expect(!inners[2].hasObservers && !outer.hasObservers)
    }

    @Test func `flatMapLatest ends with the sequence that came while an ended one was let go`() {
      let outer = PublishSubject<Int>()
      let inners = (0..<2).map { _ in PublishSubject<String>() }
      let log = Log()
      let subscription = switching(outer, inners) {
        outer.onNext(1)
        outer.onCompleted()
      }.subscribe(log.observer())

      outer.onNext(0)
      inners[0].onCompleted()
      inners[1].onNext("a")
      inners[1].onCompleted()

      #expect(log.text == "a |")
      subscription.dispose()
    }

    /// Delivers one sequence after the other; that of 1 does something at its end.
    private func oneByOne(
      _ outer: PublishSubject<Int>, after first: PublishSubject<Int>, _ atEnd: @escaping () -> Void
    ) -> Observable<Int> {
      outer.concatMap { n -> Observable<Int> in
        if n == 0 { return first.asObservable() }
        return Observable.create { observer in
          observer.onNext(n)
          observer.onCompleted()
          if n == 1 { atEnd() }
          return Disposables.create()
        }
      }
    }

    @Test func `concatMap puts what comes while the waiting ones begin behind them`() {
      let (outer, first) = (PublishSubject<Int>(), PublishSubject<Int>())
      let log = Log()
      let subscription = oneByOne(outer, after: first) { outer.onNext(3) }.subscribe(log.observer())

      for n in 0...2 { outer.onNext(n) }
      first.onCompleted()

      #expect(log.text == "1 2 3")
      subscription.dispose()
    }

    @Test func `concatMap delivers all that wait when its source ends while they begin`() {
      let (outer, first) = (PublishSubject<Int>(), PublishSubject<Int>())
      let log = Log()
      let subscription = oneByOne(outer, after: first) { outer.onCompleted() }.subscribe(log.observer())

      for n in 0...2 { outer.onNext(n) }
      first.onCompleted()

      #expect(log.text == "1 2 |")
      subscription.dispose()
    }

    @Test func `flatMapFirst takes the next element after the inner sequence ended within one`() {
      let outer = PublishSubject<Int>()
      let log = Log()
      let subscription = outer.flatMapFirst { Observable.just($0 * 10) }.subscribe(log.observer())

      outer.onNext(1)
      outer.onNext(2)
      outer.onCompleted()

      #expect(log.text == "10 20 |")
      subscription.dispose()
    }

    @Test func `concatMap of thousands of elements neither recurses nor forgets`() {
      var sum = 0
      _ = Observable.from(1...20_000).concatMap { Observable.just($0) }.subscribe(onNext: { sum += $0 })
      #expect(sum == 200_010_000)
    }

    @Test func `a disposal within an inner element ends outer and inner sequences`() {
      let outer = PublishSubject<Int>()
      let inner = PublishSubject<Int>()
      let serial = SerialDisposable()
      var seen: [Int] = []
      serial.disposable = outer.flatMap { _ in inner }.subscribe(onNext: {
        seen.append($0)
        serial.dispose()
      })
      outer.onNext(1)
      outer.onNext(2)

      inner.onNext(7)

      #expect(seen == [7])
      #expect(!outer.hasObservers && !inner.hasObservers)
    }

    @Test func `singles, drivers and relays may be inner sequences`() {
      let relay = BehaviorRelay(value: 3)
      #expect(immediate(Observable.just(1).flatMap { Single.just($0 + 1) }) == "2 |")
      #expect(immediate(Observable.just(1).flatMapLatest { _ in relay }) == "3")
      #expect(immediate(Observable.just(1).concatMap { Single.just($0 + 1) }) == "2 |")
      #expect(immediate(Observable.just(1).flatMapFirst { Single.just($0 + 1) }) == "2 |")
    }
  }
}

@Rows private var flatMapRows: [Row] {
  Row("never", "150:1", "cold 10:9", gives: "", subscribed: "200-1000; ") { lab in
    lab.a.flatMap { lab.source($0) }
  }
  Row("empty", "210|", "cold 10:9", gives: "210|", subscribed: "200-210; ") { lab in
    lab.a.flatMap { lab.source($0) }
  }
  Row("an error of the outer sequence", "210#b", gives: "210#b", subscribed: "200-210") { lab in
    lab.a.flatMap { lab.source($0) }
  }
  Row(
    "inner sequences interleave", "210:1 220:2 600|", "cold 10:11 30:12 50|", "cold 5:21 25:22 40|",
    gives: "220:11 225:21 240:12 245:22 600|", subscribed: "200-600; 210-260; 220-260"
  ) { lab in
    lab.a.flatMap { lab.source($0) }
  }
  Row(
    "it ends with the last inner sequence", "210:1 220:2 230|", "cold 10:11 200|", "cold 5:21 400|",
    gives: "220:11 225:21 620|", subscribed: "200-230; 210-410; 220-620"
  ) { lab in
    lab.a.flatMap { lab.source($0) }
  }
  Row(
    "an inner sequence that never ends keeps it open", "210:1 220:2 230|", "cold 10:11", "cold 5:21 10|",
    gives: "220:11 225:21", subscribed: "200-230; 210-1000; 220-230"
  ) { lab in lab.a.flatMap { lab.source($0) } }
  Row(
    "an inner error ends all", "210:1 220:2 600|", "cold 10:11 300:12", "cold 5:21 40#",
    gives: "220:11 225:21 260#", subscribed: "200-260; 210-260; 220-260"
  ) { lab in
    lab.a.flatMap { lab.source($0) }
  }
  Row(
    "an outer error ends all", "210:1 220:2 300#b", "cold 10:11 300:12", "cold 5:21 400|",
    gives: "220:11 225:21 300#b", subscribed: "200-300; 210-300; 220-300"
  ) { lab in
    lab.a.flatMap { lab.source($0) }
  }
  Row(
    "a disposal ends all", "210:1 220:2 600|", "cold 10:11 300:12", "cold 5:21 400|", gives: "220:11 225:21",
    subscribed: "200-300; 210-300; 220-300", disposed: 300
  ) { lab in lab.a.flatMap { lab.source($0) } }
  Row(
    "a throwing selector fails it", "210:1 220:2 600|", "cold 10:11 300:12", gives: "220#",
    subscribed: "200-220; 210-220"
  ) { lab in
    lab.a.flatMap { number -> Observable<Int> in
      if number == 2 { throw TestError.a }
      return lab.source(number)
    }
  }
  Row(
    "the same cold sequence twice", "210:1 230:1 300|", "cold 10:7 30:8 40|",
    gives: "220:7 240:8 240:7 260:8 300|",
    subscribed: "200-300; 210-250 230-270"
  ) { lab in lab.a.flatMap { lab.source($0) } }
  Row(
    "hot inner sequences are heard from their subscription on", "210:1 300|", "205:1 215:2 400|",
    gives: "215:2 400|", subscribed: "200-300; 210-400"
  ) { lab in lab.a.flatMap { lab.source($0) } }
  Row(
    "inner and outer end at one time", "210:1 260|", "cold 10:1 50|", gives: "220:1 260|",
    subscribed: "200-260; 210-260"
  ) { lab in lab.a.flatMap { lab.source($0) } }
  Row(
    "empty inner sequences", "210:1 220:1 300|", "cold 10|", gives: "300|",
    subscribed: "200-300; 210-220 220-230"
  ) { lab in lab.a.flatMap { lab.source($0) } }
  Row("arrays as ranges", "210:2 220:3 300|", gives: "210:0 210:1 220:0 220:1 220:2 300|") {
    $0.a.flatMap { Observable.range(start: 0, count: $0) }
  }
}

@Rows private var latestRows: [Row] {
  Row(
    "switchLatest: newer sequences replace older ones", "210:1 300:2 400:3 600|",
    "cold 10:11 50:12 95:13 200|",
    "cold 10:21 110:22 120|", "cold 10:31 150|", gives: "220:11 260:12 310:21 410:31 600|",
    subscribed: "200-600; 210-300; 300-400; 400-550"
  ) { $0.outer.switchLatest() }
  Row(
    "switchLatest: it ends with the latest sequence", "210:1 300:2 310|", "cold 10:11 200|",
    "cold 10:21 200|",
    gives: "220:11 310:21 500|", subscribed: "200-310; 210-300; 300-500"
  ) { $0.outer.switchLatest() }
  Row("switchLatest: never", "150:1", gives: "", subscribed: "200-1000") { $0.outer.switchLatest() }
  Row("switchLatest: empty", "230|", gives: "230|", subscribed: "200-230") { $0.outer.switchLatest() }
  Row(
    "switchLatest: an inner error ends all", "210:1 300:2 600|", "cold 10:11", "cold 10:21 50#",
    gives: "220:11 310:21 350#", subscribed: "200-350; 210-300; 300-350"
  ) { $0.outer.switchLatest() }
  Row(
    "switchLatest: the error of a replaced sequence stays unheard", "210:1 240:2 600|", "cold 50#",
    "cold 10:21 50|",
    gives: "250:21 600|", subscribed: "200-600; 210-240; 240-290"
  ) { $0.outer.switchLatest() }
  Row(
    "switchLatest: an outer error ends all", "210:1 300#", "cold 10:11 200:12", gives: "220:11 300#",
    subscribed: "200-300; 210-300"
  ) { $0.outer.switchLatest() }
  Row(
    "switchLatest: a disposal ends all", "210:1 300:2 600|", "cold 10:11", "cold 10:21 90:22",
    gives: "220:11 310:21",
    subscribed: "200-350; 210-300; 300-350", disposed: 350
  ) { $0.outer.switchLatest() }
  Row(
    "flatMapLatest: newer elements replace older sequences", "210:1 300:2 600|", "cold 10:11 100:12",
    "cold 10:21 50|", gives: "220:11 310:21 600|", subscribed: "200-600; 210-300; 300-350"
  ) { lab in
    lab.a.flatMapLatest { lab.source($0) }
  }
  Row(
    "flatMapLatest: a throwing selector fails it", "210:1 300:2 600|", "cold 10:11 200:12",
    gives: "220:11 300#",
    subscribed: "200-300; 210-300"
  ) { lab in
    lab.a.flatMapLatest { number -> Observable<Int> in
      if number == 2 { throw TestError.a }
      return lab.source(number)
    }
  }
  Row(
    "flatMapLatest: an inner error ends all", "210:1 600|", "cold 10:11 40#b", gives: "220:11 250#b",
    subscribed: "200-250; 210-250"
  ) { lab in lab.a.flatMapLatest { lab.source($0) } }
  Row(
    "flatMapLatest: an inner sequence that never ends keeps it open", "210:1 300|", "cold 10:11",
    gives: "220:11", subscribed: "200-300; 210-1000"
  ) { lab in lab.a.flatMapLatest { lab.source($0) } }
  Row(
    "flatMapLatest: a switch at the time of an older element drops later ones", "210:1 260:2 600|",
    "cold 50:11 60:12", "cold 10:21 20|", gives: "270:21 600|", subscribed: "200-600; 210-260; 260-280"
  ) { lab in
    lab.a.flatMapLatest { lab.source($0) }
  }
}

@Rows private var firstRows: [Row] {
  Row("never", "150:1", gives: "", subscribed: "200-1000") { lab in lab.a.flatMapFirst { lab.source($0) } }
  Row("empty", "250|", gives: "250|", subscribed: "200-250") { lab in lab.a.flatMapFirst { lab.source($0) } }
  Row(
    "elements during an inner sequence are dropped", "210:1 220:2 280:2 600|", "cold 10:11 30:12 50|",
    "cold 10:21 20|", gives: "220:11 240:12 290:21 600|", subscribed: "200-600; 210-260; 280-300"
  ) { lab in
    lab.a.flatMapFirst { lab.source($0) }
  }
  Row(
    "it ends with the running sequence", "210:1 220:2 230|", "cold 10:11 100|", "cold 10:21",
    gives: "220:11 310|",
    subscribed: "200-230; 210-310; "
  ) { lab in lab.a.flatMapFirst { lab.source($0) } }
  Row(
    "an inner error ends all", "210:1 600|", "cold 10:11 100#", gives: "220:11 310#",
    subscribed: "200-310; 210-310"
  ) { lab in lab.a.flatMapFirst { lab.source($0) } }
  Row(
    "an outer error ends all", "210:1 300#b", "cold 10:11 200|", gives: "220:11 300#b",
    subscribed: "200-300; 210-300"
  ) { lab in lab.a.flatMapFirst { lab.source($0) } }
  Row(
    "a disposal ends all", "210:1", "cold 10:11 200:12", gives: "220:11", subscribed: "200-300; 210-300",
    disposed: 300
  ) { lab in lab.a.flatMapFirst { lab.source($0) } }
  Row("a throwing selector fails it", "210:1 600|", gives: "210#", subscribed: "200-210") {
    $0.a.flatMapFirst { _ -> Observable<Int> in throw TestError.a }
  }
}

@Rows private var concatMapRows: [Row] {
  Row("never", "150:1", gives: "", subscribed: "200-1000") { lab in lab.a.concatMap { lab.source($0) } }
  Row("empty", "250|", gives: "250|", subscribed: "200-250") { lab in lab.a.concatMap { lab.source($0) } }
  Row(
    "inner sequences wait for each other", "210:1 220:2 230:3 300|", "cold 10:11 50|", "cold 10:21 50|",
    "cold 10:31 50|", gives: "220:11 270:21 320:31 360|", subscribed: "200-300; 210-260; 260-310; 310-360"
  ) { lab in
    lab.a.concatMap { lab.source($0) }
  }
  Row(
    "one that never ends holds the others up", "210:1 220:2 300|", "cold 10:11", "cold 10:21",
    gives: "220:11",
    subscribed: "200-300; 210-1000; "
  ) { lab in lab.a.concatMap { lab.source($0) } }
  Row(
    "an inner error ends all", "210:1 220:2 300|", "cold 10:11 20#", "cold 10:21", gives: "220:11 230#",
    subscribed: "200-230; 210-230; "
  ) { lab in lab.a.concatMap { lab.source($0) } }
  Row(
    "an outer error ends all at once", "210:1 220:2 250#b", "cold 10:11 100|", "cold 10:21",
    gives: "220:11 250#b",
    subscribed: "200-250; 210-250; "
  ) { lab in lab.a.concatMap { lab.source($0) } }
  Row(
    "a disposal ends all", "210:1 220:2 300|", "cold 10:11 50|", "cold 10:21 50|", gives: "220:11 270:21",
    subscribed: "200-280; 210-260; 260-280", disposed: 280
  ) { lab in lab.a.concatMap { lab.source($0) } }
  Row(
    "a throwing selector fails it at once", "210:1 220:2 300|", "cold 10:11 50|", gives: "220#",
    subscribed: "200-220; 210-220"
  ) { lab in
    lab.a.concatMap { number -> Observable<Int> in
      if number == 2 { throw TestError.a }
      return lab.source(number)
    }
  }
  Row(
    "a queue that is worked off after the outer end", "210:1 211:1 212:1 213|", "cold 10:7 20|",
    gives: "220:7 240:7 260:7 270|", subscribed: "200-213; 210-230 230-250 250-270"
  ) { lab in
    lab.a.concatMap { lab.source($0) }
  }
}
