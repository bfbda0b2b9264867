// SPDX-License-Identifier: Apache-2.0

import MusubiRx
import Testing

extension ReactiveCore {
  @Suite struct `Map, filter and their relatives` {
    @Test(arguments: mapRows) func `map`(row: Row) { row.check() }
    @Test(arguments: filterRows) func `filter`(row: Row) { row.check() }
    @Test(arguments: compactRows) func `compactMap`(row: Row) { row.check() }
    @Test(arguments: ignoreRows) func `ignoreElements`(row: Row) { row.check() }

    @Test func `a chain of maps applies them in order`() {
      #expect(
        immediate(Observable.of(1, 2).map { $0 + 1 }.map { $0 * 10 }.map { "<\($0)>" }) == "<20> <30> |")
    }

    @Test func `map calls its closure once per element and subscriber`() {
      var calls = 0
      let source = Observable.of(1, 2, 3).map { (element: Int) -> Int in
        calls += 1
        return element
      }

      #expect(immediate(source) == "1 2 3 |")
      #expect(immediate(source) == "1 2 3 |")
      #expect(calls == 6)
    }

    @Test func `nothing is mapped after a disposal within the closure`() {
      let subject = PublishSubject<Int>()
      let serial = SerialDisposable()
      var seen: [Int] = []
      serial.disposable = subject.map { (element: Int) -> Int in
        serial.dispose()
        return element
      }.subscribe(onNext: { seen.append($0) })

      subject.onNext(1)
      subject.onNext(2)

      #expect(seen == [])
      #expect(!subject.hasObservers)
    }

    @Test func `filter hands the same object through`() {
      final class Thing {}
      let thing = Thing()
      var seen: Thing?
      _ = Observable.just(thing).filter { _ in true }.subscribe(onNext: { seen = $0 })
      #expect(seen === thing)
    }
  }
}

private func fail<Result>(at bad: Int, _ element: Int, _ result: Result) throws -> Result {
  if element == bad { throw TestError.a }
  return result
}

@Rows private var mapRows: [Row] {
  Row("never stays silent", "150:1", gives: "", subscribed: "200-1000") { $0.a.map { $0 * 2 } }
  Row("empty ends", "150:1 300|", gives: "300|", subscribed: "200-300") { $0.a.map { $0 * 2 } }
  Row(
    "a range is mapped", "150:1 210:0 220:1 230:2 240:4 300|", gives: "210:0 220:2 230:4 240:8 300|",
    subscribed: "200-300"
  ) { $0.a.map { $0 * 2 } }
  Row("an error passes", "210:0 220:1 300#", gives: "210:0 220:2 300#", subscribed: "200-300") {
    $0.a.map { $0 * 2 }
  }
  Row(
    "a disposal ends it", "210:0 220:1 240:4 300|", gives: "210:0 220:2", subscribed: "200-230", disposed: 230
  ) { $0.a.map { $0 * 2 } }
  Row(
    "a throwing closure fails it", "210:0 220:1 230:2 300|", gives: "210:0 220:1 230#", subscribed: "200-230"
  ) {
    $0.a.map { try fail(at: 2, $0, $0) }
  }
  Row("another type comes out", "210:0 220:1 300|", gives: "210:n0 220:n1 300|") { $0.a.map { "n\($0)" } }
  Row("map of map: never", "150:1", gives: "", subscribed: "200-1000") { $0.a.map { $0 * 2 }.map { $0 + 1 } }
  Row("map of map: empty", "300|", gives: "300|", subscribed: "200-300") {
    $0.a.map { $0 * 2 }.map { $0 + 1 }
  }
  Row("map of map: range", "210:0 220:1 240:4 300|", gives: "210:1 220:3 240:9 300|") {
    $0.a.map { $0 * 2 }.map { $0 + 1 }
  }
  Row("map of map: error", "210:0 300#b", gives: "210:1 300#b") { $0.a.map { $0 * 2 }.map { $0 + 1 } }
  Row("map of map: disposal", "210:0 240:4 300|", gives: "210:1", subscribed: "200-220", disposed: 220) {
    $0.a.map { $0 * 2 }.map { $0 + 1 }
  }
  Row("map of map: the first throws", "210:0 220:1 300|", gives: "210:1 220#", subscribed: "200-220") {
    $0.a.map { try fail(at: 1, $0, $0) }.map { $0 + 1 }
  }
  Row("map of map: the second throws", "210:0 220:1 300|", gives: "210:0 220#", subscribed: "200-220") {
    $0.a.map { $0 * 2 }.map { try fail(at: 2, $0, $0) }
  }
  Row(
    "a cold source starts at the subscription", "cold 10:1 20:2 30|", gives: "210:2 220:4 230|",
    subscribed: "200-230"
  ) { $0.a.map { $0 * 2 } }
}

@Rows private var filterRows: [Row] {
  Row("never", "150:1", gives: "", subscribed: "200-1000") { $0.a.filter { _ in true } }
  Row("empty", "150:1 250|", gives: "250|", subscribed: "200-250") { $0.a.filter { _ in true } }
  Row("all pass", "210:1 220:2 250|", gives: "210:1 220:2 250|", subscribed: "200-250") {
    $0.a.filter { _ in true }
  }
  Row("none pass", "210:1 220:2 250|", gives: "250|", subscribed: "200-250") { $0.a.filter { _ in false } }
  Row("some pass", "190:2 210:1 220:2 230:3 240:4 600|", gives: "220:2 240:4 600|") {
    $0.a.filter { $0 % 2 == 0 }
  }
  Row("an error passes", "210:1 220:2 250#", gives: "220:2 250#", subscribed: "200-250") {
    $0.a.filter { $0 % 2 == 0 }
  }
  Row(
    "a disposal ends it", "210:2 220:4 240:6 250|", gives: "210:2 220:4", subscribed: "200-230", disposed: 230
  ) {
    $0.a.filter { $0 % 2 == 0 }
  }
  Row("a throwing predicate fails it", "210:2 220:4 230:6 250|", gives: "210:2 220#", subscribed: "200-220") {
    $0.a.filter { try fail(at: 4, $0, true) }
  }
  Row("filters combine", "210:1 220:2 230:3 240:6 250|", gives: "240:6 250|") {
    $0.a.filter { $0 % 2 == 0 }.filter { $0 % 3 == 0 }
  }
}

@Rows private var compactRows: [Row] {
  Row("never", "150:1", gives: "", subscribed: "200-1000") { $0.a.compactMap { $0 } }
  Row("empty", "250|", gives: "250|", subscribed: "200-250") { $0.a.compactMap { $0 } }
  Row("nil is left out", "210:1 220:2 230:3 250|", gives: "210:1 230:3 250|", subscribed: "200-250") {
    $0.a.compactMap { $0 == 2 ? nil : $0 }
  }
  Row("all nil", "210:1 220:2 250|", gives: "250|") { $0.a.compactMap { _ -> Int? in nil } }
  Row("the transformed type comes out", "210:1 220:2 250|", gives: "220:two 250|") {
    $0.a.compactMap { $0 == 2 ? "two" : nil }
  }
  Row("an error passes", "210:1 250#", gives: "210:1 250#", subscribed: "200-250") { $0.a.compactMap { $0 } }
  Row("a throwing closure fails it", "210:1 220:2 250|", gives: "210:1 220#", subscribed: "200-220") {
    $0.a.compactMap { element -> Int? in try fail(at: 2, element, element) }
  }
  Row("a disposal ends it", "210:1 220:2 250|", gives: "210:1", subscribed: "200-215", disposed: 215) {
    $0.a.compactMap { $0 }
  }
}

@Rows private var ignoreRows: [Row] {
  Row("only the end is left", "210:1 220:2 250|", gives: "250|", subscribed: "200-250") {
    $0.a.ignoreElements()
  }
  Row("only the error is left", "210:1 250#", gives: "250#", subscribed: "200-250") { $0.a.ignoreElements() }
  Row("never", "210:1", gives: "", subscribed: "200-1000") { $0.a.ignoreElements() }
}
