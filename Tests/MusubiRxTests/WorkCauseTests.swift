// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import MusubiRx
import MusubiTesting
import Testing

private final class Name: WorkCause {
  let name: String
  init(_ name: String) { self.name = name }
}

/// Who has caused what runs now.
private var current: String { (LoopContext.cause as? Name)?.name ?? "nobody" }

private func by(_ name: String?, _ body: () -> Void) { LoopContext.causing(by: name.map { Name($0) }, body) }

@Suite(.timeLimit(.minutes(5))) struct `The cause of an element` {
  private let subject = PublishSubject<Int>()
  private let scheduler = TestScheduler(initialClock: 0)

  /// What arrives of elements of Ann's, Bob's and nobody's, each with its cause then.
  private func arrivals(_ chain: (Observable<Int>) -> Observable<Int>) -> [String] {
    var arrived: [String] = []
    let subscription = chain(subject.asObservable()).subscribe(onNext: { arrived.append("\($0) \(current)") })
    by("Ann") { subject.onNext(1) }
    by("Bob") { subject.onNext(2) }
    subject.onNext(3)
    scheduler.start()
    subscription.dispose()
    #expect(current == "nobody")
    return arrived
  }

  @Test func `stays with it in a delay`() {
    #expect(arrivals { $0.delay(.seconds(2), scheduler: scheduler) } == ["1 Ann", "2 Bob", "3 nobody"])
  }

  @Test func `stays with it on another scheduler`() {
    #expect(arrivals { $0.observe(on: scheduler) } == ["1 Ann", "2 Bob", "3 nobody"])
  }

  @Test func `stays with the last one of a throttle`() {
    #expect(
      arrivals { $0.take(2).throttle(.seconds(2), scheduler: scheduler) } == ["1 Ann", "2 Bob"])
  }

  @Test func `stays with a sequence that waits for the one before`() {
    let first = PublishSubject<Int>()
    var arrived: [String] = []
    let subscription = subject.asObservable()
      .concatMap { number in
        number == 1 ? first.asObservable() : Observable.deferred { .just(number) }
      }
      .subscribe(onNext: { arrived.append("\($0) \(current)") })
    by("Ann") { subject.onNext(1) }
    by("Bob") { subject.onNext(2) }
    subject.onNext(3)
    by("Ann") { first.onCompleted() }
    subscription.dispose()

    #expect(arrived == ["2 Bob", "3 nobody"])
  }

  @Test func `is who subscribed, of what a callback brings later`() {
    var callback: ((Int) -> Void)?
    var arrived: [String] = []
    var subscription: (any Disposable)?
    by("Ann") {
      subscription = Observable<Int>.create { observer in
        callback = observer.onNext
        return Disposables.create()
      }
      .subscribe(onNext: { arrived.append("\($0) \(current)") })
    }
    callback?(1)
    by("Bob") { callback?(2) }
    subscription?.dispose()

    #expect(arrived == ["1 Ann", "2 Bob"])
    #expect(current == "nobody")
  }

  @Test func `goes along to a queue`() {
    let arrived = DispatchSemaphore(value: 0)
    nonisolated(unsafe) var seen: [String] = []
    let subscription = subject.asObservable()
      .observe(on: SerialDispatchQueueScheduler(qos: .default))
      .subscribe(onNext: {
        seen.append("\($0) \(current)")
        arrived.signal()
      })
    by("Ann") { subject.onNext(1) }
    by("Bob") { subject.onNext(2) }
    for _ in 0..<2 { arrived.wait() }
    subscription.dispose()

    #expect(seen == ["1 Ann", "2 Bob"])
  }

  @Test func `ends with its work, also if that throws`() {
    struct Failure: Error {}
    #expect(throws: Failure.self) { try LoopContext.causing(by: Name("Ann")) { throw Failure() } }
    #expect(current == "nobody")
  }
}
