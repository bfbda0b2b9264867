// SPDX-License-Identifier: Apache-2.0

import MusubiRx
import Testing

extension ReactiveCore {
  @Suite struct `WithLatestFrom` {
    @Test(arguments: latestFromRows) func `withLatestFrom`(row: Row) { row.check() }

    @Test func `the second is subscribed to first`() {
      #expect(immediate(Observable.just(1).withLatestFrom(Observable.just(2)) { "\($0)\($1)" }) == "12 |")
    }

    @Test func `both may be the same subject`() {
      let subject = PublishSubject<Int>()
      let log = Log()
      let subscription = subject.withLatestFrom(subject) { "\($0)\($1)" }.subscribe(log.observer())
      subject.onNext(1)
      subject.onNext(2)
      #expect(log.text == "11 22")
      subscription.dispose()
      #expect(!subject.hasObservers)
    }

    @Test func `a relay is read at the time of the tap`() {
      let tap = PublishRelay<Void>()
      let text = BehaviorRelay(value: "a")
      let log = Log()
      let subscription = tap.withLatestFrom(text).subscribe(log.observer())
      tap.accept(())
      text.accept("b")
      text.accept("c")
      tap.accept(())
      tap.accept(())
      #expect(log.text == "a c c")
      subscription.dispose()
    }
  }
}

private func join(_ left: Int, _ right: Int) throws -> String {
  if left == 99 { throw TestError.a }
  return "\(left)+\(right)"
}

@Rows private var latestFromRows: [Row] {
  Row(
    "only the first asks", "210:1 240:2 250:3 300|", "220:10 230:20 260:30 400|",
    gives: "240:2+20 250:3+20 300|", subscribed: "200-300; 200-300"
  ) {
    $0.a.withLatestFrom($0.b, resultSelector: join)
  }
  Row(
    "what comes before the second's first is lost", "210:1 215:2 300|", "220:10", gives: "300|",
    subscribed: "200-300; 200-300"
  ) { $0.a.withLatestFrom($0.b, resultSelector: join) }
  Row(
    "an ended second keeps its latest", "230:1 240:2 300|", "220:10 225|", gives: "230:1+10 240:2+10 300|",
    subscribed: "200-300; 200-225"
  ) { $0.a.withLatestFrom($0.b, resultSelector: join) }
  Row(
    "an error of the second fails it", "210:1 300|", "220#b", gives: "220#b", subscribed: "200-220; 200-220"
  ) {
    $0.a.withLatestFrom($0.b, resultSelector: join)
  }
  Row(
    "an error of the first fails it", "210:1 220#", "205:10", gives: "210:1+10 220#",
    subscribed: "200-220; 200-220"
  ) {
    $0.a.withLatestFrom($0.b, resultSelector: join)
  }
  Row("never and elements", "", "210:1", gives: "", subscribed: "200-1000; 200-1000") {
    $0.a.withLatestFrom($0.b, resultSelector: join)
  }
  Row("elements and never", "210:1 220|", "", gives: "220|", subscribed: "200-220; 200-220") {
    $0.a.withLatestFrom($0.b, resultSelector: join)
  }
  Row("elements and empty", "210:1 220|", "205|", gives: "220|", subscribed: "200-220; 200-205") {
    $0.a.withLatestFrom($0.b, resultSelector: join)
  }
  Row(
    "a throwing selector fails it", "210:1 220:99 230:2", "205:10", gives: "210:1+10 220#",
    subscribed: "200-220; 200-220"
  ) { $0.a.withLatestFrom($0.b, resultSelector: join) }
  Row(
    "a disposal lets both go", "210:1 230:2", "205:10", gives: "210:1+10", subscribed: "200-220; 200-220",
    disposed: 220
  ) { $0.a.withLatestFrom($0.b, resultSelector: join) }
  Row(
    "without a selector the second's element comes", "210:1 230:2 300|", "205:10 220:20",
    gives: "210:10 230:20 300|",
    subscribed: "200-300; 200-300"
  ) { $0.a.withLatestFrom($0.b) }
  Row("an empty first ends it at once", "210|", "220:1", gives: "210|", subscribed: "200-210; 200-210") {
    $0.a.withLatestFrom($0.b)
  }
}
