// SPDX-License-Identifier: Apache-2.0

import MusubiRx
import Testing

extension ReactiveCore {
  @Suite struct `Merge and concat` {
    @Test(arguments: mergeRows) func `merge of given sequences`(row: Row) { row.check() }
    @Test(arguments: nestedRows) func `merge of a sequence of sequences`(row: Row) { row.check() }
    @Test(arguments: limitedRows) func `merge with a limit`(row: Row) { row.check() }
    @Test(arguments: concatRows) func `concat`(row: Row) { row.check() }

    @Test func `merge of nothing ends`() {
      #expect(immediate(Observable<Int>.merge([])) == "|")

    }

    @Test func `concat of nothing ends`() {
      #expect(immediate(Observable<Int>.concat([])) == "|")
    }

    @Test func `all forms of concat say the same`() {
      let sources = [Observable.of(1, 2), Observable.of(3), Observable.empty(), Observable.of(4)]
      #expect(immediate(Observable.concat(sources)) == "1 2 3 4 |")
      #expect(immediate(Observable.concat(AnySequence(sources))) == "1 2 3 4 |")
      #expect(immediate(Observable.concat(AnyCollection(sources))) == "1 2 3 4 |")
      #expect(immediate(Observable.concat(sources[0], sources[1], sources[2], sources[3])) == "1 2 3 4 |")
      #expect(immediate(Observable.from(sources).concat()) == "1 2 3 4 |")
      #expect(immediate(sources[0].concat(sources[1]).concat(sources[2]).concat(sources[3])) == "1 2 3 4 |")
    }

    @Test func `all forms of merge say the same`() {
      let scripts = [Observable.just(1), Observable.just(2), Observable.just(3)]
      #expect(immediate(Observable.merge(scripts)) == "1 2 3 |")
      #expect(immediate(Observable.merge(AnyCollection(scripts))) == "1 2 3 |")
      #expect(immediate(Observable.merge(scripts[0], scripts[1], scripts[2])) == "1 2 3 |")
      #expect(immediate(Observable.from(scripts).merge()) == "1 2 3 |")
    }

    @Test func `concat subscribes to a sequence only when its turn comes`() {
      var isSubscribed = false
      let second = Observable<Int>.deferred {
        isSubscribed = true
        return .just(2)
      }
      let first = PublishSubject<Int>()
      let log = Log()
      let subscription = first.concat(second).subscribe(log.observer())

      first.onNext(1)
      #expect(!isSubscribed)
      first.onCompleted()

      #expect(isSubscribed)
      #expect(log.text == "1 2 |")
      subscription.dispose()
    }

    @Test func `concat of an endless lazy sequence of sequences stops with its subscriber`() {
      var made = 0
      let endless = sequence(state: 0) { (state: inout Int) -> Observable<Int>? in
        state += 1
        made = state
        return .just(state)
      }
      #expect(immediate(Observable.concat(AnySequence { endless }).take(3)) == "1 2 3 |")
      #expect(made <= 4)
    }

    @Test func `concat of thousands of sequences neither recurses nor forgets`() {
      var count = 0
      let many = (0..<20_000).map { Observable.just($0) }
      _ = Observable.concat(many).subscribe(onNext: { _ in count += 1 })
      #expect(count == 20_000)
    }

    @Test func `merge while a subscriber feeds another source`() {
      let left = PublishSubject<Int>()
      let right = PublishSubject<Int>()
      let log = Log()
      let subscription = Observable.merge(left, right).subscribe { event in
        log.note(Script.text(event))
        if event.element == 1 { right.onNext(2) }
      }

      left.onNext(1)
      left.onNext(3)
      left.onCompleted()
      right.onCompleted()

      #expect(log.text == "1 2 3 |")
      subscription.dispose()
    }
  }
}

@Rows private var mergeRows: [Row] {
  Row("never and never", "", "", gives: "", subscribed: "200-1000; 200-1000") { Observable.merge($0.a, $0.b) }
  Row("never and empty", "", "245|", gives: "", subscribed: "200-1000; 200-245") {
    Observable.merge($0.a, $0.b)
  }
  Row("never and error", "", "245#", gives: "245#", subscribed: "200-245; 200-245") {
    Observable.merge($0.a, $0.b)
  }
  Row("empty and empty", "245|", "300|", gives: "300|", subscribed: "200-245; 200-300") {
    Observable.merge($0.a, $0.b)
  }
  Row(
    "elements of three", "205:1 230:4 245|", "210:2 240:5 250|", "220:3 260|",
    gives: "205:1 210:2 220:3 230:4 240:5 260|",
    subscribed: "200-245; 200-250; 200-260"
  ) { Observable.merge($0.a, $0.b, $0.c) }
  Row(
    "an error of one ends all", "205:1 230:4 300|", "210:2 225#", gives: "205:1 210:2 225#",
    subscribed: "200-225; 200-225"
  ) { Observable.merge([$0.a, $0.b]) }
  Row("the first of two errors", "205:1 245#", "250#b", gives: "205:1 245#", subscribed: "200-245; 200-245") {
    Observable.merge($0.a, $0.b)
  }
  Row(
    "a disposal ends all", "205:1 300|", "210:2 300:3", gives: "205:1 210:2", subscribed: "200-250; 200-250",
    disposed: 250
  ) { Observable.merge($0.a, $0.b) }
  Row(
    "elements at one time come in the order of the sources", "210:1 220|", "210:2 220|",
    gives: "210:1 210:2 220|"
  ) { Observable.merge($0.a, $0.b) }
  Row(
    "a source that fails at once keeps later ones from being subscribed", "210:1", gives: "200#",
    subscribed: ""
  ) {
    Observable.merge(.error(TestError.a), $0.a)
  }
  Row("the same source twice", "210:1 220|", gives: "210:1 210:1 220|", subscribed: "200-220 200-220") {
    Observable.merge($0.a, $0.a)
  }
}

@Rows private var nestedRows: [Row] {
  Row(
    "inner sequences interleave", "300:1 400:2 500|", "cold 10:1 60:2 120|", "cold 5:3 50|",
    gives: "310:1 360:2 405:3 500|", subscribed: "200-500; 300-420; 400-450"
  ) { $0.outer.merge() }
  Row(
    "it ends with the last", "300:1 310|", "cold 10:1 300|", gives: "310:1 600|",
    subscribed: "200-310; 300-600"
  ) {
    $0.outer.merge()
  }
  Row(
    "an inner error ends all", "300:1 400:2 500|", "cold 10:1 200:2", "cold 5#b", gives: "310:1 405#b",
    subscribed: "200-405; 300-405; 400-405"
  ) { $0.outer.merge() }
  Row(
    "an outer error ends all", "300:1 400#", "cold 10:1 200:2", gives: "310:1 400#",
    subscribed: "200-400; 300-400"
  ) {
    $0.outer.merge()
  }
  Row("empty", "300|", gives: "300|", subscribed: "200-300") { $0.outer.merge() }
  Row("never", "", gives: "", subscribed: "200-1000") { $0.outer.merge() }
  Row(
    "a disposal ends all", "300:1", "cold 10:1 200:2", gives: "310:1", subscribed: "200-400; 300-400",
    disposed: 400
  ) {
    $0.outer.merge()
  }
}

@Rows private var limitedRows: [Row] {
  Row(
    "two at a time", "210:1 220:2 230:3 300|", "cold 10:11 50|", "cold 10:21 100|", "cold 10:31 20|",
    gives: "220:11 230:21 270:31 320|", subscribed: "200-300; 210-260; 220-320; 260-280"
  ) {
    $0.outer.merge(maxConcurrent: 2)
  }
  Row(
    "one at a time is concat", "210:1 220:2 300|", "cold 10:11 50|", "cold 10:21 50|",
    gives: "220:11 270:21 310|",
    subscribed: "200-300; 210-260; 260-310"
  ) { $0.outer.merge(maxConcurrent: 1) }
  Row(
    "a high limit is merge", "210:1 220:2 300|", "cold 10:11 50|", "cold 10:21 50|",
    gives: "220:11 230:21 300|",
    subscribed: "200-300; 210-260; 220-270"
  ) { $0.outer.merge(maxConcurrent: 9) }
  Row(
    "an inner error drops the queue", "210:1 220:2 230:3", "cold 10:11 50#", "cold 10:21", "cold 10:31",
    gives: "220:11 230:21 260#", subscribed: "200-260; 210-260; 220-260; "
  ) { $0.outer.merge(maxConcurrent: 2) }
  Row(
    "an outer error drops the queue", "210:1 220:2 230:3 240#b", "cold 10:11 50|", "cold 5:21", "cold 10:31",
    gives: "220:11 225:21 240#b", subscribed: "200-240; 210-240; 220-240; "
  ) { $0.outer.merge(maxConcurrent: 2) }
  Row(
    "a disposal drops the queue", "210:1 220:2 300|", "cold 10:11 90|", "cold 10:21", gives: "220:11",
    subscribed: "200-250; 210-250; ", disposed: 250
  ) { $0.outer.merge(maxConcurrent: 1) }
  Row(
    "concat of a sequence of sequences", "210:1 220:2 230|", "cold 10:11 50|", "cold 10:21 50|",
    gives: "220:11 270:21 310|", subscribed: "200-230; 210-260; 260-310"
  ) { $0.outer.concat() }
  Row(
    "never inside holds the rest up", "210:1 220:2 300|", "cold 10:11", "cold 10:21", gives: "220:11",
    subscribed: "200-300; 210-1000; "
  ) { $0.outer.concat() }
}

@Rows private var concatRows: [Row] {
  Row("empty and empty", "230|", "250|", gives: "250|", subscribed: "200-230; 230-250") { $0.a.concat($0.b) }
  Row("empty and never", "230|", "", gives: "", subscribed: "200-230; 230-1000") { $0.a.concat($0.b) }
  Row("never and empty", "", "230|", gives: "", subscribed: "200-1000; ") { $0.a.concat($0.b) }
  Row("never and never", "", "", gives: "", subscribed: "200-1000; ") { $0.a.concat($0.b) }
  Row("empty and error", "230|", "250#", gives: "250#", subscribed: "200-230; 230-250") { $0.a.concat($0.b) }
  Row("error and empty", "230#", "250|", gives: "230#", subscribed: "200-230; ") { $0.a.concat($0.b) }
  Row("error and error", "230#", "250#b", gives: "230#", subscribed: "200-230; ") { $0.a.concat($0.b) }
  Row("an element and empty", "210:2 230|", "250|", gives: "210:2 250|", subscribed: "200-230; 230-250") {
    $0.a.concat($0.b)
  }
  Row("empty and an element", "230|", "240:2 250|", gives: "240:2 250|", subscribed: "200-230; 230-250") {
    $0.a.concat($0.b)
  }
  Row("an element and never", "210:2 230|", "", gives: "210:2", subscribed: "200-230; 230-1000") {
    $0.a.concat($0.b)
  }
  Row(
    "elements of both; what the second says before its turn is lost", "210:2 220:3 230|", "225:8 235:4 250|",
    gives: "210:2 220:3 235:4 250|", subscribed: "200-230; 230-250"
  ) { $0.a.concat($0.b) }
  Row("an element and an error", "210:2 230|", "250#", gives: "210:2 250#", subscribed: "200-230; 230-250") {
    $0.a.concat($0.b)
  }
  Row(
    "three cold ones", "cold 10:1 20|", "cold 10:2 20|", "cold 10:3 20|", gives: "210:1 230:2 250:3 260|",
    subscribed: "200-220; 220-240; 240-260"
  ) { Observable.concat([$0.a, $0.b, $0.c]) }
  Row(
    "a disposal during the second", "210:2 230|", "240:3 260:4", gives: "210:2 240:3",
    subscribed: "200-230; 230-250",
    disposed: 250
  ) { $0.a.concat($0.b) }
  Row("a sequence after itself", "cold 10:1 20|", gives: "210:1 230:1 240|", subscribed: "200-220 220-240") {
    $0.a.concat($0.a)
  }
}
