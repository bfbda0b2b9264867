// SPDX-License-Identifier: Apache-2.0

import MusubiRx
import MusubiTesting
import Testing

@Suite struct `A leak check` {
  private final class Screen {
    let number = BehaviorRelay(value: 0)
    private let bag = DisposeBag()
    private var shown = 0

    init(tap: Observable<Int>, capturesStrongly: Bool) {
      if capturesStrongly {
        tap.subscribe(onNext: { self.shown = $0 }).disposed(by: bag)
      } else {
        tap.subscribe(with: self, onNext: { $0.shown = $1 }).disposed(by: bag)
        tap.subscribe(onNext: { [weak self] in self?.shown = $0 }).disposed(by: bag)
      }
    }
  }

  @Test func `finds a strong capture and names the object`() {
    let tap = PublishSubject<Int>()
    let finding = leak { Screen(tap: tap, capturesStrongly: true) }
    #expect(finding?.hasPrefix("Screen is still alive") == true)
    tap.onCompleted()
  }

  @Test func `is silent about weak captures`() {
    let tap = PublishSubject<Int>()
    #expect(leak { Screen(tap: tap, capturesStrongly: false) } == nil)
  }

  @Test func `is silent once a strong chain has ended`() {
    let tap = PublishSubject<Int>()
    let finding = leak {
      let screen = Screen(tap: tap, capturesStrongly: true)
      tap.onCompleted()
      return screen
    }
    #expect(finding == nil)
  }

  /// Chains that end by a timer or on another scheduler.
  private static let timed: [@Sendable (TestScheduler) -> Observable<Int>] = [
    { .timer(.seconds(3), scheduler: $0) },
    { .just(1).delay(.seconds(3), scheduler: $0) },
    { .just(1).observe(on: $0) },
    { Observable.never().timeout(.seconds(3), other: Observable.of(1, 2), scheduler: $0) },
  ]

  @Test(arguments: timed.indices)
  func `is silent once a timer has ended a strong chain`(index: Int) {
    let scheduler = TestScheduler(initialClock: 0)
    let finding = leak {
      let screen = Screen(tap: Self.timed[index](scheduler), capturesStrongly: true)
      scheduler.start()
      return screen
    }
    #expect(finding == nil)
  }

  /// Ends its own strong chain: by the error that comes, or by what it does with the first element.
  private final class Ending {
    private let bag = DisposeBag()
    private let stop = PublishSubject<Void>()
    private var hasFailed = false

    init(_ source: Observable<Int>) {
      source.take(until: stop)
        .subscribe(onNext: { _ in self.stop.onNext(()) }, onError: { _ in self.hasFailed = true })
        .disposed(by: bag)
    }
  }

  @Test func `is silent once a timer's strong chain has failed, or ended while it delivered`() {
    let scheduler = TestScheduler(initialClock: 0)
    let sources: [Observable<Int>] = [
      .never().timeout(.seconds(3), scheduler: scheduler), .interval(.seconds(3), scheduler: scheduler),
    ]
    for source in sources {
      let finding = leak {
        let ending = Ending(source)
        scheduler.start()
        return ending
      }
      #expect(finding == nil)
    }
  }

  private final class Captured {}

  @Test func `finds nothing after groups that nobody subscribed to`() {
    let finding = leak {
      let captured = Captured()
      _ = Observable.of(1, 2, 3).groupBy { number in withExtendedLifetime(captured) { number } }.subscribe(
        onNext: { _ in })
      return captured
    }
    #expect(finding == nil)
  }

  @Test func `finds nothing after windows that nobody subscribed to`() {
    let scheduler = TestScheduler(initialClock: 0)
    let finding = leak {
      let captured = Captured()
      _ = Observable.of(1, 2, 3).window(timeSpan: .seconds(10), count: 2, scheduler: scheduler)
        .subscribe(onNext: { _ in withExtendedLifetime(captured) {} })
      return captured
    }
    // Empties the queue of cancelled work.
    scheduler.start()
    #expect(finding == nil)
  }

  @Test func `finds nothing after a source that ends before it may pass`() {
    let finding = leak {
      let captured = Captured()
      _ = Observable.of(1, 2, 3).skip(until: Observable<Int>.never())
        .subscribe(onNext: { _ in withExtendedLifetime(captured) {} })
      return captured
    }
    #expect(finding == nil)
  }
}
