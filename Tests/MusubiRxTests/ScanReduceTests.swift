// SPDX-License-Identifier: Apache-2.0

import MusubiRx
import Testing

extension ReactiveCore {
  @Suite struct `Scan, reduce and toArray` {
    @Test(arguments: scanRows) func `scan`(row: Row) { row.check() }
    @Test(arguments: reduceRows) func `reduce`(row: Row) { row.check() }
    @Test(arguments: collectRows) func `toArray and enumerated`(row: Row) { row.check() }

    @Test func `each subscriber starts from the seed`() {
      let scanned = Observable.of(1, 2).scan(10, accumulator: +)
      #expect(immediate(scanned) == "11 13 |")
      #expect(immediate(scanned) == "11 13 |")
      let reduced = Observable.of(1, 2).reduce(10, accumulator: +)
      #expect(immediate(reduced) == "13 |")
      #expect(immediate(reduced) == "13 |")
      let collected = Observable.of(1, 2).scan(into: []) { (list: inout [Int], element: Int) in
        list.append(element)
      }
      #expect(immediate(collected) == "[1] [1,2] |")
      #expect(immediate(collected) == "[1] [1,2] |")
      let array = Observable.of(1, 2).toArray()
      #expect(immediate(array) == "[1,2] |")
      #expect(immediate(array) == "[1,2] |")
    }
  }
}

private func add(_ sum: Int, _ element: Int) throws -> Int {
  if element == 99 { throw TestError.a }
  return sum + element
}

private func addInto(_ sum: inout Int, _ element: Int) throws {
  if element == 99 { throw TestError.a }
  sum += element
}

@Rows private var scanRows: [Row] {
  Row("never", "150:1", gives: "", subscribed: "200-1000") { $0.a.scan(42, accumulator: add) }
  Row("empty: the seed is not delivered", "250|", gives: "250|", subscribed: "200-250") {
    $0.a.scan(42, accumulator: add)
  }
  Row("one element", "220:2 250|", gives: "220:44 250|", subscribed: "200-250") {
    $0.a.scan(42, accumulator: add)
  }
  Row("many elements", "210:2 220:3 230:4 250|", gives: "210:44 220:47 230:51 250|") {
    $0.a.scan(42, accumulator: add)
  }
  Row("an error passes", "210:2 250#", gives: "210:44 250#", subscribed: "200-250") {
    $0.a.scan(42, accumulator: add)
  }
  Row("only an error", "250#b", gives: "250#b", subscribed: "200-250") { $0.a.scan(42, accumulator: add) }
  Row("a throwing closure fails it", "210:2 220:99 230:3 250|", gives: "210:44 220#", subscribed: "200-220") {
    $0.a.scan(42, accumulator: add)
  }
  Row("a disposal", "210:2 240:3 250|", gives: "210:44", subscribed: "200-230", disposed: 230) {
    $0.a.scan(42, accumulator: add)
  }
  Row("another type", "210:2 220:3 250|", gives: "210:2 220:23 250|") { $0.a.scan("") { "\($0)\($1)" } }
  Row("into: never", "150:1", gives: "", subscribed: "200-1000") { $0.a.scan(into: 42, accumulator: addInto) }
  Row("into: empty", "250|", gives: "250|", subscribed: "200-250") {
    $0.a.scan(into: 42, accumulator: addInto)
  }
  Row("into: many elements", "210:2 220:3 250|", gives: "210:44 220:47 250|", subscribed: "200-250") {
    $0.a.scan(into: 42, accumulator: addInto)
  }
  Row("into: an error passes", "210:2 250#", gives: "210:44 250#", subscribed: "200-250") {
    $0.a.scan(into: 42, accumulator: addInto)
  }
  Row("into: a throwing closure fails it", "210:2 220:99 250|", gives: "210:44 220#", subscribed: "200-220") {
    $0.a.scan(into: 42, accumulator: addInto)
  }
  Row("into: a disposal", "210:2 240:3 250|", gives: "210:44", subscribed: "200-230", disposed: 230) {
    $0.a.scan(into: 42, accumulator: addInto)
  }
}

@Rows private var reduceRows: [Row] {
  Row("never", "150:1", gives: "", subscribed: "200-1000") { $0.a.reduce(42, accumulator: add) }
  Row("empty: the seed is the result", "250|", gives: "250:42 250|", subscribed: "200-250") {
    $0.a.reduce(42, accumulator: add)
  }
  Row("one element", "220:2 250|", gives: "250:44 250|", subscribed: "200-250") {
    $0.a.reduce(42, accumulator: add)
  }
  Row("many elements", "210:2 220:3 250|", gives: "250:47 250|", subscribed: "200-250") {
    $0.a.reduce(42, accumulator: add)
  }
  Row("an error passes, without a result", "210:2 250#", gives: "250#", subscribed: "200-250") {
    $0.a.reduce(42, accumulator: add)
  }
  Row("a throwing closure fails it", "210:2 220:99 250|", gives: "220#", subscribed: "200-220") {
    $0.a.reduce(42, accumulator: add)
  }
  Row("a disposal", "210:2 250|", gives: "", subscribed: "200-230", disposed: 230) {
    $0.a.reduce(42, accumulator: add)
  }
  Row("a result that never comes", "210:2", gives: "", subscribed: "200-1000") {
    $0.a.reduce(42, accumulator: add)
  }
  Row("mapResult: empty", "250|", gives: "250:420 250|", subscribed: "200-250") {
    $0.a.reduce(42, accumulator: add, mapResult: { $0 * 10 })
  }
  Row("mapResult: many elements", "210:2 220:3 250|", gives: "250:470 250|") {
    $0.a.reduce(42, accumulator: add, mapResult: { $0 * 10 })
  }
  Row("mapResult: an error passes", "210:2 250#b", gives: "250#b", subscribed: "200-250") {
    $0.a.reduce(42, accumulator: add, mapResult: { $0 * 10 })
  }
  Row("mapResult: a throwing accumulator", "210:99 250|", gives: "210#", subscribed: "200-210") {
    $0.a.reduce(42, accumulator: add, mapResult: { $0 * 10 })
  }
  Row("mapResult: a throwing mapping", "210:2 250|", gives: "250#b", subscribed: "200-250") {
    $0.a.reduce(42, accumulator: add, mapResult: { _ -> Int in throw TestError.b })
  }
}

@Rows private var collectRows: [Row] {
  Row("toArray of many", "210:1 220:2 250|", gives: "250:[1,2] 250|", subscribed: "200-250") {
    $0.a.toArray().asObservable()
  }
  Row("toArray of one", "210:1 250|", gives: "250:[1] 250|") { $0.a.toArray().asObservable() }
  Row("toArray of none", "250|", gives: "250:[] 250|") { $0.a.toArray().asObservable() }
  Row("toArray of an error", "210:1 250#", gives: "250#", subscribed: "200-250") {
    $0.a.toArray().asObservable()
  }
  Row("toArray of never", "210:1", gives: "", subscribed: "200-1000") { $0.a.toArray().asObservable() }
  Row("enumerated counts from 0", "210:7 220:8 250|", gives: "210:0=7 220:1=8 250|", subscribed: "200-250") {
    $0.a.enumerated().map { "\($0.index)=\($0.element)" }
  }
  Row("enumerated: an error passes", "210:7 250#", gives: "210:0=7 250#") {
    $0.a.enumerated().map { "\($0.index)=\($0.element)" }
  }
  Row("enumerated: empty", "250|", gives: "250|") { $0.a.enumerated().map { "\($0.index)=\($0.element)" } }
  Row("enumerated: never", "", gives: "", subscribed: "200-1000") { $0.a.enumerated().map { "\($0.index)" } }
}
