// SPDX-License-Identifier: Apache-2.0

import Dispatch
import MusubiRx
import Testing

extension ReactiveCore {
  @Suite struct `Operators of one idea` {
    @Test(arguments: elementRows) func `element(at:), single and ifEmpty`(row: Row) { row.check() }
    @Test(arguments: distinctRows) func `distinctUntilChanged`(row: Row) { row.check() }
    @Test(arguments: ambRows) func `amb`(row: Row) { row.check() }
    @Test(arguments: sampleRows) func `sample`(row: Row) { row.check() }
    @Test(arguments: materializeRows) func `materialize and dematerialize`(row: Row) { row.check() }
    @Test(arguments: groupRows) func `groupBy`(row: Row) { row.check() }
    @Test(arguments: bufferRows) func `buffer and window`(row: Row) { row.check() }
    @Test(arguments: startRows) func `startWith`(row: Row) { row.check() }

    @Test func `amb has one winner, also if a loser that is let go has another one deliver`() {
      let subjects = (0..<3).map { _ in PublishSubject<Int>() }
      let log = Log()
      let loser = subjects[1].do(onDispose: { subjects[2].onNext(3) })
      let subscription = Observable.amb([subjects[0].asObservable(), loser, subjects[2].asObservable()])
        .subscribe(log.observer())

      subjects[0].onNext(1)
      subjects[0].onNext(2)

      #expect(log.text == "1 2")
      #expect(!subjects[1].hasObservers && !subjects[2].hasObservers)
      subscription.dispose()
      #expect(!subjects[0].hasObservers)
    }

    @Test func `withUnretained pairs the object with the elements`() {
      let log = Log()
      let subject = PublishSubject<Int>()
      let subscription = subject.withUnretained(log).subscribe(onNext: { object, element in
        object.note("\(element)")
      })
      subject.onNext(1)
      #expect(log.text == "1")
      subscription.dispose()
    }

    @Test func `withUnretained ends when the object is gone`() {
      var object: Log? = Log()
      let subject = PublishSubject<Int>()
      let seen = Log()
      let transformed = object.map { object in
        subject.withUnretained(object) { _, element in element * 10 }.subscribe(seen.observer())
      }
      subject.onNext(1)
      object = nil
      subject.onNext(2)
      #expect(seen.text == "10 |")
      #expect(!subject.hasObservers)
      transformed?.dispose()
    }

    @Test func `withUnretained does not keep the object alive`() {
      let subject = PublishSubject<Int>()
      var object: Log? = Log()
      weak let watched = object
      let subscription = object.map { subject.withUnretained($0).subscribe() }
      object = nil
      #expect(watched == nil)
      subscription?.dispose()
    }

    @Test func `a group is heard by those who subscribe at its birth`() {
      let subject = PublishSubject<Int>()
      let log = Log()
      let subscription = subject.groupBy { $0 % 2 == 0 ? "even" : "odd" }
        .flatMap { group in group.map { "\(group.key)\($0)" } }
        .subscribe(log.observer())
      for element in 1...4 { subject.onNext(element) }
      subject.onCompleted()
      #expect(log.text == "odd1 even2 odd3 even4 |")
      subscription.dispose()
    }
  }
}

private func fail(at bad: Int, _ element: Int, _ result: Bool) throws -> Bool {
  if element == bad { throw TestError.a }
  return result
}

@Rows private var elementRows: [Row] {
  Row("element(at:): the first", "210:1 220:2 300|", gives: "210:1 210|", subscribed: "200-210") {
    $0.a.element(at: 0)
  }
  Row("element(at:): a later one", "210:1 220:2 300|", gives: "220:2 220|", subscribed: "200-220") {
    $0.a.element(at: 1)
  }
  Row("element(at:): beyond the end", "210:1 300|", gives: "300#argumentOutOfRange", subscribed: "200-300") {
    $0.a.element(at: 1)
  }
  Row("element(at:): an error before", "210:1 300#b", gives: "300#b", subscribed: "200-300") {
    $0.a.element(at: 1)
  }
  Row("element(at:): never", "210:1", gives: "", subscribed: "200-1000") { $0.a.element(at: 1) }
  Row("element(at:): a disposal", "210:1 230:2", gives: "", subscribed: "200-220", disposed: 220) {
    $0.a.element(at: 1)
  }
  Row("single: one", "210:1 300|", gives: "210:1 300|", subscribed: "200-300") { $0.a.single() }
  Row("single: none", "300|", gives: "300#noElements", subscribed: "200-300") { $0.a.single() }
  Row("single: two", "210:1 220:2 300|", gives: "210:1 220#moreThanOneElement", subscribed: "200-220") {
    $0.a.single()
  }
  Row("single: an error", "210:1 300#b", gives: "210:1 300#b", subscribed: "200-300") { $0.a.single() }
  Row("single: never", "", gives: "", subscribed: "200-1000") { $0.a.single() }
  Row("single with a predicate: one", "210:1 220:2 230:3 300|", gives: "220:2 300|", subscribed: "200-300") {
    $0.a.single { $0 == 2 }
  }
  Row("single with a predicate: none", "210:1 300|", gives: "300#noElements") { $0.a.single { $0 == 2 } }
  Row("single with a predicate: two", "210:2 220:2 300|", gives: "210:2 220#moreThanOneElement") {
    $0.a.single { $0 == 2 }
  }
  Row("single with a predicate: it throws", "210:1 220:2 300|", gives: "220#", subscribed: "200-220") {
    $0.a.single { try fail(at: 2, $0, false) }
  }
  Row("ifEmpty default: empty", "250|", gives: "250:9 250|", subscribed: "200-250") {
    $0.a.ifEmpty(default: 9)
  }
  Row("ifEmpty default: elements", "210:1 250|", gives: "210:1 250|", subscribed: "200-250") {
    $0.a.ifEmpty(default: 9)
  }
  Row("ifEmpty default: an error", "250#", gives: "250#") { $0.a.ifEmpty(default: 9) }
  Row("ifEmpty default: never", "", gives: "", subscribed: "200-1000") { $0.a.ifEmpty(default: 9) }
  Row("ifEmpty switch: empty", "250|", "cold 10:9 20|", gives: "260:9 270|", subscribed: "200-250; 250-270") {
    $0.a.ifEmpty(switchTo: $0.b)
  }
  Row("ifEmpty switch: elements", "210:1 250|", "cold 10:9 20|", gives: "210:1 250|", subscribed: "200-250; ")
  {
    $0.a.ifEmpty(switchTo: $0.b)
  }
  Row("ifEmpty switch: an error", "250#", "cold 10:9", gives: "250#", subscribed: "200-250; ") {
    $0.a.ifEmpty(switchTo: $0.b)
  }
  Row("ifEmpty switch: the other fails", "250|", "cold 10#b", gives: "260#b", subscribed: "200-250; 250-260")
  {
    $0.a.ifEmpty(switchTo: $0.b)
  }
  Row("ifEmpty switch: never", "", "cold 10#b", gives: "", subscribed: "200-1000; ") {
    $0.a.ifEmpty(switchTo: $0.b)
  }
}

@Rows private var distinctRows: [Row] {
  Row("never", "150:1", gives: "", subscribed: "200-1000") { $0.a.distinctUntilChanged() }
  Row("empty", "250|", gives: "250|", subscribed: "200-250") { $0.a.distinctUntilChanged() }
  Row("all differ", "210:1 220:2 230:1 250|", gives: "210:1 220:2 230:1 250|") { $0.a.distinctUntilChanged() }
  Row("all the same", "210:1 220:1 230:1 250|", gives: "210:1 250|", subscribed: "200-250") {
    $0.a.distinctUntilChanged()
  }
  Row("some", "210:1 220:1 230:2 240:2 245:1 250|", gives: "210:1 230:2 245:1 250|") {
    $0.a.distinctUntilChanged()
  }
  Row("an error passes", "210:1 220:1 230#", gives: "210:1 230#", subscribed: "200-230") {
    $0.a.distinctUntilChanged()
  }
  Row("a disposal", "210:1 230:2", gives: "210:1", subscribed: "200-220", disposed: 220) {
    $0.a.distinctUntilChanged()
  }
  Row("a comparer that always says yes", "210:1 220:2 250|", gives: "210:1 250|") {
    $0.a.distinctUntilChanged { (_: Int, _: Int) in true }
  }
  Row("a comparer that always says no", "210:1 220:1 250|", gives: "210:1 220:1 250|") {
    $0.a.distinctUntilChanged { (_: Int, _: Int) in false }
  }
  Row(
    "the comparer sees the last delivered one first", "210:1 220:2 230:3 240:5 250|",
    gives: "210:1 230:3 240:5 250|"
  ) {
    $0.a.distinctUntilChanged { (old: Int, new: Int) in new - old < 2 }
  }
  Row("a comparer that throws", "210:1 220:2 250|", gives: "210:1 220#", subscribed: "200-220") {
    $0.a.distinctUntilChanged { (_: Int, new: Int) in try fail(at: 2, new, false) }
  }
  Row("a key", "210:1 220:3 230:2 240:4 250|", gives: "210:1 230:2 250|") {
    $0.a.distinctUntilChanged { $0 % 2 }
  }
  Row("a key that throws", "210:1 220:2 250|", gives: "210:1 220#", subscribed: "200-220") {
    $0.a.distinctUntilChanged { (element: Int) in try fail(at: 2, element, true) }
  }
  Row("a key and a comparer", "210:1 220:3 230:2 250|", gives: "210:1 230:2 250|") {
    $0.a.distinctUntilChanged({ $0 % 2 }, comparer: { $0 == $1 })
  }
  Row("a property", "210:1 220:3 230:12 250|", gives: "210:1 230:12 250|") {
    $0.a.map { "\($0)" }.distinctUntilChanged(at: \.count)
  }
}

@Rows private var ambRows: [Row] {
  Row(
    "the first to speak wins: left", "210:1 240:3 300|", "220:2 400|", gives: "210:1 240:3 300|",
    subscribed: "200-300; 200-210"
  ) { $0.a.amb($0.b) }
  Row(
    "the first to speak wins: right", "220:1 300|", "210:2 250:4 400|", gives: "210:2 250:4 400|",
    subscribed: "200-210; 200-400"
  ) { $0.a.amb($0.b) }
  Row("never and never", "", "", gives: "", subscribed: "200-1000; 200-1000") { $0.a.amb($0.b) }
  Row("never and elements", "", "210:2 220|", gives: "210:2 220|", subscribed: "200-210; 200-220") {
    $0.a.amb($0.b)
  }
  Row("an end wins too", "210|", "220:2", gives: "210|", subscribed: "200-210; 200-210") { $0.a.amb($0.b) }
  Row("an error wins too", "210#", "220:2", gives: "210#", subscribed: "200-210; 200-210") { $0.a.amb($0.b) }
  Row(
    "the loser's error stays unheard", "210:1 250|", "230#", gives: "210:1 250|",
    subscribed: "200-250; 200-210"
  ) {
    $0.a.amb($0.b)
  }
  Row(
    "the winner's error passes", "210:1 230#b", "220:2", gives: "210:1 230#b", subscribed: "200-230; 200-210"
  ) {
    $0.a.amb($0.b)
  }
  Row(
    "a disposal before the race is over", "250:1", "260:2", gives: "", subscribed: "200-220; 200-220",
    disposed: 220
  ) {
    $0.a.amb($0.b)
  }
  Row("three of them", "230:1", "210:2 240|", "220:3", gives: "210:2 240|") {
    Observable.amb([$0.a, $0.b, $0.c])
  }
}

@Rows private var sampleRows: [Row] {
  Row(
    "the latest at each tick, once", "210:1 220:2 240:3 600:4", "225:0 230:0 250:0 300:0",
    gives: "225:2 250:3"
  ) {
    $0.a.sample($0.b)
  }
  Row(
    "the end waits for the next tick", "210:1 250|", "225:0 300:0", gives: "225:1 300|",
    subscribed: "200-250; 200-300"
  ) { $0.a.sample($0.b) }
  Row(
    "an error passes at once", "210:1 250#", "225:0 300:0", gives: "225:1 250#",
    subscribed: "200-250; 200-250"
  ) {
    $0.a.sample($0.b)
  }
  Row(
    "an error of the sampler", "210:1 400|", "225:0 230#b", gives: "225:1 230#b",
    subscribed: "200-230; 200-230"
  ) {
    $0.a.sample($0.b)
  }
  Row("no elements", "", "225:0 300:0", gives: "", subscribed: "200-1000; 200-1000") { $0.a.sample($0.b) }
  Row("the sampler's end takes what waits", "210:1 220:2", "230|", gives: "230:2") { $0.a.sample($0.b) }
  Row("a default stands in", "230:1", "210:0 240:0 250:0", gives: "210:7 240:1 250:7") {
    $0.a.sample($0.b, defaultValue: 7)
  }
  Row(
    "a disposal", "210:1 230:2", "220:0 240:0", gives: "220:1", subscribed: "200-235; 200-235", disposed: 235
  ) {
    $0.a.sample($0.b)
  }
}

@Rows private var materializeRows: [Row] {
  Row("never", "", gives: "", subscribed: "200-1000") { $0.a.materialize() }
  Row("the end is an element and the end", "250|", gives: "250:completed 250|", subscribed: "200-250") {
    $0.a.materialize()
  }
  Row("elements", "210:1 250|", gives: "210:next(1) 250:completed 250|") { $0.a.materialize() }
  Row(
    "an error is an element, then it ends", "210:1 250#b", gives: "210:next(1) 250:error(b) 250|",
    subscribed: "200-250"
  ) { $0.a.materialize() }
  Row("back again", "210:1 220:2 250|", gives: "210:1 220:2 250|", subscribed: "200-250") {
    $0.a.materialize().dematerialize()
  }
  Row("an error back again", "210:1 250#b", gives: "210:1 250#b", subscribed: "200-250") {
    $0.a.materialize().dematerialize()
  }
  Row("never back again", "", gives: "", subscribed: "200-1000") { $0.a.materialize().dematerialize() }
  Row("an end inside ends it early", "210:1 220:2 230:3", gives: "210:1 220|", subscribed: "200-220") {
    $0.a.map { $0 == 2 ? Event<Int>.completed : .next($0) }.dematerialize()
  }
  Row("an error inside fails it early", "210:1 220:2 230:3", gives: "210:1 220#", subscribed: "200-220") {
    $0.a.map { $0 == 2 ? Event<Int>.error(TestError.a) : .next($0) }.dematerialize()
  }
  Row("an error of the outer sequence", "210:1 220#b", gives: "210:1 220#b", subscribed: "200-220") {
    $0.a.map { Event<Int>.next($0) }.dematerialize()
  }
}

@Rows private var groupRows: [Row] {
  Row(
    "a group for each key", "210:1 220:2 230:3 240:4 250|", gives: "210:k1 220:k0 250|", subscribed: "200-250"
  ) {
    $0.a.groupBy { $0 % 2 }.map { "k\($0.key)" }
  }
  Row("an error passes", "210:1 250#", gives: "210:k1 250#", subscribed: "200-250") {
    $0.a.groupBy { $0 % 2 }.map { "k\($0.key)" }
  }
  Row("empty", "250|", gives: "250|", subscribed: "200-250") { $0.a.groupBy { $0 % 2 }.map { "k\($0.key)" } }
  Row("never", "", gives: "", subscribed: "200-1000") { $0.a.groupBy { $0 % 2 }.map { "k\($0.key)" } }
  Row("a throwing key fails it", "210:1 220:2 250|", gives: "210:ktrue 220#", subscribed: "200-220") {
    $0.a.groupBy { try fail(at: 2, $0, true) }.map { "k\($0.key)" }
  }
  Row("groups carry their elements and end", "210:1 220:2 230:3 250|", gives: "210:1:1 220:0:2 230:1:3 250|")
  {
    $0.a.groupBy { $0 % 2 }.flatMap { group in group.map { "\(group.key):\($0)" } }
  }
  Row("groups fail with the source", "210:1 250#b", gives: "210:1:1 250#b") {
    $0.a.groupBy { $0 % 2 }.flatMap { group in group.map { "\(group.key):\($0)" } }
  }
  Row("a disposal", "210:1 230:2", gives: "210:k1", subscribed: "200-220", disposed: 220) {
    $0.a.groupBy { $0 % 2 }.map { "k\($0.key)" }
  }
}

@Rows private var bufferRows: [Row] {
  Row(
    "buffer: by number", "210:1 220:2 230:3 240:4 250:5 300|", gives: "220:[1,2] 240:[3,4] 300:[5] 300|",
    subscribed: "200-300"
  ) { $0.a.buffer(timeSpan: .seconds(500), count: 2, scheduler: $0.scheduler) }
  Row("buffer: by time", "210:1 220:2 260:3 310|", gives: "250:[1,2] 300:[3] 310:[] 310|") {
    $0.a.buffer(timeSpan: .seconds(50), count: 9, scheduler: $0.scheduler)
  }
  Row(
    "buffer: a full one starts the time again", "210:1 220:2 260:3 280|",
    gives: "220:[1,2] 270:[3] 280:[] 280|"
  ) {
    $0.a.buffer(timeSpan: .seconds(50), count: 2, scheduler: $0.scheduler)
  }
  Row("buffer: an error drops what waits", "210:1 220#", gives: "220#", subscribed: "200-220") {
    $0.a.buffer(timeSpan: .seconds(50), count: 9, scheduler: $0.scheduler)
  }
  Row("buffer: empty ones keep coming", "", gives: "250:[] 300:[]", disposed: 320) {
    $0.a.buffer(timeSpan: .seconds(50), count: 9, scheduler: $0.scheduler)
  }
  Row("buffer: a disposal", "210:1 230:2", gives: "", subscribed: "200-220", disposed: 220) {
    $0.a.buffer(timeSpan: .seconds(50), count: 9, scheduler: $0.scheduler)
  }
  Row(
    "window: by number", "210:1 220:2 230:3 300|", gives: "210:0:1 220:0:2 230:1:3 300|",
    subscribed: "200-300"
  ) {
    $0.a.window(timeSpan: .seconds(500), count: 2, scheduler: $0.scheduler).enumerated()
      .flatMap { index, window in window.map { "\(index):\($0)" } }
  }
  Row("window: by time", "210:1 260:2 270:3 310|", gives: "210:0:1 260:1:2 270:1:3 310|") {
    $0.a.window(timeSpan: .seconds(50), count: 9, scheduler: $0.scheduler).enumerated()
      .flatMap { index, window in window.map { "\(index):\($0)" } }
  }
  Row("window: an error", "210:1 220#b", gives: "210:0:1 220#b") {
    $0.a.window(timeSpan: .seconds(50), count: 9, scheduler: $0.scheduler).enumerated()
      .flatMap { index, window in window.map { "\(index):\($0)" } }
  }
  Row("window: a disposal", "210:1 230:2", gives: "210:1", subscribed: "200-220", disposed: 220) {
    $0.a.window(timeSpan: .seconds(50), count: 9, scheduler: $0.scheduler).merge()
  }
}

@Rows private var startRows: [Row] {
  Row("one element", "210:1 250|", gives: "200:9 210:1 250|", subscribed: "200-250") { $0.a.startWith(9) }
  Row("several elements, in order", "210:1 250|", gives: "200:7 200:8 200:9 210:1 250|") {
    $0.a.startWith(7, 8, 9)
  }
  Row("never", "", gives: "200:9", subscribed: "200-1000") { $0.a.startWith(9) }
  Row("empty", "250|", gives: "200:9 250|") { $0.a.startWith(9) }
  Row("an error", "250#", gives: "200:9 250#", subscribed: "200-250") { $0.a.startWith(9) }
  Row("startWith of startWith", "210:1 250|", gives: "200:8 200:9 210:1 250|") {
    $0.a.startWith(9).startWith(8)
  }
  Row("nothing", "210:1 250|", gives: "210:1 250|") { $0.a.startWith() }
}
