// SPDX-License-Identifier: Apache-2.0

import MusubiRx
import MusubiTesting
import Testing

extension ReactiveCore {
  @Suite struct `Publish, replay, refCount and share` {
    @Test func `publish delivers only while connected`() {
      let source = PublishSubject<Int>()
      let published = source.publish()
      let log = Log()
      let subscription = published.subscribe(log.observer())
      source.onNext(1)
      let connection = published.connect()
      source.onNext(2)
      connection.dispose()
      source.onNext(3)
      let again = published.connect()
      source.onNext(4)
      #expect(log.text == "2")
      again.dispose()
      subscription.dispose()
      #expect(!source.hasObservers)
    }

    @Test func `connecting twice makes one connection`() {
      let source = PublishSubject<Int>()
      let published = source.publish()
      let log = Log()
      let subscription = published.subscribe(log.observer())
      let first = published.connect()
      let second = published.connect()
      source.onNext(1)
      #expect(log.text == "1")
      first.dispose()
      #expect(!source.hasObservers)
      second.dispose()
      subscription.dispose()
    }

    @Test func `publish shares one cold subscription`() {
      var subscriptions = 0
      let cold = Observable<Int>.deferred {
        subscriptions += 1
        return .of(1, 2)
      }
      let published = cold.publish()
      let log = Log()
      let first = published.subscribe(log.observer("a"))
      let second = published.subscribe(log.observer("b"))
      let connection = published.connect()
      #expect(subscriptions == 1)
      #expect(log.text == "a1 b1 a2 b2 a| b|")
      connection.dispose()
      first.dispose()
      second.dispose()
    }

    @Test(arguments: [
      (0, "3 |"), (1, "2 3 |"), (2, "1 2 3 |"), (9, "1 2 3 |"),
    ]) func `replay gives latecomers so many elements`(count: Int, expected: String) {
      let source = PublishSubject<Int>()
      let replayed = source.replay(count)
      let connection = replayed.connect()
      source.onNext(1)
      source.onNext(2)
      let log = Log()
      let subscription = replayed.subscribe(log.observer())
      source.onNext(3)
      source.onCompleted()
      #expect(log.text == expected)
      connection.dispose()
      subscription.dispose()
    }

    @Test func `replayAll gives latecomers everything`() {
      let source = PublishSubject<Int>()
      let replayed = source.replayAll()
      let connection = replayed.connect()
      for element in 1...5 { source.onNext(element) }
      #expect(immediate(replayed) == "1 2 3 4 5")
      source.onError(TestError.b)
      connection.dispose()
    }

    @Test func `multicast goes through the given subject`() {
      let source = PublishSubject<Int>()
      let subject = BehaviorSubject(value: 0)
      let shared = source.multicast(subject)
      #expect(immediate(shared) == "0")
      let connection = shared.connect()
      source.onNext(5)
      #expect(immediate(shared) == "5")
      connection.dispose()
    }

    @Test func `multicast makes a subject for each connection`() {
      var made = 0
      let source = PublishSubject<Int>()
      let shared = source.multicast { () -> PublishSubject<Int> in
        made += 1
        return PublishSubject<Int>()
      }
      let first = shared.subscribe()
      shared.connect().dispose()
      let second = shared.subscribe()
      shared.connect().dispose()
      #expect(made == 2)
      first.dispose()
      second.dispose()
    }

    @Test(arguments: selectorRows) func `multicast with a selector`(row: Row) { row.check() }
    @Test(arguments: refCountRows) func `refCount and share pass events`(row: Row) { row.check() }

    @Test func `refCount connects with the first and leaves with the last`() {
      let source = PublishSubject<Int>()
      var log: [String] = []
      let shared = source.do(onSubscribe: { log.append("+") }, onDispose: { log.append("-") }).publish()
        .refCount()
      let first = shared.subscribe()
      let second = shared.subscribe()
      first.dispose()
      #expect(log == ["+"])
      second.dispose()
      #expect(log == ["+", "-"])
      shared.subscribe().dispose()
      #expect(log == ["+", "-", "+", "-"])
    }

    @Test func `disposing twice counts once`() {
      let source = PublishSubject<Int>()
      let shared = source.share()
      let first = shared.subscribe()
      let second = shared.subscribe()
      first.dispose()
      first.dispose()
      #expect(source.hasObservers)
      second.dispose()
      #expect(!source.hasObservers)
    }

    @Test func `a source that fails at once reaches the only subscriber, and the next one again`() {
      var attempts = 0
      let shared = Observable<Int>.deferred {
        attempts += 1
        return .error(TestError.a)
      }.publish().refCount()
      #expect(immediate(shared) == "#")
      #expect(immediate(shared) == "#")
      #expect(attempts == 2)
    }

    @Test func `share is one subscription for many`() {
      var subscriptions = 0
      let source = PublishSubject<Int>()
      let shared = Observable<Int>.deferred {
        subscriptions += 1
        return source.asObservable()
      }.share()
      let log = Log()
      let first = shared.subscribe(log.observer("a"))
      source.onNext(1)
      let second = shared.subscribe(log.observer("b"))
      source.onNext(2)
      source.onCompleted()
      #expect(log.text == "a1 a2 b2 a| b|")
      #expect(subscriptions == 1)
      first.dispose()
      second.dispose()
    }

    @Test(arguments: ShareCase.all) func `a later subscriber hears this`(share: ShareCase) {
      #expect(share.observed == share.expected, "\(share.testDescription)")
    }

    @Test func `a later subscriber that sends something among the replayed elements hears each once`() {
      let source = PublishSubject<Int>()
      let shared = source.share(replay: 2)
      let log = Log()
      let first = shared.subscribe(onNext: { _ in })
      source.onNext(1)
      source.onNext(2)
      let second = shared.subscribe { event in
        log.note(Script.text(event))
        if event.element == 1 { source.onNext(3) }
      }

      #expect(log.text == "1 3 2")
      first.dispose()
      second.dispose()
    }

    @Test(arguments: [0, 1, 2]) func `while connected, a subscriber at the end starts the source again`(
      replay: Int
    ) {
      let source = PublishSubject<Int>()
      var attempts = 0
      let shared = Observable<Int>.deferred {
        attempts += 1
        return attempts == 1 ? source.asObservable() : .just(99)
      }.share(replay: replay, scope: .whileConnected)
      let log = Log()
      let first = shared.subscribe { event in
        log.note("a" + Script.text(event))
        if event.isCompleted { _ = shared.subscribe(log.observer("b")) }
      }
      source.onNext(1)
      source.onCompleted()
      #expect(log.text == "a1 a| b99 b|")
      #expect(attempts == 2)
      first.dispose()
    }

    @Test(arguments: [SubjectLifetimeScope.whileConnected, .forever])
    func `a retry above a share asks the source again`(scope: SubjectLifetimeScope) {
      var attempts = 0
      let shared = Observable<Int>.deferred {
        attempts += 1
        return attempts == 1 ? .error(TestError.a) : .just(attempts)
      }.retry(2).share(replay: 1, scope: scope)
      #expect(immediate(shared) == "2 |")
    }
  }
}

/// The events of a subscriber who comes after something happened to a shared source.
struct ShareCase: Sendable, CustomTestStringConvertible {
  enum Moment: String { case duringIt, afterAllLeft, afterTheEnd, afterAnError }

  let replay: Int
  let scope: SubjectLifetimeScope
  let moment: Moment
  let expected: String

  var testDescription: String { "replay \(replay), \(scope), \(moment): \(expected)" }

  static let all: [ShareCase] = [
    ShareCase(replay: 0, scope: .whileConnected, moment: .duringIt, expected: "4"),
    ShareCase(replay: 1, scope: .whileConnected, moment: .duringIt, expected: "3 4"),
    ShareCase(replay: 2, scope: .whileConnected, moment: .duringIt, expected: "2 3 4"),
    ShareCase(replay: 0, scope: .forever, moment: .duringIt, expected: "4"),
    ShareCase(replay: 1, scope: .forever, moment: .duringIt, expected: "3 4"),
    ShareCase(replay: 2, scope: .forever, moment: .duringIt, expected: "2 3 4"),
    ShareCase(replay: 0, scope: .whileConnected, moment: .afterAllLeft, expected: "4"),
    ShareCase(replay: 1, scope: .whileConnected, moment: .afterAllLeft, expected: "4"),
    ShareCase(replay: 2, scope: .whileConnected, moment: .afterAllLeft, expected: "4"),
    ShareCase(replay: 0, scope: .forever, moment: .afterAllLeft, expected: "4"),
    ShareCase(replay: 1, scope: .forever, moment: .afterAllLeft, expected: "3 4"),
    ShareCase(replay: 2, scope: .forever, moment: .afterAllLeft, expected: "2 3 4"),
    ShareCase(replay: 0, scope: .whileConnected, moment: .afterTheEnd, expected: "|"),
    ShareCase(replay: 1, scope: .whileConnected, moment: .afterTheEnd, expected: "|"),
    ShareCase(replay: 2, scope: .whileConnected, moment: .afterTheEnd, expected: "|"),
    ShareCase(replay: 0, scope: .forever, moment: .afterTheEnd, expected: "|"),
    ShareCase(replay: 1, scope: .forever, moment: .afterTheEnd, expected: "3 |"),
    ShareCase(replay: 2, scope: .forever, moment: .afterTheEnd, expected: "2 3 |"),
    ShareCase(replay: 0, scope: .whileConnected, moment: .afterAnError, expected: "#"),
    ShareCase(replay: 1, scope: .whileConnected, moment: .afterAnError, expected: "#"),
    ShareCase(replay: 1, scope: .forever, moment: .afterAnError, expected: "3 #"),
    ShareCase(replay: 2, scope: .forever, moment: .afterAnError, expected: "2 3 #"),
  ]

  var observed: String {
    let source = PublishSubject<Int>()
    let shared = source.share(replay: replay, scope: scope)
    let early = shared.subscribe { _ in }
    for element in 1...3 { source.onNext(element) }
    switch moment {
    case .duringIt: break
    case .afterAllLeft: early.dispose()
    case .afterTheEnd: source.onCompleted()
    case .afterAnError: source.onError(TestError.a)
    }
    let log = Log()
    let late = shared.subscribe(log.observer())
    source.onNext(4)
    late.dispose()
    early.dispose()
    return log.text
  }
}

@Rows private var selectorRows: [Row] {
  Row(
    "a source used twice is subscribed to once", "210:1 220:2 250|", gives: "210:1 210:10 220:2 220:20 250|",
    subscribed: "200-250"
  ) {
    $0.a.multicast({ PublishSubject<Int>() }, selector: { Observable.merge($0, $0.map { $0 * 10 }) })
  }
  Row("an error passes", "210:1 250#b", gives: "210:1 250#b", subscribed: "200-250") {
    $0.a.multicast({ PublishSubject<Int>() }, selector: { $0 })
  }
  Row("a subject factory that throws", "210:1", gives: "200#", subscribed: "") {
    $0.a.multicast({ () throws -> PublishSubject<Int> in throw TestError.a }, selector: { $0 })
  }
  Row("a selector that throws", "210:1", gives: "200#", subscribed: "") {
    $0.a.multicast({ PublishSubject<Int>() }, selector: { _ -> Observable<Int> in throw TestError.a })
  }
  Row("a disposal", "210:1 250|", gives: "210:1", subscribed: "200-220", disposed: 220) {
    $0.a.multicast({ PublishSubject<Int>() }, selector: { $0 })
  }
}

@Rows private var refCountRows: [Row] {
  Row("refCount", "150:9 210:1 220:2 250|", gives: "210:1 220:2 250|", subscribed: "200-250") {
    $0.a.publish().refCount()
  }
  Row("refCount: an error", "210:1 250#", gives: "210:1 250#", subscribed: "200-250") {
    $0.a.publish().refCount()
  }
  Row("refCount: a disposal", "210:1 230:2", gives: "210:1", subscribed: "200-220", disposed: 220) {
    $0.a.publish().refCount()
  }
  Row("refCount: never", "", gives: "", subscribed: "200-1000") { $0.a.publish().refCount() }
  Row("share", "210:1 250|", gives: "210:1 250|", subscribed: "200-250") { $0.a.share() }
  Row("share: an error", "210:1 250#b", gives: "210:1 250#b", subscribed: "200-250") { $0.a.share() }
  Row("share: a disposal", "210:1 230:2", gives: "210:1", subscribed: "200-220", disposed: 220) {
    $0.a.share()
  }
  Row("share with replay", "210:1 250|", gives: "210:1 250|", subscribed: "200-250") { $0.a.share(replay: 1) }
  Row("share with replay: an error", "210:1 250#", gives: "210:1 250#", subscribed: "200-250") {
    $0.a.share(replay: 1)
  }
  Row("share for ever", "210:1 250|", gives: "210:1 250|", subscribed: "200-250") {
    $0.a.share(replay: 1, scope: .forever)
  }
  Row("share for ever: a disposal", "210:1 230:2", gives: "210:1", subscribed: "200-220", disposed: 220) {
    $0.a.share(replay: 2, scope: .forever)
  }
  Row(
    "a shared source combined with itself", "210:1 220:2 250|", gives: "210:2 220:3 220:4 250|",
    subscribed: "200-250"
  ) { lab in
    let shared = lab.a.share()
    return Observable.combineLatest(shared, shared) { $0 + $1 }
  }
}
