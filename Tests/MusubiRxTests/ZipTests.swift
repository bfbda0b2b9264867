// SPDX-License-Identifier: Apache-2.0

import MusubiRx
import Testing

extension ReactiveCore {
  @Suite struct `Zip` {
    @Test(arguments: 2...8) func `silent sources stay silent`(count: Int) {
      Join.zip.row("never", count, gives: "", ends: 1000) { _ in "" }.check()
    }

    @Test(arguments: 2...8) func `empty sources end with the last of them`(count: Int) {
      let ends = (0..<count).map { "200-\(210 + 10 * $0)" }.joined(separator: "; ")
      Join.zip.row("empty", count, gives: "\(200 + 10 * count)|", subscribed: ends) { "\(210 + 10 * $0)|" }
        .check()
    }

    @Test(arguments: 2...8) func `elements pair by their position`(count: Int) {
      let first = Join.text(Array(1...count))
      let second = Join.text(Array(11..<(11 + count)))
      let expected = "\(200 + 10 * count):\(first) \(400 + 10 * count):\(second) 800|"
      Join.zip.row("symmetric", count, gives: expected, ends: 800) {
        "190:9 \(210 + 10 * $0):\($0 + 1) \(410 + 10 * $0):\($0 + 11) 800|"
      }.check()
    }

    @Test(arguments: Join.positions) func `an error of any source ends all`(count: Int, bad: Int) {
      Join.zip.row("error", count, gives: "250#b", ends: 250) { $0 == bad ? "250#b" : "210:1 400|" }.check()
    }

    @Test(arguments: 2...8) func `a throwing selector fails it and lets all sources go`(count: Int) {
      Join.zip.row("throws", count, gives: "220#", ends: 220, throwing: true) {
        $0 == 0 ? "220:1 400|" : "210:1 400|"
      }.check()
    }

    @Test(arguments: 2...8) func `a disposal lets all sources go`(count: Int) {
      let ones = Join.text(Array(repeating: 1, count: count))
      Join.zip.row("disposal", count, gives: "210:\(ones)", ends: 300, disposed: 300) { _ in
        "210:1 350:2 400|"
      }.check()
    }

    @Test(arguments: 2...8) func `elements wait for their partners`(count: Int) {
      let ends = (0..<count).map { $0 == 0 ? "200-900" : "200-300" }.joined(separator: "; ")
      let rounds = [1, 2, 3].map { "\(300 + 100 * $0):" + Join.text(Array(repeating: $0, count: count)) }
      Join.zip.row("waiting", count, gives: (rounds + ["900|"]).joined(separator: " "), subscribed: ends) {
        $0 == 0 ? "400:1 500:2 600:3 900|" : "210:1 220:2 230:3 300|"
      }.check()
    }

    @Test(arguments: 2...8) func `the tuple form delivers the same`(count: Int) {
      let ones = "(" + Array(repeating: "1", count: count).joined(separator: ",") + ")"
      Join.zipTuple.row("tuple", count, gives: "210:\(ones) 400|", ends: 400) { _ in "210:1 400|" }.check()
    }

    @Test(arguments: [1, 2, 3, 8, 20]) func `a collection of any size pairs`(count: Int) {
      let ones = Join.text(Array(repeating: 1, count: count))
      let twos = Join.text(Array(repeating: 2, count: count))
      Join.zipCollection.row("collection", count, gives: "210:\(ones) 300:\(twos) 400|", ends: 400) {
        $0 == 0 ? "210:1 300:2 400|" : "210:1 220:2 400|"
      }.check()
    }

    @Test(arguments: [1, 2, 3, 8]) func `an error in a collection ends all`(count: Int) {
      Join.zipCollection.row("error", count, gives: "250#", ends: 250) { $0 == count - 1 ? "250#" : "260:1" }
        .check()
    }

    @Test(arguments: [1, 2, 3, 8]) func `a throwing selector fails a collection`(count: Int) {
      Join.zipCollection.row("throws", count, gives: "210#", ends: 210, throwing: true) { _ in "210:1" }
        .check()
    }

    @Test func `no sources at all end at once`() {
      let none: [Observable<Int>] = []
      #expect(immediate(Observable.zip(none)) == "|")
      #expect(immediate(Observable<[Int]>.zip(none) { $0 }) == "|")
    }

    @Test(arguments: zipPairRows) func `two sources`(row: Row) { row.check() }

    @Test func `a subscriber that feeds the sources gets the next pair afterwards`() {
      let left = PublishSubject<Int>()
      let right = PublishSubject<Int>()
      var seen: [String] = []
      let subscription = Observable.zip(left, right) { "\($0)+\($1)" }.subscribe(onNext: { text in
        seen.append(text)
        if text == "1+10" {
          left.onNext(2)
          right.onNext(20)
        }
      })

      left.onNext(1)
      right.onNext(10)

      #expect(seen == ["1+10", "2+20"])
      subscription.dispose()
      #expect(!left.hasObservers && !right.hasObservers)
    }

    @Test func `different element types pair`() {
      #expect(
        immediate(Observable.zip(Observable.of(1, 2), Observable.of("a", "b"))) == "(1,\"a\") (2,\"b\") |")
    }
  }
}

private func sum(_ left: Int, _ right: Int) -> Int { left + right }

@Rows private var zipPairRows: [Row] {
  Row("never and empty", "150:1", "210|", gives: "", subscribed: "200-1000; 200-210") {
    Observable.zip($0.a, $0.b, resultSelector: sum)
  }
  Row("never and elements", "150:1", "215:2 230|", gives: "", subscribed: "200-1000; 200-230") {
    Observable.zip($0.a, $0.b, resultSelector: sum)
  }
  Row("never and error", "150:1", "220#", gives: "220#", subscribed: "200-220; 200-220") {
    Observable.zip($0.a, $0.b, resultSelector: sum)
  }
  Row("two errors: the first counts", "230#", "220#b", gives: "220#b", subscribed: "200-220; 200-220") {
    Observable.zip($0.a, $0.b, resultSelector: sum)
  }
  Row(
    "an error behind unpaired elements", "215:2 220:3 225#", "230:1", gives: "225#",
    subscribed: "200-225; 200-225"
  ) { Observable.zip($0.a, $0.b, resultSelector: sum) }
  Row("pairs, then the end", "215:2 230|", "220:3 240|", gives: "220:5 240|", subscribed: "200-230; 200-240")
  {
    Observable.zip($0.a, $0.b, resultSelector: sum)
  }
  Row(
    "pairs, then an error of the live one", "215:2 225:4 230|", "220:3 235#", gives: "220:5 235#",
    subscribed: "200-230; 200-235"
  ) { Observable.zip($0.a, $0.b, resultSelector: sum) }
  Row(
    "elements at one time pair", "215:1 225:2 240|", "215:10 225:20 240|", gives: "215:11 225:22 240|",
    subscribed: "200-240; 200-240"
  ) { Observable.zip($0.a, $0.b, resultSelector: sum) }
  Row(
    "an element that cannot be paired any more ends nothing", "210:1 220|", "215:2 225:3 240|",
    gives: "215:3 240|", subscribed: "200-220; 200-240"
  ) { Observable.zip($0.a, $0.b, resultSelector: sum) }
  Row(
    "of a collection it ends all", "210:1 220|", "215:2 225:3 240|", gives: "215:[1,2] 225|",
    subscribed: "200-220; 200-225"
  ) { Observable.zip([$0.a, $0.b]) }
  Row("the same source twice", "210:1 220:2 230|", gives: "210:2 220:4 230|", subscribed: "200-230 200-230") {
    Observable.zip($0.a, $0.a, resultSelector: sum)
  }
  Row(
    "the selector throws for the second pair", "210:1 220:2 230:3 240|", "215:1 225:2 235:3 240|",
    gives: "215:2 225#", subscribed: "200-225; 200-225"
  ) {
    Observable.zip($0.a, $0.b) { left, right -> Int in
      if left == 2 { throw TestError.a }
      return left + right
    }
  }
}
