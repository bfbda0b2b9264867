// SPDX-License-Identifier: Apache-2.0

import Dispatch
import MusubiRx
import MusubiTesting
import Testing

extension ReactiveCore {
  @Suite struct `Operators that know time` {
    @Test(arguments: debounceRows) func `debounce`(row: Row) { row.check() }
    @Test(arguments: throttleRows) func `throttle`(row: Row) { row.check() }
    @Test(arguments: delayRows) func `delay`(row: Row) { row.check() }
    @Test(arguments: delaySubscriptionRows) func `delaySubscription`(row: Row) { row.check() }
    @Test(arguments: subscribeOnRows) func `subscribe(on:)`(row: Row) { row.check() }
    @Test(arguments: timeoutRows) func `timeout`(row: Row) { row.check() }
    @Test(arguments: timerRows) func `timer and interval`(row: Row) { row.check() }

    @Test func `a scheduler whose ticks are shorter counts more of them`() {
      let scheduler = TestScheduler(initialClock: 0, resolution: 0.1)
      let source = scheduler.createHotObservable([.next(210, 1), .completed(500)])
      let result = scheduler.start { source.delay(.seconds(2), scheduler: scheduler) }
      #expect(Script.text(result.events) == "230:1 520|")
    }

    @Test func `milliseconds count as parts of a tick`() {
      let scheduler = TestScheduler(initialClock: 0, resolution: 0.001)
      let source = scheduler.createHotObservable([.next(210, 1), .completed(500)])
      let result = scheduler.start { source.delay(.milliseconds(20), scheduler: scheduler) }
      #expect(Script.text(result.events) == "230:1 520|")
    }

    @Test func `all timers are gone after the subscriber`() {
      let scheduler = TestScheduler(initialClock: 0)
      let log = Log()
      let subscription = Observable<Int>.interval(.seconds(10), scheduler: scheduler).subscribe(
        log.observer())
      scheduler.advanceTo(35)
      subscription.dispose()
      scheduler.start()
      #expect(log.text == "0 1 2")
    }
  }
}

@Rows private var debounceRows: [Row] {
  Row("never", "150:1", gives: "", subscribed: "200-1000") {
    $0.a.debounce(.seconds(10), scheduler: $0.scheduler)
  }
  Row("empty", "300|", gives: "300|", subscribed: "200-300") {
    $0.a.debounce(.seconds(10), scheduler: $0.scheduler)
  }
  Row("quiet elements all come, later", "210:1 240:2 270:3 300|", gives: "230:1 260:2 290:3 300|") {
    $0.a.debounce(.seconds(20), scheduler: $0.scheduler)
  }
  Row(
    "busy elements: only the last, at the end", "210:1 220:2 230:3 235|", gives: "235:3 235|",
    subscribed: "200-235"
  ) { $0.a.debounce(.seconds(50), scheduler: $0.scheduler) }
  Row("groups give their last", "210:1 215:2 260:3 265:4 400|", gives: "235:2 285:4 400|") {
    $0.a.debounce(.seconds(20), scheduler: $0.scheduler)
  }
  Row("an error drops what waits", "210:1 220#", gives: "220#", subscribed: "200-220") {
    $0.a.debounce(.seconds(50), scheduler: $0.scheduler)
  }
  Row("an error after quiet", "210:1 300#b", gives: "260:1 300#b", subscribed: "200-300") {
    $0.a.debounce(.seconds(50), scheduler: $0.scheduler)
  }
  Row("a disposal drops what waits", "210:1 400|", gives: "", subscribed: "200-220", disposed: 220) {
    $0.a.debounce(.seconds(50), scheduler: $0.scheduler)
  }
  Row("the end right after an element", "210:1 211|", gives: "211:1 211|") {
    $0.a.debounce(.seconds(50), scheduler: $0.scheduler)
  }
}

@Rows private var throttleRows: [Row] {
  Row("never", "150:1", gives: "", subscribed: "200-1000") {
    $0.a.throttle(.seconds(10), scheduler: $0.scheduler)
  }
  Row("empty", "300|", gives: "300|", subscribed: "200-300") {
    $0.a.throttle(.seconds(10), scheduler: $0.scheduler)
  }
  Row(
    "the first at once, the latest at the end of each time", "210:1 215:2 220:3 245:4 400|",
    gives: "210:1 240:3 270:4 400|"
  ) { $0.a.throttle(.seconds(30), scheduler: $0.scheduler) }
  Row("quiet elements come at once", "210:1 250:2 290:3 400|", gives: "210:1 250:2 290:3 400|") {
    $0.a.throttle(.seconds(30), scheduler: $0.scheduler)
  }
  Row(
    "without the latest: what comes too early is dropped", "210:1 215:2 235:3 250:4 400|",
    gives: "210:1 250:4 400|"
  ) { $0.a.throttle(.seconds(30), latest: false, scheduler: $0.scheduler) }
  Row("the end waits for the latest", "210:1 220:2 230|", gives: "210:1 260:2 260|") {
    $0.a.throttle(.seconds(50), scheduler: $0.scheduler)
  }
  Row("the end does not wait without the latest", "210:1 220:2 230|", gives: "210:1 230|") {
    $0.a.throttle(.seconds(50), latest: false, scheduler: $0.scheduler)
  }
  Row("an error drops what waits", "210:1 220:2 230#", gives: "210:1 230#", subscribed: "200-230") {
    $0.a.throttle(.seconds(50), scheduler: $0.scheduler)
  }
  Row("an error without the latest", "210:1 220:2 230#b", gives: "210:1 230#b", subscribed: "200-230") {
    $0.a.throttle(.seconds(50), latest: false, scheduler: $0.scheduler)
  }
  Row("a disposal drops what waits", "210:1 220:2", gives: "210:1", subscribed: "200-230", disposed: 230) {
    $0.a.throttle(.seconds(50), scheduler: $0.scheduler)
  }
}

@Rows private var delayRows: [Row] {
  Row("elements and the end move", "210:1 250:2 300|", gives: "310:1 350:2 400|", subscribed: "200-300") {
    $0.a.delay(.seconds(100), scheduler: $0.scheduler)
  }
  Row("the end of the observation comes before that of the delay", "210:1 300|", gives: "960:1") {
    $0.a.delay(.seconds(750), scheduler: $0.scheduler)
  }
  Row("a short delay", "210:1 250:2 300|", gives: "215:1 255:2 305|") {
    $0.a.delay(.seconds(5), scheduler: $0.scheduler)
  }
  Row("an error comes at once and drops what waits", "210:1 250:2 260#", gives: "260#", subscribed: "200-260")
  {
    $0.a.delay(.seconds(100), scheduler: $0.scheduler)
  }
  Row("an error behind delivered elements", "210:1 250:2 300#b", gives: "230:1 270:2 300#b") {
    $0.a.delay(.seconds(20), scheduler: $0.scheduler)
  }
  Row("never", "150:1", gives: "", subscribed: "200-1000") {
    $0.a.delay(.seconds(20), scheduler: $0.scheduler)
  }
  Row("empty", "300|", gives: "320|", subscribed: "200-300") {
    $0.a.delay(.seconds(20), scheduler: $0.scheduler)
  }
  Row("only an error", "300#", gives: "300#", subscribed: "200-300") {
    $0.a.delay(.seconds(20), scheduler: $0.scheduler)
  }
  Row("a disposal drops what waits", "210:1 250:2 300|", gives: "310:1", subscribed: "200-300", disposed: 340)
  {
    $0.a.delay(.seconds(100), scheduler: $0.scheduler)
  }
  Row(
    "elements at one time keep their order, a tick apart", "210:1 210:2 210:3 300|",
    gives: "260:1 261:2 262:3 350|"
  ) {
    $0.a.delay(.seconds(50), scheduler: $0.scheduler)
  }
  Row("delay of delay", "210:1 300|", gives: "240:1 330|") {
    $0.a.delay(.seconds(10), scheduler: $0.scheduler).delay(.seconds(20), scheduler: $0.scheduler)
  }
}

@Rows private var delaySubscriptionRows: [Row] {
  Row("a cold source starts later", "cold 50:1 60|", gives: "280:1 290|", subscribed: "230-290") {
    $0.a.delaySubscription(.seconds(30), scheduler: $0.scheduler)
  }
  Row("an error", "cold 50:1 60#", gives: "280:1 290#", subscribed: "230-290") {
    $0.a.delaySubscription(.seconds(30), scheduler: $0.scheduler)
  }
  Row("a hot source loses its start", "210:1 240:2 300|", gives: "240:2 300|", subscribed: "230-300") {
    $0.a.delaySubscription(.seconds(30), scheduler: $0.scheduler)
  }
  Row("a disposal before it starts", "cold 50:1", gives: "", subscribed: "", disposed: 220) {
    $0.a.delaySubscription(.seconds(30), scheduler: $0.scheduler)
  }
  Row("a disposal after it started", "cold 50:1 70:2", gives: "280:1", subscribed: "230-290", disposed: 290) {
    $0.a.delaySubscription(.seconds(30), scheduler: $0.scheduler)
  }
}

@Rows private var subscribeOnRows: [Row] {
  Row("the end", "150:1 210:2 300|", gives: "210:2 300|", subscribed: "201-301") {
    $0.sources[0].subscribe(on: $0.scheduler)
  }
  Row("an error", "210:2 300#", gives: "210:2 300#", subscribed: "201-301") {
    $0.sources[0].subscribe(on: $0.scheduler)
  }
  Row("a disposal", "210:2 300|", gives: "210:2", subscribed: "201-251", disposed: 250) {
    $0.sources[0].subscribe(on: $0.scheduler)
  }
  Row("a disposal before it starts", "210:2", gives: "", subscribed: "", disposed: 200) {
    $0.sources[0].subscribe(on: $0.scheduler)
  }
}

@Rows private var timeoutRows: [Row] {
  Row("in time", "210:1 250:2 290|", gives: "210:1 250:2 290|", subscribed: "200-290") {
    $0.a.timeout(.seconds(50), scheduler: $0.scheduler)
  }
  Row("nothing comes", "", gives: "250#timeout", subscribed: "200-250") {
    $0.a.timeout(.seconds(50), scheduler: $0.scheduler)
  }
  Row("too long a pause", "210:1 300:2", gives: "210:1 260#timeout", subscribed: "200-260") {
    $0.a.timeout(.seconds(50), scheduler: $0.scheduler)
  }
  Row("the end in time", "240|", gives: "240|", subscribed: "200-240") {
    $0.a.timeout(.seconds(50), scheduler: $0.scheduler)
  }
  Row("the end too late", "300|", gives: "250#timeout", subscribed: "200-250") {
    $0.a.timeout(.seconds(50), scheduler: $0.scheduler)
  }
  Row("an error in time", "240#b", gives: "240#b", subscribed: "200-240") {
    $0.a.timeout(.seconds(50), scheduler: $0.scheduler)
  }
  Row("an error too late", "300#b", gives: "250#timeout", subscribed: "200-250") {
    $0.a.timeout(.seconds(50), scheduler: $0.scheduler)
  }
  Row("each element starts the time again", "240:1 280:2 320:3 340|", gives: "240:1 280:2 320:3 340|") {
    $0.a.timeout(.seconds(50), scheduler: $0.scheduler)
  }
  Row("a disposal", "210:1", gives: "210:1", subscribed: "200-220", disposed: 220) {
    $0.a.timeout(.seconds(50), scheduler: $0.scheduler)
  }
  Row(
    "other: in time, it stays unsubscribed", "210:1 240|", "cold 10:9", gives: "210:1 240|",
    subscribed: "200-240; "
  ) { $0.a.timeout(.seconds(50), other: $0.b, scheduler: $0.scheduler) }
  Row(
    "other: too late, it takes over", "210:1 400:2", "cold 10:9 20|", gives: "210:1 270:9 280|",
    subscribed: "200-260; 260-280"
  ) { $0.a.timeout(.seconds(50), other: $0.b, scheduler: $0.scheduler) }
  Row("other: nothing comes", "", "cold 10:9", gives: "260:9", subscribed: "200-250; 250-1000") {
    $0.a.timeout(.seconds(50), other: $0.b, scheduler: $0.scheduler)
  }
  Row("other: it fails", "300|", "cold 10#b", gives: "260#b", subscribed: "200-250; 250-260") {
    $0.a.timeout(.seconds(50), other: $0.b, scheduler: $0.scheduler)
  }
  Row("other: an error in time", "240#", "cold 10:9", gives: "240#", subscribed: "200-240; ") {
    $0.a.timeout(.seconds(50), other: $0.b, scheduler: $0.scheduler)
  }
  Row(
    "other: a disposal after the change", "", "cold 10:9 40:8", gives: "260:9",
    subscribed: "200-250; 250-270",
    disposed: 270
  ) { $0.a.timeout(.seconds(50), other: $0.b, scheduler: $0.scheduler) }
  Row(
    "other: the time runs from the latest element", "230:1 260:2", "cold 10:9 20|",
    gives: "230:1 260:2 320:9 330|", subscribed: "200-310; 310-330"
  ) {
    $0.a.timeout(.seconds(50), other: $0.b, scheduler: $0.scheduler)
  }
}

@Rows private var timerRows: [Row] {
  Row("a timer fires once", gives: "300:0 300|") {
    Observable<Int>.timer(.seconds(100), scheduler: $0.scheduler)
  }
  Row("a timer without delay", gives: "201:0 201|") {
    Observable<Int>.timer(.seconds(0), scheduler: $0.scheduler)
  }
  Row("a timer that is disposed before", gives: "", disposed: 250) {
    Observable<Int>.timer(.seconds(100), scheduler: $0.scheduler)
  }
  Row("a timer that repeats", gives: "250:0 350:1 450:2 550:3", disposed: 600) {
    Observable<Int>.timer(.seconds(50), period: .seconds(100), scheduler: $0.scheduler)
  }
  Row("an interval", gives: "300:0 400:1 500:2 600:3 700:4 800:5 900:6") {
    Observable<Int>.interval(.seconds(100), scheduler: $0.scheduler)
  }
  Row("an interval that is disposed before", gives: "", disposed: 290) {
    Observable<Int>.interval(.seconds(100), scheduler: $0.scheduler)
  }
  Row("an interval of which some are taken", gives: "210:0 220:1 220|") {
    Observable<Int>.interval(.seconds(10), scheduler: $0.scheduler).take(2)
  }
  Row("another integer type", gives: "300:0 300|") {
    Observable<Int64>.timer(.seconds(100), scheduler: $0.scheduler)
  }
}
