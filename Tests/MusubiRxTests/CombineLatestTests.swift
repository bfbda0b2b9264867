// SPDX-License-Identifier: Apache-2.0

import MusubiRx
import Testing

extension ReactiveCore {
  @Suite struct `CombineLatest` {
    @Test(arguments: 2...8) func `silent sources stay silent`(count: Int) {
      Join.combineLatest.row("never", count, gives: "", ends: 1000) { _ in "" }.check()
    }

    @Test(arguments: 2...8) func `empty sources end with the last of them`(count: Int) {
      let ends = (0..<count).map { "200-\(210 + 10 * $0)" }.joined(separator: "; ")
      Join.combineLatest.row("empty", count, gives: "\(200 + 10 * count)|", subscribed: ends) {
        "\(210 + 10 * $0)|"
      }
      .check()
    }

    @Test(arguments: 2...8) func `one silent source keeps the others waiting`(count: Int) {
      let ends = (0..<count).map { $0 == count - 1 ? "200-1000" : "200-600" }.joined(separator: "; ")
      Join.combineLatest.row("one never", count, gives: "", subscribed: ends) {
        $0 == count - 1 ? "" : "210:1 600|"
      }.check()
    }

    @Test(arguments: 2...8) func `every element after the first round combines with the latest others`(
      count: Int
    ) {
      var latest = Array(1...count)
      var expected = ["\(200 + 10 * count):\(Join.text(latest))"]
      for index in 0..<count {
        latest[index] = 10 + index
        expected.append("\(410 + 10 * index):\(Join.text(latest))")
      }
      expected.append("800|")

      Join.combineLatest.row("typical", count, gives: expected.joined(separator: " "), ends: 800) {
        "190:9 \(210 + 10 * $0):\($0 + 1) \(410 + 10 * $0):\(10 + $0) 800|"
      }.check()
    }

    @Test(arguments: 2...8) func `a source that ended keeps its latest element`(count: Int) {
      let ends = (0..<count).map { $0 == 0 ? "200-300" : "200-500" }.joined(separator: "; ")
      let first = Array(repeating: 1, count: count)
      var second = first
      second[count - 1] = 2
      let expected = "220:\(Join.text(first)) 400:\(Join.text(second)) 500|"
      Join.combineLatest.row("kept", count, gives: expected, subscribed: ends) {
        $0 == 0 ? "210:1 300|" : $0 == count - 1 ? "220:1 400:2 500|" : "215:1 500|"
      }.check()
    }

    @Test(arguments: Join.positions) func `an error of any source ends all`(count: Int, bad: Int) {
      Join.combineLatest.row("error", count, gives: "250#b", ends: 250) {
        $0 == bad ? "250#b" : "210:1 400|"
      }.check()
    }

    @Test(arguments: 2...8) func `an error after elements follows them`(count: Int) {
      let ones = Join.text(Array(repeating: 1, count: count))
      Join.combineLatest.row("late error", count, gives: "230:\(ones) 300#", ends: 300) {
        $0 == 0 ? "230:1 300#" : "210:1"
      }.check()
    }

    @Test(arguments: 2...8) func `a throwing selector fails it and lets all sources go`(count: Int) {
      Join.combineLatest.row("throws", count, gives: "220#", ends: 220, throwing: true) {
        $0 == 0 ? "220:1 400|" : "210:1 400|"
      }.check()
    }

    @Test(arguments: 2...8) func `a disposal lets all sources go`(count: Int) {
      let ones = Join.text(Array(repeating: 1, count: count))
      Join.combineLatest.row("disposal", count, gives: "210:\(ones)", ends: 300, disposed: 300) { _ in
        "210:1 350:2 400|"
      }.check()
    }

    @Test(arguments: 2...8) func `a sole live source among empty ones ends it with its first element`(
      count: Int
    ) {
      let ends = (0..<count).map { $0 == 1 ? "200-300" : "200-210" }.joined(separator: "; ")
      Join.combineLatest.row("sole", count, gives: "300|", subscribed: ends) {
        $0 == 1 ? "300:1 400|" : "210|"
      }.check()
    }

    @Test(arguments: 2...8) func `the tuple form delivers the same`(count: Int) {
      let ones = "(" + Array(repeating: "1", count: count).joined(separator: ",") + ")"
      Join.combineLatestTuple.row("tuple", count, gives: "210:\(ones) 400|", ends: 400) { _ in "210:1 400|" }
        .check()
    }

    @Test(arguments: [1, 2, 3, 8, 20]) func `a collection of any size combines`(count: Int) {
      var latest = Array(repeating: 1, count: count)
      let first = Join.text(latest)
      latest[0] = 7
      let expected = "210:\(first) 300:\(Join.text(latest)) 400|"
      Join.combineLatestCollection.row("collection", count, gives: expected, ends: 400) {
        $0 == 0 ? "210:1 300:7 400|" : "210:1 400|"
      }.check()
    }

    @Test(arguments: [1, 2, 3, 8]) func `an error in a collection ends all`(count: Int) {
      Join.combineLatestCollection.row("error", count, gives: "250#", ends: 250) {
        $0 == count - 1 ? "250#" : "210:1"
      }.check()
    }

    @Test(arguments: [1, 2, 3, 8]) func `a throwing selector fails a collection`(count: Int) {
      Join.combineLatestCollection.row("throws", count, gives: "210#", ends: 210, throwing: true) { _ in
        "210:1"
      }
      .check()
    }

    @Test(arguments: [1, 2, 3, 8]) func `a collection of empty sources ends`(count: Int) {
      Join.combineLatestCollection.row("empty", count, gives: "300|", ends: 300) { _ in "300|" }.check()
    }

    @Test func `no sources at all give one empty list`() {
      let none: [Observable<Int>] = []
      #expect(immediate(Observable<[Int]>.combineLatest(none) { $0 }) == "[] |")
      #expect(immediate(Observable.combineLatest(none)) == "[] |")
    }

    @Test func `no sources and a throwing selector fail`() {
      let none: [Observable<Int>] = []
      #expect(immediate(Observable<Int>.combineLatest(none) { _ in throw TestError.b }) == "#b")
    }

    @Test(arguments: pairRows) func `two sources`(row: Row) { row.check() }

    @Test func `a subscriber that feeds a source gets both combinations in order`() {
      let left = BehaviorSubject(value: 1)
      let right = BehaviorSubject(value: 10)
      var seen: [String] = []
      let subscription = Observable.combineLatest(left, right) { "\($0)+\($1)" }.subscribe(onNext: { text in
        seen.append(text)
        if text == "2+10" { right.onNext(20) }
      })

      left.onNext(2)

      #expect(seen == ["1+10", "2+10", "2+20"])
      subscription.dispose()
      #expect(!left.hasObservers && !right.hasObservers)
    }

    @Test func `different element types combine`() {
      let result = Observable.combineLatest(Observable.just(1), Observable.just("a"), Observable.just(2.5))
      #expect(immediate(result) == "(1,\"a\",2.5) |")
    }
  }
}

private func sum(_ left: Int, _ right: Int) -> Int { left + right }

@Rows private var pairRows: [Row] {
  Row("never and empty", "150:1", "210|", gives: "", subscribed: "200-1000; 200-210") {
    Observable.combineLatest($0.a, $0.b, resultSelector: sum)
  }
  Row("empty and never", "210|", "150:1", gives: "", subscribed: "200-210; 200-1000") {
    Observable.combineLatest($0.a, $0.b, resultSelector: sum)
  }
  Row("an element, then empty", "215:2 220|", "210|", gives: "215|", subscribed: "200-215; 200-210") {
    Observable.combineLatest($0.a, $0.b, resultSelector: sum)
  }
  Row("empty later than the element", "215:2 230|", "220|", gives: "230|", subscribed: "200-230; 200-220") {
    Observable.combineLatest($0.a, $0.b, resultSelector: sum)
  }
  Row("never and error", "150:1", "220#", gives: "220#", subscribed: "200-220; 200-220") {
    Observable.combineLatest($0.a, $0.b, resultSelector: sum)
  }
  Row("two errors: the first counts", "220#", "230#b", gives: "220#", subscribed: "200-220; 200-220") {
    Observable.combineLatest($0.a, $0.b, resultSelector: sum)
  }
  Row(
    "errors at one time: the earlier source counts", "220#", "220#b", gives: "220#",
    subscribed: "200-220; 200-220"
  ) { Observable.combineLatest($0.a, $0.b, resultSelector: sum) }
  Row(
    "an error after the end of the other", "210:2 215|", "220#", gives: "220#", subscribed: "200-215; 200-220"
  ) {
    Observable.combineLatest($0.a, $0.b, resultSelector: sum)
  }
  Row(
    "an end after the error stays unseen", "230|", "210:1 220#b", gives: "220#b",
    subscribed: "200-220; 200-220"
  ) { Observable.combineLatest($0.a, $0.b, resultSelector: sum) }
  Row(
    "interleaved", "215:2 225:4 230|", "220:3 230:5 235:6 240:7 250|",
    gives: "220:5 225:7 230:9 235:10 240:11 250|", subscribed: "200-230; 200-250"
  ) {
    Observable.combineLatest($0.a, $0.b, resultSelector: sum)
  }
  Row(
    "one after the other", "215:2 225:4 230|", "235:6 240:7 250|", gives: "235:10 240:11 250|",
    subscribed: "200-230; 200-250"
  ) { Observable.combineLatest($0.a, $0.b, resultSelector: sum) }
  Row(
    "one after the other, then an error", "215:2 225:4 230|", "235:6 240:7 250#", gives: "235:10 240:11 250#",
    subscribed: "200-230; 200-250"
  ) { Observable.combineLatest($0.a, $0.b, resultSelector: sum) }
  Row(
    "elements from before the subscription do not count", "150:1 215:2 230|", "150:5 240|", gives: "240|",
    subscribed: "200-230; 200-240"
  ) { Observable.combineLatest($0.a, $0.b, resultSelector: sum) }
  Row(
    "the same source twice", "210:1 220:2 230|", gives: "210:2 220:3 220:4 230|",
    subscribed: "200-230 200-230"
  ) { Observable.combineLatest($0.a, $0.a, resultSelector: sum) }
  Row("a source that ends at once", "210:1 220:2 230|", gives: "210:11 220:12 230|", subscribed: "200-230") {
    Observable.combineLatest($0.a, Observable.just(10), resultSelector: sum)
  }
  Row("a source that fails at once", "210:1 230|", gives: "200#", subscribed: "200-200") {
    Observable.combineLatest($0.a, Observable<Int>.error(TestError.a), resultSelector: sum)
  }
}
