// SPDX-License-Identifier: Apache-2.0

import Dispatch
import MusubiRx
import Testing

extension ReactiveCore {
  @Suite struct `The take family` {
    @Test(arguments: takeRows) func `take a number`(row: Row) { row.check() }
    @Test(arguments: takeWhileRows) func `take while and until a predicate`(row: Row) { row.check() }
    @Test(arguments: takeUntilRows) func `take until another sequence`(row: Row) { row.check() }
    @Test(arguments: takeLastRows) func `take the last`(row: Row) { row.check() }
    @Test(arguments: takeForRows) func `take for a time`(row: Row) { row.check() }

    @Test func `take counts an element before it is delivered`() {
      let subject = PublishSubject<Int>()
      let log = Log()
      let subscription = subject.take(2).subscribe { event in
        log.note(Script.text(event))
        if let element = event.element { subject.onNext(element + 1) }
      }

      subject.onNext(1)

      #expect(log.entries.filter { $0 != "|" }.count == 2)
      #expect(log.entries.last == "|")
      #expect(!subject.hasObservers)
      subscription.dispose()
    }

    @Test func `take of an endless sequence ends`() {
      #expect(immediate(Observable.repeatElement(7).take(3)) == "7 7 7 |")
    }

    @Test func `each subscriber counts for itself`() {
      let source = Observable.of(1, 2, 3).take(2)
      #expect(immediate(source) == "1 2 |")
      #expect(immediate(source) == "1 2 |")
      let last = Observable.of(1, 2, 3).takeLast(2)
      #expect(immediate(last) == "2 3 |")
      #expect(immediate(last) == "2 3 |")
      let small = Observable.of(1, 2, 3, 1).take(while: { $0 < 3 })
      #expect(immediate(small) == "1 2 |")
      #expect(immediate(small) == "1 2 |")
    }

    @Test func `take until a sequence that emits at once takes nothing`() {
      #expect(immediate(Observable.of(1, 2).take(until: BehaviorSubject(value: 0))) == "|")
    }

    @Test func `the predicate is not asked after the end`() {
      var asked: [Int] = []
      let subject = PublishSubject<Int>()
      let subscription = subject.take(while: {
        asked.append($0)
        return $0 < 3
      }).subscribe()
      for element in 1...5 { subject.onNext(element) }
      subscription.dispose()
      #expect(asked == [1, 2, 3])
    }
  }
}

private func fail(at bad: Int, _ element: Int, _ result: Bool) throws -> Bool {
  if element == bad { throw TestError.a }
  return result
}

private let ramp = "150:9 210:1 220:2 230:3 240:4 250:5 300|"

@Rows private var takeRows: [Row] {
  Row("more than there are", ramp, gives: "210:1 220:2 230:3 240:4 250:5 300|", subscribed: "200-300") {
    $0.a.take(20)
  }
  Row("as many as there are", ramp, gives: "210:1 220:2 230:3 240:4 250:5 250|", subscribed: "200-250") {
    $0.a.take(5)
  }
  Row("some", ramp, gives: "210:1 220:2 230:3 230|", subscribed: "200-230") { $0.a.take(3) }
  Row("one", ramp, gives: "210:1 210|", subscribed: "200-210") { $0.a.take(1) }
  Row("none ends at once", ramp, gives: "200|", subscribed: "") { $0.a.take(0) }
  Row(
    "an error after enough stays unheard", "210:1 220:2 230#", gives: "210:1 220:2 220|",
    subscribed: "200-220"
  ) {
    $0.a.take(2)
  }
  Row("an error before enough passes", "210:1 230#", gives: "210:1 230#", subscribed: "200-230") {
    $0.a.take(2)
  }
  Row("a disposal before enough", ramp, gives: "210:1 220:2", subscribed: "200-225", disposed: 225) {
    $0.a.take(3)
  }
  Row("a disposal after enough", ramp, gives: "210:1 220:2 220|", subscribed: "200-220", disposed: 400) {
    $0.a.take(2)
  }
  Row("never", "150:1", gives: "", subscribed: "200-1000") { $0.a.take(2) }
  Row("empty", "230|", gives: "230|", subscribed: "200-230") { $0.a.take(2) }
  Row("take of take", ramp, gives: "210:1 220:2 220|", subscribed: "200-220") { $0.a.take(3).take(2) }
  Row("then again", "cold 10:1 20:2 30|", gives: "210:1 220:1 220|", subscribed: "200-210 210-220") {
    $0.a.take(1).concat($0.a.take(1))
  }
}

@Rows private var takeWhileRows: [Row] {
  Row("ends with the source", ramp, gives: "210:1 220:2 230:3 240:4 250:5 300|", subscribed: "200-300") {
    $0.a.take(while: { $0 < 9 })
  }
  Row("ends before the first that fails", ramp, gives: "210:1 220:2 230|", subscribed: "200-230") {
    $0.a.take(while: { $0 < 3 })
  }
  Row("inclusive delivers the one that fails", ramp, gives: "210:1 220:2 230:3 230|", subscribed: "200-230") {
    $0.a.take(while: { $0 < 3 }, behavior: .inclusive)
  }
  Row("exclusive is the default", ramp, gives: "210:1 220|", subscribed: "200-220") {
    $0.a.take(while: { $0 < 2 }, behavior: .exclusive)
  }
  Row("none", ramp, gives: "210|", subscribed: "200-210") { $0.a.take(while: { _ in false }) }
  Row("inclusive: only the first", ramp, gives: "210:1 210|", subscribed: "200-210") {
    $0.a.take(while: { _ in false }, behavior: .inclusive)
  }
  Row("an error before", "210:1 220#", gives: "210:1 220#", subscribed: "200-220") {
    $0.a.take(while: { $0 < 3 })
  }
  Row("an error after stays unheard", "210:1 220:5 230#", gives: "210:1 220|", subscribed: "200-220") {
    $0.a.take(while: { $0 < 3 })
  }
  Row("a disposal before", ramp, gives: "210:1", subscribed: "200-215", disposed: 215) {
    $0.a.take(while: { $0 < 3 })
  }
  Row("a throwing predicate fails it", ramp, gives: "210:1 220:2 230#", subscribed: "200-230") {
    $0.a.take(while: { try fail(at: 3, $0, true) })
  }
  Row("inclusive: a throwing predicate fails it", ramp, gives: "210:1 220#", subscribed: "200-220") {
    $0.a.take(while: { try fail(at: 2, $0, true) }, behavior: .inclusive)
  }
  Row("while: never", "150:1", gives: "", subscribed: "200-1000") { $0.a.take(while: { _ in true }) }
  Row("while: empty", "230|", gives: "230|", subscribed: "200-230") { $0.a.take(while: { _ in true }) }
  Row("until a predicate", ramp, gives: "210:1 220:2 230|", subscribed: "200-230") {
    $0.a.take(until: { $0 == 3 })
  }
  Row("until a predicate, inclusive", ramp, gives: "210:1 220:2 230:3 230|", subscribed: "200-230") {
    $0.a.take(until: { $0 == 3 }, behavior: .inclusive)
  }
  Row(
    "until: a predicate that never holds", ramp, gives: "210:1 220:2 230:3 240:4 250:5 300|",
    subscribed: "200-300"
  ) {
    $0.a.take(until: { _ in false })
  }
  Row("until: a throwing predicate fails it", ramp, gives: "210:1 220#", subscribed: "200-220") {
    $0.a.take(until: { try fail(at: 2, $0, false) })
  }
  Row("until, inclusive: an error before", "210:1 220#b", gives: "210:1 220#b", subscribed: "200-220") {
    $0.a.take(until: { $0 == 3 }, behavior: .inclusive)
  }
}

@Rows private var takeUntilRows: [Row] {
  Row(
    "an element of the other ends it", ramp, "225:0 228:0 300|", gives: "210:1 220:2 225|",
    subscribed: "200-225; 200-225"
  ) { $0.a.take(until: $0.b) }
  Row(
    "an error of the other fails it", ramp, "225#b", gives: "210:1 220:2 225#b",
    subscribed: "200-225; 200-225"
  ) {
    $0.a.take(until: $0.b)
  }
  Row(
    "the other's end changes nothing", "210:1 230:2 250|", "225|", gives: "210:1 230:2 250|",
    subscribed: "200-250; 200-225"
  ) { $0.a.take(until: $0.b) }
  Row("the other is silent", "210:1 250|", "", gives: "210:1 250|", subscribed: "200-250; 200-250") {
    $0.a.take(until: $0.b)
  }
  Row("both are silent", "", "", gives: "", subscribed: "200-1000; 200-1000") { $0.a.take(until: $0.b) }
  Row("never, ended by the other", "", "225:0", gives: "225|", subscribed: "200-225; 200-225") {
    $0.a.take(until: $0.b)
  }
  Row("never, the other empty", "", "225|", gives: "", subscribed: "200-1000; 200-225") {
    $0.a.take(until: $0.b)
  }
  Row(
    "an error of the source lets the other go", "210:1 220#", "240:0", gives: "210:1 220#",
    subscribed: "200-220; 200-220"
  ) { $0.a.take(until: $0.b) }
  Row("before the first element", "230:1 240|", "210:0", gives: "210|", subscribed: "200-210; 200-210") {
    $0.a.take(until: $0.b)
  }
  Row(
    "what the other said before does not count", "210:1 240|", "190:0", gives: "210:1 240|",
    subscribed: "200-240; 200-240"
  ) { $0.a.take(until: $0.b) }
  Row("a disposal lets both go", ramp, "300:0", gives: "210:1", subscribed: "200-215; 200-215", disposed: 215)
  {
    $0.a.take(until: $0.b)
  }
}

@Rows private var takeLastRows: [Row] {
  Row("none", ramp, gives: "300|", subscribed: "200-300") { $0.a.takeLast(0) }
  Row("one", ramp, gives: "300:5 300|", subscribed: "200-300") { $0.a.takeLast(1) }
  Row("three, in order", ramp, gives: "300:3 300:4 300:5 300|", subscribed: "200-300") { $0.a.takeLast(3) }
  Row("more than there are", "210:1 220:2 300|", gives: "300:1 300:2 300|", subscribed: "200-300") {
    $0.a.takeLast(9)
  }
  Row("an error drops them", "210:1 220:2 230#", gives: "230#", subscribed: "200-230") { $0.a.takeLast(1) }
  Row("none, and an error", "210:1 230#b", gives: "230#b", subscribed: "200-230") { $0.a.takeLast(0) }
  Row("never", "210:1", gives: "", subscribed: "200-1000") { $0.a.takeLast(1) }
  Row("empty", "230|", gives: "230|", subscribed: "200-230") { $0.a.takeLast(1) }
  Row("a disposal", ramp, gives: "", subscribed: "200-250", disposed: 250) { $0.a.takeLast(1) }
  Row("a taker that has enough", ramp, gives: "300:4 300|", subscribed: "200-300") {
    $0.a.takeLast(2).take(1)
  }
}

@Rows private var takeForRows: [Row] {
  Row("ends after the time", ramp, gives: "210:1 220:2 225|", subscribed: "200-225") {
    $0.a.take(for: .seconds(25), scheduler: $0.scheduler)
  }
  Row("the source ends before", "210:1 220|", gives: "210:1 220|", subscribed: "200-220") {
    $0.a.take(for: .seconds(25), scheduler: $0.scheduler)
  }
  Row("an error before", "210:1 220#", gives: "210:1 220#", subscribed: "200-220") {
    $0.a.take(for: .seconds(25), scheduler: $0.scheduler)
  }
  Row("never", "", gives: "225|", subscribed: "200-225") {
    $0.a.take(for: .seconds(25), scheduler: $0.scheduler)
  }
  Row("no time at all", ramp, gives: "201|", subscribed: "200-201") {
    $0.a.take(for: .seconds(0), scheduler: $0.scheduler)
  }
  Row("the shorter of two times counts", ramp, gives: "210:1 215|", subscribed: "200-215") {
    $0.a.take(for: .seconds(25), scheduler: $0.scheduler).take(for: .seconds(15), scheduler: $0.scheduler)
  }
  Row("a disposal before", ramp, gives: "210:1", subscribed: "200-215", disposed: 215) {
    $0.a.take(for: .seconds(25), scheduler: $0.scheduler)
  }
}
