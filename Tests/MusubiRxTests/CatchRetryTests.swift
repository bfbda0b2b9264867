// SPDX-License-Identifier: Apache-2.0

import Dispatch
import MusubiRx
import Testing

extension ReactiveCore {
  @Suite struct `Catch and retry` {
    @Test(arguments: catchRows) func `catch`(row: Row) { row.check() }
    @Test(arguments: sequenceRows) func `catch with a sequence`(row: Row) { row.check() }
    @Test(arguments: retryRows) func `retry`(row: Row) { row.check() }
    @Test(arguments: retryWhenRows) func `retry when`(row: Row) { row.check() }

    @Test func `the handler gets the error`() {
      var caught: [String] = []
      let source = Observable<Int>.error(TestError.b).catch {
        caught.append("\($0)")
        return .just(1)
      }
      #expect(immediate(source) == "1 |")
      #expect(caught == ["b"])
    }

    @Test func `catchAndReturn gives the element and ends`() {
      #expect(
        immediate(Observable.of(1, 2).concat(Observable.error(TestError.a)).catchAndReturn(9)) == "1 2 9 |")
    }

    @Test func `retry builds a deferred source again each time`() {
      var attempts = 0
      let source = Observable<Int>.deferred {
        attempts += 1
        return attempts < 4 ? .error(TestError.a) : .just(attempts)
      }
      #expect(immediate(source.retry()) == "4 |")
    }

    @Test func `retry of a source that fails at once stops with its subscriber`() {
      var attempts = 0
      let source = Observable<Int>.create { observer in
        attempts += 1
        observer.onNext(attempts)
        observer.onError(TestError.a)
        return Disposables.create()
      }
      #expect(immediate(source.retry().take(5)) == "1 2 3 4 5 |")
      #expect(attempts == 5)
    }

    @Test func `retry when with a delay that grows`() {
      let row = Row(
        "backoff", "cold 10:1 20#", gives: "210:1 240:1 290:1 300#", subscribed: "200-220 230-250 280-300"
      ) { lab in
        let scheduler = lab.scheduler
        return lab.a.retry(when: { (errors: Observable<any Error>) in
          errors.enumerated().flatMap { (attempt: Int, error: any Error) -> Observable<Int> in
            attempt == 2
              ? .error(error) : Observable<Int>.timer(.seconds(10 + 20 * attempt), scheduler: scheduler)
          }
        })
      }
      row.check()
    }

    @Test func `retry when of a certain error type fails with others`() {
      struct Other: Error {}
      let source = Observable<Int>.error(Other()).retry(when: { (errors: Observable<TestError>) in errors })
      #expect(immediate(source).hasPrefix("#"))
    }
  }
}

@Rows private var catchRows: [Row] {
  Row("never", "", "", gives: "", subscribed: "200-1000; ") { lab in lab.a.catch { _ in lab.b } }
  Row("empty", "230|", "", gives: "230|", subscribed: "200-230; ") { lab in lab.a.catch { _ in lab.b } }
  Row(
    "no error: the handler is not asked", "210:1 230|", "240:5 250|", gives: "210:1 230|",
    subscribed: "200-230; "
  ) {
    lab in lab.a.catch { _ in lab.b }
  }
  Row(
    "the handler's sequence goes on", "210:1 230#", "220:8 240:5 250|", gives: "210:1 240:5 250|",
    subscribed: "200-230; 230-250"
  ) { lab in lab.a.catch { _ in lab.b } }
  Row(
    "the handler's sequence fails too", "210:1 230#", "240:5 250#b", gives: "210:1 240:5 250#b",
    subscribed: "200-230; 230-250"
  ) { lab in lab.a.catch { _ in lab.b } }
  Row("the handler throws", "210:1 230#", gives: "210:1 230#b", subscribed: "200-230") {
    $0.a.catch { _ in throw TestError.b }
  }
  Row(
    "catch of catch", "210:1 230#", "240:2 250#", "260:3 270|", gives: "210:1 240:2 260:3 270|",
    subscribed: "200-230; 230-250; 250-270"
  ) { lab in lab.a.catch { _ in lab.b }.catch { _ in lab.c } }
  Row(
    "an inner catch spares the outer one", "230#", "240:2 250|", "", gives: "240:2 250|",
    subscribed: "200-230; 230-250; "
  ) { lab in lab.a.catch { _ in lab.b }.catch { _ in lab.c } }
  Row(
    "a disposal before the error", "210:1 230#", "240:5", gives: "210:1", subscribed: "200-220; ",
    disposed: 220
  ) {
    lab in lab.a.catch { _ in lab.b }
  }
  Row(
    "a disposal after the error", "210:1 230#", "240:5 250:6", gives: "210:1 240:5",
    subscribed: "200-230; 230-245",
    disposed: 245
  ) { lab in lab.a.catch { _ in lab.b } }
  Row("catchAndReturn", "210:1 230#", gives: "210:1 230:9 230|", subscribed: "200-230") {
    $0.a.catchAndReturn(9)
  }
  Row("catchAndReturn without an error", "210:1 230|", gives: "210:1 230|", subscribed: "200-230") {
    $0.a.catchAndReturn(9)
  }
  Row("catchAndReturn of never", "", gives: "", subscribed: "200-1000") { $0.a.catchAndReturn(9) }
}

@Rows private var sequenceRows: [Row] {
  Row("the first succeeds", "210:1 230|", "", gives: "210:1 230|", subscribed: "200-230; ") {
    Observable.catch(sequence: [$0.a, $0.b])
  }
  Row(
    "the second succeeds", "210:1 230#", "240:2 250|", gives: "210:1 240:2 250|",
    subscribed: "200-230; 230-250"
  ) {
    Observable.catch(sequence: [$0.a, $0.b])
  }
  Row(
    "all fail: the last error counts", "210:1 230#", "240:2 250#b", gives: "210:1 240:2 250#b",
    subscribed: "200-230; 230-250"
  ) { Observable.catch(sequence: [$0.a, $0.b]) }
  Row("never", "", "230:1", gives: "", subscribed: "200-1000; ") { Observable.catch(sequence: [$0.a, $0.b]) }
  Row("only one, and it fails", "230#", gives: "230#", subscribed: "200-230") {
    Observable.catch(sequence: [$0.a])
  }
  Row(
    "a disposal in the second", "210:1 230#", "240:2 260:3", gives: "210:1 240:2",
    subscribed: "200-230; 230-250",
    disposed: 250
  ) { Observable.catch(sequence: [$0.a, $0.b]) }
  Row(
    "three", "cold 10#", "cold 10#", "cold 10:3 20|", gives: "230:3 240|",
    subscribed: "200-210; 210-220; 220-240"
  ) {
    Observable.catch(sequence: [$0.a, $0.b, $0.c])
  }
}

@Rows private var retryRows: [Row] {
  Row("no error", "cold 100:1 150:2 250|", gives: "300:1 350:2 450|", subscribed: "200-450") { $0.a.retry() }
  Row("never", "cold 100:1", gives: "300:1", subscribed: "200-1000") { $0.a.retry() }
  Row(
    "errors start it again", "cold 100:1 150:2 250#", gives: "300:1 350:2 550:1 600:2 800:1 850:2",
    subscribed: "200-450 450-700 700-950 950-1000"
  ) { $0.a.retry() }
  Row(
    "a disposal ends it", "cold 100:1 150#", gives: "300:1 450:1", subscribed: "200-350 350-480",
    disposed: 480
  ) {
    $0.a.retry()
  }
  Row("a number: no error", "cold 10:1 20|", gives: "210:1 220|", subscribed: "200-220") { $0.a.retry(3) }
  Row(
    "a number counts all attempts", "cold 5:1 10:2 20#", gives: "205:1 210:2 225:1 230:2 245:1 250:2 260#",
    subscribed: "200-220 220-240 240-260"
  ) { $0.a.retry(3) }
  Row("one attempt", "cold 5:1 10#", gives: "205:1 210#", subscribed: "200-210") { $0.a.retry(1) }
  Row("a number: never", "cold 5:1", gives: "205:1", subscribed: "200-1000") { $0.a.retry(3) }
  Row(
    "a number: a disposal", "cold 5:1 20#", gives: "205:1 225:1", subscribed: "200-220 220-231", disposed: 231
  ) {
    $0.a.retry(3)
  }
  Row(
    "a hot source goes on where it is", "210:1 220#b 230:2 240|", gives: "210:1 230:2 240|",
    subscribed: "200-220 220-240"
  ) { $0.a.retry() }
}

@Rows private var retryWhenRows: [Row] {
  Row("no error", "cold 10:1 20|", gives: "210:1 220|", subscribed: "200-220") {
    $0.a.retry(when: { (errors: Observable<any Error>) in errors })
  }
  Row(
    "each error starts it again", "cold 10:1 20#", gives: "210:1 230:1 250:1",
    subscribed: "200-220 220-240 240-255",
    disposed: 255
  ) { $0.a.retry(when: { (errors: Observable<any Error>) in errors }) }
  Row(
    "a notifier that ended before ends it at the error", "cold 10:1 200#", "cold 50|", gives: "210:1 400|",
    subscribed: "200-400; 200-250"
  ) { lab in
    lab.a.retry(when: { (_: Observable<any Error>) in lab.b })
  }
  Row("a notifier that never speaks keeps it waiting", "cold 10:1 20#", gives: "210:1", subscribed: "200-220")
  {
    $0.a.retry(when: { (_: Observable<any Error>) in Observable<Int>.never() })
  }
  Row("a notifier that fails, fails it", "cold 10:1 20#", gives: "210:1 220#b", subscribed: "200-220") {
    $0.a.retry(when: { (errors: Observable<any Error>) in
      errors.flatMap { _ in Observable<Int>.error(TestError.b) }
    })
  }
  Row(
    "two further attempts, then the end", "cold 10:1 20#", gives: "210:1 230:1 240|",
    subscribed: "200-220 220-240"
  ) {
    $0.a.retry(when: { (errors: Observable<any Error>) in errors.enumerated().take(while: { $0.index < 1 }) })
  }
  Row("the error passes through the notifier", "cold 10:1 20#b", gives: "210:1 220#b") {
    $0.a.retry(when: { (errors: Observable<any Error>) in
      errors.map { (error: any Error) -> Int in throw error }
    })
  }
}
