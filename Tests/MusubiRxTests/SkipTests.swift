// SPDX-License-Identifier: Apache-2.0

import Dispatch
import MusubiRx
import Testing

extension ReactiveCore {
  @Suite struct `The skip family` {
    @Test(arguments: skipRows) func `skip a number`(row: Row) { row.check() }
    @Test(arguments: skipWhileRows) func `skip while`(row: Row) { row.check() }
    @Test(arguments: skipUntilRows) func `skip until`(row: Row) { row.check() }
    @Test(arguments: skipTimeRows) func `skip for a time`(row: Row) { row.check() }

    @Test func `each subscriber counts for itself`() {
      let source = Observable.of(1, 2, 3).skip(2)
      #expect(immediate(source) == "3 |")
      #expect(immediate(source) == "3 |")
      let late = Observable.of(1, 5, 1).skip(while: { $0 < 3 })
      #expect(immediate(late) == "5 1 |")
      #expect(immediate(late) == "5 1 |")
    }

    @Test func `the predicate is asked until it fails, not after`() {
      var asked: [Int] = []
      let source = Observable.of(1, 2, 3, 4).skip(while: {
        asked.append($0)
        return $0 < 2
      })
      #expect(immediate(source) == "2 3 4 |")
      #expect(asked == [1, 2])
    }
  }
}

private func fail(at bad: Int, _ element: Int, _ result: Bool) throws -> Bool {
  if element == bad { throw TestError.a }
  return result
}

private let ramp = "150:9 210:1 220:2 230:3 240:4 250:5 300|"

@Rows private var skipRows: [Row] {
  Row("more than there are", ramp, gives: "300|", subscribed: "200-300") { $0.a.skip(20) }
  Row("as many as there are", ramp, gives: "300|", subscribed: "200-300") { $0.a.skip(5) }
  Row("some", ramp, gives: "240:4 250:5 300|", subscribed: "200-300") { $0.a.skip(3) }
  Row("none", ramp, gives: "210:1 220:2 230:3 240:4 250:5 300|", subscribed: "200-300") { $0.a.skip(0) }
  Row("an error while skipping", "210:1 220#", gives: "220#", subscribed: "200-220") { $0.a.skip(3) }
  Row("an error afterwards", "210:1 220:2 230#b", gives: "220:2 230#b", subscribed: "200-230") {
    $0.a.skip(1)
  }
  Row("never", "150:1", gives: "", subscribed: "200-1000") { $0.a.skip(1) }
  Row("empty", "230|", gives: "230|", subscribed: "200-230") { $0.a.skip(1) }
  Row("a disposal while skipping", ramp, gives: "", subscribed: "200-225", disposed: 225) { $0.a.skip(3) }
  Row("a disposal afterwards", ramp, gives: "240:4", subscribed: "200-245", disposed: 245) { $0.a.skip(3) }
  Row("skip of skip", ramp, gives: "240:4 250:5 300|") { $0.a.skip(1).skip(2) }
  Row("skip and take", ramp, gives: "220:2 230:3 230|", subscribed: "200-230") { $0.a.skip(1).take(2) }
}

@Rows private var skipWhileRows: [Row] {
  Row("opens at the first that fails", ramp, gives: "230:3 240:4 250:5 300|", subscribed: "200-300") {
    $0.a.skip(while: { $0 < 3 })
  }
  Row("stays open", "210:1 220:5 230:1 240|", gives: "220:5 230:1 240|") { $0.a.skip(while: { $0 < 3 }) }
  Row("never opens", ramp, gives: "300|", subscribed: "200-300") { $0.a.skip(while: { _ in true }) }
  Row("is open from the start", ramp, gives: "210:1 220:2 230:3 240:4 250:5 300|") {
    $0.a.skip(while: { _ in false })
  }
  Row("an error while skipping", "210:1 220#", gives: "220#", subscribed: "200-220") {
    $0.a.skip(while: { $0 < 3 })
  }
  Row("an error afterwards", "210:4 220#", gives: "210:4 220#", subscribed: "200-220") {
    $0.a.skip(while: { $0 < 3 })
  }
  Row("a throwing predicate fails it", ramp, gives: "220#", subscribed: "200-220") {
    $0.a.skip(while: { try fail(at: 2, $0, true) })
  }
  Row("a disposal while skipping", ramp, gives: "", subscribed: "200-225", disposed: 225) {
    $0.a.skip(while: { $0 < 3 })
  }
  Row("a disposal afterwards", ramp, gives: "230:3", subscribed: "200-235", disposed: 235) {
    $0.a.skip(while: { $0 < 3 })
  }
}

@Rows private var skipUntilRows: [Row] {
  Row(
    "an element of the other opens it", ramp, "225:0 300|", gives: "230:3 240:4 250:5 300|",
    subscribed: "200-300; 200-225"
  ) { $0.a.skip(until: $0.b) }
  Row("an error of the other fails it", ramp, "225#b", gives: "225#b", subscribed: "200-225; 200-225") {
    $0.a.skip(until: $0.b)
  }
  Row(
    "an error of the other after its element stays unheard", ramp, "225:0 235#b",
    gives: "230:3 240:4 250:5 300|", subscribed: "200-300; 200-225"
  ) { $0.a.skip(until: $0.b) }
  Row("the other ends without an element: nothing opens", ramp, "225|", gives: "") { $0.a.skip(until: $0.b) }
  Row("the other is silent", ramp, "", gives: "") { $0.a.skip(until: $0.b) }
  Row("never, opened", "", "225:0", gives: "", subscribed: "200-1000; 200-225") { $0.a.skip(until: $0.b) }
  Row("never, and an error of the other", "", "225#", gives: "225#", subscribed: "200-225; 200-225") {
    $0.a.skip(until: $0.b)
  }
  Row(
    "an error of the source while closed", "210:1 220#", "230:0", gives: "220#",
    subscribed: "200-220; 200-220"
  ) {
    $0.a.skip(until: $0.b)
  }
  Row("a disposal lets both go", ramp, "290:0", gives: "", subscribed: "200-225; 200-225", disposed: 225) {
    $0.a.skip(until: $0.b)
  }
  Row("what the other said before does not count", ramp, "190:0 235:0", gives: "240:4 250:5 300|") {
    $0.a.skip(until: $0.b)
  }
}

@Rows private var skipTimeRows: [Row] {
  Row("opens after the time", ramp, gives: "230:3 240:4 250:5 300|", subscribed: "200-300") {
    $0.a.skip(.seconds(25), scheduler: $0.scheduler)
  }
  Row("the source ends before", "210:1 220|", gives: "220|", subscribed: "200-220") {
    $0.a.skip(.seconds(25), scheduler: $0.scheduler)
  }
  Row("an error before", "210:1 220#", gives: "220#", subscribed: "200-220") {
    $0.a.skip(.seconds(25), scheduler: $0.scheduler)
  }
  Row("never", "", gives: "", subscribed: "200-1000") { $0.a.skip(.seconds(25), scheduler: $0.scheduler) }
  Row("hardly any time", ramp, gives: "210:1 220:2 230:3 240:4 250:5 300|") {
    $0.a.skip(.seconds(0), scheduler: $0.scheduler)
  }
}
