// SPDX-License-Identifier: Apache-2.0

import MusubiRx
import MusubiTesting
import Testing

extension ReactiveCore {
  @Suite struct `Do` {
    @Test(arguments: doRows) func `events pass`(row: Row) { row.check() }

    @Test func `the closures run around the events`() {
      let log = Log()
      let subscription = Observable.of(1, 2).do(
        onNext: { log.note("n\($0)") }, afterNext: { log.note("N\($0)") }, onError: { _ in log.note("e") },
        afterError: { _ in log.note("E") }, onCompleted: { log.note("c") }, afterCompleted: { log.note("C") },
        onSubscribe: { log.note("s") }, onSubscribed: { log.note("S") }, onDispose: { log.note("d") }
      ).subscribe(log.observer("="))

      #expect(log.text == "s n1 =1 N1 n2 =2 N2 c =| C S d" || log.text == "s S n1 =1 N1 n2 =2 N2 c =| C d")
      subscription.dispose()
      #expect(log.entries.filter { $0 == "d" }.count == 1)
    }

    @Test func `an error runs the error closures only`() {
      let log = Log()
      let subject = PublishSubject<Int>()
      let subscription = subject.do(
        onNext: { log.note("n\($0)") }, onError: { log.note("e\($0)") }, afterError: { log.note("E\($0)") },
        onCompleted: { log.note("c") }, onSubscribe: { log.note("s") }, onSubscribed: { log.note("S") },
        onDispose: { log.note("d") }
      ).subscribe(log.observer("="))

      subject.onNext(1)
      subject.onError(TestError.b)

      #expect(log.text == "s S n1 =1 eb =#b Eb d")
      subscription.dispose()
    }

    @Test func `a disposal tells onDispose after the source was let go`() {
      let log = Log()
      let source = Observable<Int>.create { _ in Disposables.create { log.note("source") } }
      let subscription = source.do(onDispose: { log.note("do") }).subscribe(onDisposed: { log.note("leaf") })

      subscription.dispose()
      subscription.dispose()

      #expect(Set(log.entries) == ["source", "do", "leaf"])
      #expect(log.entries.count == 3)
      #expect(log.entries.firstIndex(of: "source") ?? 9 < log.entries.firstIndex(of: "do") ?? 0)
    }

    @Test func `closures of several dos run from the source downwards`() {
      let log = Log()
      let chain = Observable.just(1).do(onNext: { _ in log.note("upper") }).do(onNext: { _ in
        log.note("lower")
      })
      #expect(immediate(chain) == "1 |")
      #expect(log.text == "upper lower")
    }

    @Test func `each subscription is told`() {
      var count = 0
      let source = PublishSubject<Int>()
      let watched = source.do(onSubscribe: { count += 1 }, onDispose: { count -= 1 })
      let first = watched.subscribe()
      let second = watched.subscribe()
      #expect(count == 2)
      first.dispose()
      #expect(count == 1)
      second.dispose()
      #expect(count == 0)
    }
  }
}

@Rows private var doRows: [Row] {
  Row("never", "150:1", gives: "", subscribed: "200-1000") { $0.a.do(onNext: { _ in }) }
  Row("empty", "250|", gives: "250|", subscribed: "200-250") { $0.a.do(onNext: { _ in }) }
  Row("elements", "210:1 220:2 250|", gives: "210:1 220:2 250|", subscribed: "200-250") {
    $0.a.do(onNext: { _ in })
  }
  Row("an error", "210:1 250#b", gives: "210:1 250#b", subscribed: "200-250") { $0.a.do(onError: { _ in }) }
  Row("no closure at all", "210:1 250|", gives: "210:1 250|", subscribed: "200-250") { $0.a.do() }
  Row("a disposal", "210:1 250|", gives: "210:1", subscribed: "200-220", disposed: 220) {
    $0.a.do(onNext: { _ in })
  }
  Row(
    "onNext throws: the element is not delivered", "210:1 220:2 250|", gives: "210:1 220#",
    subscribed: "200-220"
  ) {
    $0.a.do(onNext: { if $0 == 2 { throw TestError.a } })
  }
  Row(
    "afterNext throws: the element is delivered first", "210:1 220:2 250|", gives: "210:1 220:2 220#",
    subscribed: "200-220"
  ) { $0.a.do(afterNext: { if $0 == 2 { throw TestError.a } }) }
  Row(
    "onError throws: its error replaces the other", "210:1 250#", gives: "210:1 250#b", subscribed: "200-250"
  ) {
    $0.a.do(onError: { _ in throw TestError.b })
  }
  Row(
    "onCompleted throws: an error instead of the end", "210:1 250|", gives: "210:1 250#",
    subscribed: "200-250"
  ) {
    $0.a.do(onCompleted: { throw TestError.a })
  }
  Row("onSubscribe runs before the subscription", "210:1 250|", gives: "210:1 250|", subscribed: "200-250") {
    lab in
    lab.a.do(onSubscribe: { [scheduler = lab.scheduler] in #expect(scheduler.clock == 200) })
  }
}
